import Foundation
import GraphModel
import Testing

@Suite("Model commands") struct ModelCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func etl(_ arguments: String...) throws -> ToolResult {
        try Tool.etl(["model"] + arguments, in: workspace.path("pipelines"))
    }

    @Test(arguments: ["task-model", "chinook-model"])
    func convertRoundTripKeepsTheModel(name: String) throws {
        #expect(try etl("convert", "\(name).yaml", "\(name).xcdatamodeld") == .silentSuccess)
        #expect(try etl("diff", "\(name).yaml", "\(name).xcdatamodeld") == .silentSuccess)
        #expect(try etl("convert", "\(name).xcdatamodeld", "back.yaml") == .silentSuccess)
        #expect(try etl("diff", "\(name).yaml", "back.yaml") == .silentSuccess)
        #expect(
            try etl("show", "--hashes", "\(name).yaml")
                == etl("show", "--hashes", "\(name).xcdatamodeld"))
    }

    @Test func pipelinesRunWithAnXcodeModel() throws {
        #expect(try etl("convert", "task-model.yaml", "Tasks.xcdatamodeld") == .silentSuccess)
        let spec = try String(
            contentsOfFile: workspace.path("pipelines/import-tasks.yaml"), encoding: .utf8)
        #expect(spec.contains("model: task-model.yaml"))
        try workspace.runSilently("import-tasks")
        let columns = "SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1"
        let store = try #require(try storePath(spec))
        let expected = try Tool.sqlite(store, columns)
        let hashes = try etl("show", "--hashes", store).standardOutput
        for model in ["Tasks.xcdatamodeld", "Tasks.xcdatamodeld/Tasks.xcdatamodel"] {
            try FileManager.default.removeItem(atPath: store)
            try workspace.write(
                spec.replacing("model: task-model.yaml", with: "model: ./\(model)"),
                to: "pipelines/import-tasks.yaml")
            #expect(
                try Tool.etl(["check", workspace.path("pipelines/import-tasks.yaml")])
                    == .silentSuccess)
            try workspace.runSilently("import-tasks")
            #expect(try Tool.sqlite(store, columns) == expected)
            #expect(try etl("show", "--hashes", store).standardOutput == hashes)
        }
    }

    private func storePath(_ spec: String) throws -> String? {
        spec.firstMatch(of: #/at: ([^ ,]+\.sqlite)/#).map {
            workspace.path("pipelines/\($0.1)")
        }
    }

    @Test func diffMarksTheChangesThatNeedAMapping() throws {
        let model = try String(
            contentsOfFile: workspace.path("pipelines/task-model.yaml"), encoding: .utf8)
        let changed =
            model.replacing("title:       {", with: "name:        { renamed-from: title,")
            .replacing("      dueOn:       Date\n", with: "")
            .replacing("price:       Decimal", with: "price:       Double")
            .replacing(
                "      estimate:",
                with: "      size:        { type: Float, optional: false }\n      estimate:"
            )
            .replacing("delete: deny", with: "delete: nullify")
        try workspace.write(changed, to: "pipelines/next.yaml")
        let result = try etl("diff", "task-model.yaml", "next.yaml")
        #expect(result.status == 1)
        #expect(result.standardError.isEmpty)
        #expect(
            result.standardOutput == """
                ~ Category.tasks: delete rule differs
                ~ Task.name: renamed from 'title'
                + Task.size: new attribute Float, required  [needs a mapping]
                ~ Task.price: type is Double, was Decimal  [needs a mapping]
                - Task.dueOn: is removed, with its values

                A lightweight migration would not do: the marked changes need a mapping.
                Version hashes differ: Task

                """)
    }

    @Test func showIsReadable() throws {
        try workspace.write(
            """
            model: 1
            version: v1
            entities:
              Task:
                renamed-from: Todo
                attributes:
                  id: { type: UUID, optional: false }
                  priority: { type: Integer 16, default: 1, range: 0..2 }
                relationships:
                  tags: { to: Tag, many: true, inverse: tasks, delete: cascade, ordered: true }
                unique: [[id]]
                indexes: { byPriority: [priority desc] }
              Tag:
                relationships: { tasks: { to: Task, many: true, inverse: tags } }
            """, to: "pipelines/small.yaml")
        let result = try etl("show", "small.yaml")
        #expect(result.status == 0)
        #expect(
            result.standardOutput == """
                2 entities, 2 attributes, 2 relationships
                version   v1

                Tag
                  relationships
                    tasks               → Task.tags, to many, on delete nullify

                Task  (renamed from Todo)
                  attributes
                    id                  UUID, required
                    priority            Integer 16, default 1, 0..2
                  relationships
                    tags                → Tag.tasks, to many, ordered, on delete cascade
                  unique
                    id
                  indexes
                    byPriority          priority desc

                """)
        let mermaid = try etl("diagram", "small.yaml").standardOutput
        #expect(
            mermaid == """
                classDiagram
                    direction LR
                    class Tag {
                    }
                    class Task {
                        UUID id
                        Integer16? priority
                    }
                    Tag "0..*" -- "0..*" Task : tasks / tags

                """)
    }

    @Test(arguments: ["task-model", "chinook-model"])
    func diagramsAreWellFormed(name: String) throws {
        let svg = try etl("diagram", "--format", "svg", "\(name).yaml").standardOutput
        let parser = XMLDocumentCheck()
        #expect(parser.isWellFormed(svg))
        #expect(svg.contains("prefers-color-scheme: dark"))
        let model = try ManagedObjectModel(
            yamlFile: workspace.path("pipelines/\(name).yaml"))
        for entity in model.entities { #expect(svg.contains(">\(entity.name)</text>")) }
        #expect(
            try etl("diagram", "--format", "dot", "\(name).yaml").standardOutput.hasPrefix(
                "digraph"))
    }

    @Test func showReadsTheModelOfASpec() throws {
        #expect(
            try etl("show", "--hashes", "import-tasks.yaml")
                == etl("show", "--hashes", "task-model.yaml"))
        try workspace.write(
            "etl: 1\nstore: { at: none.sqlite }\nstages: [{ export: Task, to: t.csv }]\n",
            to: "pipelines/no-model.yaml")
        let result = try etl("show", "no-model.yaml")
        #expect(result.status == 78)
        #expect(
            result.standardError == """
                no-model.yaml:2:8: error: The file is a pipeline spec, and its model depends on \
                its store or its parameters [model.is-spec]
                  in: store
                  fix: name the model itself, or the store

                """)
    }

    @Test func failuresHaveTheirOwnExitStatus() throws {
        #expect(try etl("show", "none.xcdatamodeld").status == 66)
        try workspace.write("model: 1\nentitys: {}\n", to: "pipelines/broken.yaml")
        #expect(try etl("show", "broken.yaml").status == 78)
        #expect(try etl("convert", "task-model.yaml", "out.txt").status == 64)
        let result = try etl("convert", "task-model.yaml", "task-model.yaml")
        #expect(result.status == 73)
        #expect(result.standardError.contains("error: The model already exists [file.exists]"))
    }
}

/// Checks whether a string is XML, with an independent parser.
private struct XMLDocumentCheck {
    func isWellFormed(_ text: String) -> Bool {
        do {
            let script = "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])"
            let file = NSTemporaryDirectory() + "check-\(UUID().uuidString).xml"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let result = try Tool.run("python3", ["-c", script, file])
            try FileManager.default.removeItem(atPath: file)
            return result.status == 0
        } catch {
            return false
        }
    }
}
