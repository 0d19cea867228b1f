import Foundation
import Testing

@Suite("etl model swift") struct ModelSwiftCommandTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func swift(_ arguments: String...) throws -> ToolResult {
        var result = try Tool.etl(["model", "swift"] + arguments, in: workspace.path(""))
        // The models have a class `Task`.
        result.standardError.replace(#/[^\n]*\[swift\.hidden-type\]\n  fix: [^\n]*\n/#, with: "")
        return result
    }

    private func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.path(folder)).sorted()
    }

    @Test(
        "the committed classes of the examples match the output of the command",
        arguments: [("tasks", "Tasks"), ("journal", "Journal")])
    func examplesHaveNotDrifted(model: String, folder: String) throws {
        let example = Repository.path("Tests/TypedClassesTests")
        #expect(
            try swift(
                "\(example)/Models/\(model).yaml", "--output", "\(example)/\(folder)", "--check")
                == .silentSuccess)
    }

    @Test func checkReportsFilesThatDifferFromTheModel() throws {
        let model = "pipelines/task-model.yaml"
        #expect(try swift(model, "--output", "App/Model") == .silentSuccess)
        #expect(
            try names("App/Model")
                == ["Category.swift", "Tag.swift", "Task.swift", "TaskModelClasses.swift"])
        #expect(try swift(model, "--output", "App/Model", "--check") == .silentSuccess)

        let text = try workspace.contents(model)
        try workspace.write(
            text.replacing("notes:       String", with: "remark:      String")
                .replacing("  Tag:\n", with: "  Label:\n").replacing(
                    "to: Tag,", with: "to: Label,"),
            to: model)
        let before = try workspace.contents("App/Model/Task.swift")
        let check = try swift(model, "--output", "App/Model", "--check")
        #expect(check.status == 1 && check.standardError.isEmpty)
        #expect(
            check.standardOutput == """
                + Label.swift: is missing
                - Tag.swift: is no longer in the model
                ~ Task.swift: differs from the model
                ~ TaskModelClasses.swift: differs from the model

                """)
        #expect(try workspace.contents("App/Model/Task.swift") == before)
        #expect(try swift(model, "--output", "App/Model") == .silentSuccess)
        #expect(
            try names("App/Model")
                == ["Category.swift", "Label.swift", "Task.swift", "TaskModelClasses.swift"])
        #expect(try swift(model, "--output", "App/Model", "--check") == .silentSuccess)
    }

    @Test("YAML, an Xcode model, and a store give the same classes except for the origin")
    func everyKindOfModel() throws {
        let model = try Tool.etl(
            ["model", "convert", "pipelines/task-model.yaml", "task-model.xcdatamodeld"],
            in: workspace.path(""))
        #expect(model == .silentSuccess)
        try workspace.runSilently("import-tasks")
        try FileManager.default.moveItem(
            atPath: workspace.path("out/tasks.sqlite"),
            toPath: workspace.path("out/task-model.sqlite"))
        let sources = [
            "pipelines/task-model.yaml", "task-model.xcdatamodeld", "out/task-model.sqlite",
        ]
        var texts: [[String]] = []
        for (number, source) in sources.enumerated() {
            #expect(try swift(source, "--output", "\(number)") == .silentSuccess)
            texts.append(
                try names("\(number)").map { name in
                    try workspace.contents("\(number)/\(name)")
                        .replacing(#/task-model\.[a-z]+/#, with: "MODEL")
                })
        }
        #expect(texts[1] == texts[0])
        #expect(texts[2] == texts[0])
    }

    @Test func failuresHaveTheirOwnExitStatus() throws {
        #expect(try swift("none.yaml", "--output", "a").status == 66)
        try workspace.write("model: 1\nentitys: {}\n", to: "pipelines/broken.yaml")
        #expect(try swift("pipelines/broken.yaml", "--output", "a").status == 78)
        #expect(try swift("pipelines/task-model.yaml").status == 64)
        #expect(
            try swift("pipelines/task-model.yaml", "--output", "a", "--mode", "none").status == 64)
        try workspace.write("// mine\n", to: "App/Task.swift")
        let result = try swift("pipelines/task-model.yaml", "--output", "App")
        #expect(result.status == 73)
        #expect(
            result.standardError.contains(
                "error: The file was not generated from this model [file.exists]"))
        #expect(try names("App") == ["Task.swift"])
        #expect(
            try swift("pipelines/task-model.yaml", "--output", "App", "--force") == .silentSuccess)
        try workspace.write(
            "model: 1\nversion: v\nentities: { Row: { attributes: { a: String } } }\n",
            to: "row.yaml")
        #expect(try swift("row.yaml", "--output", "b").status == 78)
    }
}
