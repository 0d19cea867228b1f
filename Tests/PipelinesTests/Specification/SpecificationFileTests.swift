import Diagnostics
import Foundation
import GraphModel
import GraphStore
import RecordStreams
import TestSeeds
import Testing

@testable import Pipelines

@Suite("Spec file") struct SpecificationFileTests {
    @Test func readsTheShortForm() throws {
        let text = """
            etl: 1
            name: seed-tasks
            store: { at: tasks.sqlite, model: task-model.yaml, open: create }
            stages:
              - import: tasks.ndjson.gz
                into: Task
                key: id
              - export: Task
                to: out/tasks.csv
            """
        let (found, diagnostics) = SpecificationFile.read(text: text, file: "pipelines/seed.yaml")
        #expect(SpecificationTesting.text(diagnostics) == "")
        let spec = try #require(found)
        #expect(spec.name == "seed-tasks")
        #expect(spec.folder == "pipelines")
        #expect(spec.store.at.constant == "tasks.sqlite")
        #expect(spec.store.open == .create)
        #expect(spec.budget.saveEvery == 10_000)
        #expect(spec.rejects.folder.constant == "./rejects")
        #expect(spec.rejects.allow == .count(0))
        #expect(spec.rejects.abort == .count(1000))
        #expect(spec.stages.map(\.name) == ["import-tasks", "export-task"])
        #expect(spec.stages.map(\.kind.word) == ["import", "export"])
        guard let importSpec = spec.stages[0].kind as? ImportSpec,
            let exportSpec = spec.stages[1].kind as? ExportSpec
        else {
            Issue.record("the stages are of other kinds")
            return
        }
        #expect(importSpec.read.files.map(\.text) == ["tasks.ndjson.gz"])
        #expect(importSpec.into.text == "Task")
        #expect(importSpec.key.map(\.text) == ["id"])
        #expect(importSpec.read.nulls == [""])
        #expect(importSpec.read.quote == UInt8(ascii: "\""))
        #expect(exportSpec.entity.text == "Task")
        #expect(exportSpec.format == .csv)
        #expect(!exportSpec.isCompressed)
        #expect(exportSpec.fields == nil)
        #expect(
            spec.stages[1].reportLocation
                == StagePlace(
                    kind: "export", name: "export-task",
                    location: SourceLocation(
                        file: "pipelines/seed.yaml", line: 8, column: 5, keyPath: "stages[1]")))
        #expect(
            spec.stages[1].reportLocation.text == "pipelines/seed.yaml:8:5 export export-task")
    }

    @Test func readsTheLongForm() throws {
        let text = """
            etl: 1
            name: nightly-tasks
            params:
              inbox:  { type: path, default: ./in }
              cutoff: { type: date, default: "today - 90d" }
              token:  { type: secret, from: ["file:/run/secrets/tasks", "env:TASKS_TOKEN"] }
            store: { at: ./Tasks.sqlite }
            budget: { save-every: 500 }
            rejects: { dir: ./bad, allow: 2%, abort: 50 }
            stages:
              - import: people
                read: { files: "${inbox}/people-*.csv.gz", null: ["", NULL, ~], delimiter: ";" }
                into: Person
                key: [email]
                set:
                  email:  { from: Email, need: true }
                  name:   Full Name
                  joined: { from: Joined, date: "yyyy-MM-dd" }
              - import: tasks
                read: { files: ["${inbox}/a.json", b.json], as: json, at: "$.items[*]" }
                into: Task
                keep-if: "kind != 'draft'"
                duplicates: first
                set-only: true
                set:
                  id: { need: true }
                  source: { const: "run ${run.id}" }
                  isCompleted: { from: status, map: { done: true, open: false } }
                link:
                  owner: { to: Person, by: { email: owner.email }, missing: reject }
                  tags: { by: { name: { from: tags, split: "|" } }, missing: null, many: add }
              - update: escalate
                entity: Task
                where: "isCompleted == NO AND dueDate < $now"
                set: { priority: "priority + 1", isUrgent: true, note: null, points: 1.50 }
              - delete: old-done
                entity: Task
                where: "completedAt < $cutoff"
                at-most: 50000
              - delete: Tag
                where: ALL
              - export: snapshot
                entity: Task
                fields: [id, owner.email]
                order: [createdAt desc, id]
                level: 9
                to: "./out/tasks-${run.date}.ndjson.gz"
            """
        let (found, diagnostics) = SpecificationFile.read(text: text, file: "nightly.yaml")
        #expect(SpecificationTesting.text(diagnostics) == "")
        let spec = try #require(found)
        #expect(
            spec.stages.map(\.name) == [
                "people", "tasks", "escalate", "old-done", "delete-tag", "snapshot",
            ])
        #expect(spec.budget.saveEvery == 500)
        #expect(spec.rejects.allow == .percent(2))
        #expect(spec.rejects.allow.allowed(of: 149) == 2)
        #expect(
            spec.parameters.map(\.sources) == [
                [], [], [.file("/run/secrets/tasks"), .environment("TASKS_TOKEN")],
            ])
        guard let people = spec.stages[0].kind as? ImportSpec,
            let tasks = spec.stages[1].kind as? ImportSpec,
            let update = spec.stages[2].kind as? UpdateSpec,
            let old = spec.stages[3].kind as? DeleteSpec,
            let tags = spec.stages[4].kind as? DeleteSpec,
            let export = spec.stages[5].kind as? ExportSpec
        else {
            Issue.record("the stages are of other kinds")
            return
        }
        #expect(
            people.read.files[0].parts == [.parameter("inbox"), .literal("/people-*.csv.gz")])
        #expect(people.read.nulls == ["", "NULL", "~"])
        #expect(people.read.delimiter == [UInt8(ascii: ";")])
        #expect(fields(people).map(\.source.text) == ["Email", "Full Name", "Joined"])
        #expect(fields(people).map(\.isNeeded) == [true, false, false])
        #expect(fields(people)[2].datePattern?.text == "yyyy-MM-dd")
        #expect(tasks.read.format == .json)
        #expect(tasks.read.arrayPath == "$.items[*]")
        #expect(tasks.keepIf?.text == "kind != 'draft'")
        #expect(tasks.duplicates == .first)
        #expect(tasks.isSetOnly)
        #expect(fields(tasks)[0].source.text == "id")
        #expect(fields(tasks)[1].map?.map(\.to) == [.boolean(true), .boolean(false)])
        #expect(tasks.link.map(\.by[0].property.text) == ["email", "name"])
        #expect(tasks.link[1].by[0].fields.map(\.separator?.text) == ["|"])
        #expect(tasks.link[1].many == .add)
        #expect(tasks.link[1].missing == .null)
        #expect(
            update.set.map(\.value) == [
                .expression(
                    ExpressionText(
                        text: "priority + 1",
                        location: SourceLocation(
                            file: "nightly.yaml", line: 35, column: 22,
                            keyPath: "stages[2].set.priority"))),
                .constant(.boolean(true)), .constant(.null), .constant(.real(1.5, text: "1.50")),
            ])
        #expect(old.extent.atMost == .count(50_000))
        #expect(tags.selection == .all)
        #expect(tags.entity.text == "Tag")
        #expect(export.selection == .all)
        #expect(export.format == .ndjson)
        #expect(export.isCompressed)
        #expect(export.level == 9)
        #expect(export.fields?.map(\.text) == ["id", "owner.email"])
        #expect(export.order.map(\.key.keyPath) == [["createdAt"], ["id"]])
        #expect(export.order.map(\.key.isAscending) == [false, true])
    }

    private func fields(_ spec: ImportSpec) -> [FieldMapping] {
        spec.set.compactMap { mapping in
            guard case .field(let field) = mapping.origin else { return nil }
            return field
        }
    }

    @Test(arguments: [
        ("pipelines/seed_Tasks.v2.yaml", "seed-tasks"), ("nightly.yaml", "nightly"),
        ("/a/Ü.yaml", "pipeline"), ("-", "pipeline"),
    ])
    func takesTheNameFromTheFile(file: String, name: String) {
        #expect(PipelineSpec.name(fromFile: file) == name)
    }

    @Test func numbersUnnamedStagesWithTheSameName() throws {
        let stages = try SpecificationTesting.stages(
            """
              - delete: Task
                where: ALL
              - delete: Task
                where: ALL
              - import: "*.csv"
                into: Task
            """)
        #expect(stages.map(\.name) == ["delete-task", "delete-task-2", "import"])
    }

    @Test func readsTheModelNextToTheSpec() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "spec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = "model: 1\nentities: { Task: { attributes: { id: Strin }, unique: [[id]] } }\n"
        try Data(model.utf8).write(to: folder.appendingPathComponent("model.yaml"))
        let spec = """
            etl: 1
            params: { which: { type: string, default: model } }
            store: { at: a.sqlite, model: "${which}.yaml" }
            stages: [{ import: a.csv, into: Tsk }]
            """
        let file = folder.appendingPathComponent("spec.yaml")
        try Data(spec.utf8).write(to: file)
        func check(_ sets: [String]) -> String {
            let found = SpecificationFile.check(
                file: file.path, SpecificationTesting.context(sets))
            return SpecificationTesting.text(found.diagnostics)
                .replacingOccurrences(of: folder.path, with: "FOLDER")
        }
        #expect(
            check([]) == """
                FOLDER/model.yaml:2:39: error: 'Strin' is not an attribute type. Did you mean \
                'String'? [model.attribute-type]
                  in: entities.Task.attributes.id
                  fix: use Integer 16, Integer 32, Integer 64, Decimal, Double, Float, String, \
                Boolean, Date, Binary, UUID, URI, Transformable, or Composite
                FOLDER/spec.yaml:4:33: error: The model has no entity 'Tsk'. Did you mean \
                'Task'? [spec.unknown-entity]
                  in: stages[0].into
                """)
        try Data(model.replacingOccurrences(of: "Strin", with: "String").utf8)
            .write(to: folder.appendingPathComponent("model.yaml"))
        #expect(
            check([]) == """
                FOLDER/spec.yaml:4:33: error: The model has no entity 'Tsk'. Did you mean 'Task'? \
                [spec.unknown-entity]
                  in: stages[0].into
                """)
        #expect(
            check(["which=other"]) == """
                FOLDER/spec.yaml:3:31: error: The model 'FOLDER/other.yaml' cannot be read: The \
                file does not exist [spec.model]
                  in: store.model
                """)
    }

    @Test func reportsPositionsInAnInlineModel() {
        let text = """
            etl: 1
            store: { at: a.sqlite, model: { entities: { Task: { attributes: { id: UID } } } } }
            stages: [{ import: a.csv, into: Task }]
            """
        #expect(
            SpecificationTesting.problems(text) == """
                a.yaml:2:71: error: 'UID' is not an attribute type. Did you mean 'UUID'? \
                [model.attribute-type]
                  in: store.model.entities.Task.attributes.id
                  fix: use Integer 16, Integer 32, Integer 64, Decimal, Double, Float, String, \
                Boolean, Date, Binary, UUID, URI, Transformable, or Composite
                a.yaml:3:33: error: 'Task' has no uniqueness constraint, so an import cannot \
                distinguish new records from existing ones [spec.no-key]
                  in: stages[0].into
                  fix: add `key:` with the attributes that identify its objects, or \
                `when-found: append`
                """)
    }

    @Test func survivesDamagedFiles() {
        let whole = Array(
            """
            etl: 1
            params: { a: { type: date, default: today - 1d }, b: { type: secret, from: "env:B" } }
            stages:
              - import: x
                read: { files: ["${a}/*.csv", b.csv], columns: [id, title], quote: none }
                into: Task
                set: { id: { need: true }, isCompleted: { from: s, map: { a: true } } }
                link: { owner: { by: { email: x }, missing: create }, tags: { by: { name: y } } }
              - update: u
                entity: Task
                where: "a == 1"
                set: { title: "'x'", priority: 1 }
                at-most: 5%
              - export: Task
                fields: [id, owner.email, tags.name]
                order: [owner.name desc]
                to: out/a-${run.date}.csv
            \(SpecificationTesting.model)
            """.utf8)
        var random = SeededGenerator(seed: 20_260_304)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "'", "\n", " ", "-", "&a ", "*a", "!", "#",
            "$", "${", "|", ">", "\t", "é", "0", "null", "? ", "%", "..", "~", "<<: ", "\u{0}",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
                bytes.replaceSubrange(start..<end, with: piece)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let found = SpecificationFile.check(
                text: text, file: "a.yaml", SpecificationTesting.context())
            let hasErrors = found.diagnostics.contains { $0.severity == .error }
            #expect((found.spec == nil) == hasErrors, "\(text)")
        }
    }
}
