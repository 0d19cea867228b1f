import Diagnostics
import Foundation
import RecordStreams
import Testing

@testable import Pipelines

/// Tests that specs contain, which must fail for wrong results.
@Suite("Tests of specs")
struct SpecificationTestTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: UUID, optional: false }
              title: String
              due: Date
              cost: Decimal
              size: Integer 32
            relationships:
              owner: { to: Person, inverse: tasks }
              tags: { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Person:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[name]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """
    static let id = "A5F2E1D0-0000-4000-8000-00000000000"

    /// Returns the outcome and the output of tests in flow style.
    static func run(
        _ tests: String, then change: (Workspace) throws -> Void = { _ in }
    ) throws -> (outcome: SpecificationTester.Outcome, text: String) {
        let folder = try Workspace()
        try folder.write("model.yaml", model)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            params:
              in: { type: path }
              token: { type: secret, from: ["env:NOWHERE"] }
              most: { type: int, default: 9 }
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: tasks
                read: { files: "${in}/*.ndjson.gz" }
                into: Task
                keep-if: "kind != 'draft'"
                link:
                  owner: { by: { name: owner }, missing: create }
                  tags: { by: { name: "tags[*]" }, missing: create }
              - import: table
                read: { files: "${in}/table.csv", null: ["", "-"] }
                into: Task
                set: { id: Number, title: Name, due: { from: Due, date: "dd.MM.yyyy" } }
                set-only: true
              - { update: cap, entity: Task, where: "size > $most", set: { size: "$most" } }
              - { export: Task, to: out.csv }
              - { verify: few, expect: { Task: "< 3" } }
            tests:
            \(tests)
            """)
        try change(folder)
        let outcome = SpecificationTester(
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        ).run(folder.path("spec.yaml"))
        #expect(folder.names() == ["model.yaml", "spec.yaml"])
        let text = outcome.diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
        return (outcome, text.replacing(folder.folder + "/", with: ""))
    }

    @Test("filtered records create no object")
    func passes() throws {
        let run = try Self.run(
            """
            - name: drafts are skipped
              given: { tasks: [{ id: T1, kind: draft }] }
              then:  { Task: [], rejects: [] }
            """)
        #expect(run.text == "")
        #expect(run.outcome.status == .ok && run.outcome.passed == 1)
    }

    @Test("compares values by the model's types, links by key, and lists in any order")
    func values() throws {
        let run = try Self.run(
            """
            - name: all kinds
              now: 2026-01-01
              params: { most: 5 }
              given:
                tasks:
                  - { id: \(Self.id.lowercased())1, title: "a \\"b\\"", due: 2026-01-02, size: 7,
                      cost: 12.50, owner: Ann, tags: [y, x] }
                table: [{ Number: \(Self.id)2, Name: "x, \\"y\\"", Due: 03.02.2026 },
                        { Number: \(Self.id)1, Name: "-" }]
              then:
                Task:
                  - { id: \(Self.id)2, title: "x, \\"y\\"", due: 2026-02-03T01:00:00+01:00, tags: [] }
                  - { id: \(Self.id.lowercased())1, title: null, due: null, size: 5.0, cost: 12.5,
                      owner.name: Ann, tags: [x, y] }
                Person: [{ name: Ann, tasks: [\(Self.id.lowercased())1] }]
                Tag: [{ name: x }, { name: y }]
            """)
        #expect(run.text == "")
    }

    @Test("reports each difference between objects with its position in the spec")
    func fails() throws {
        let run = try Self.run(
            """
            - name: wrong
              given:
                tasks:
                  - { id: \(Self.id)1, title: a, size: 1, owner: Ann }
                  - { id: \(Self.id)2, title: b, size: 2 }
                  - { id: x }
              then:
                Task:
                  - { title: a, size: 1 }
                  - { title: b, size: 3 }
                rejects: [key]
            """)
        #expect(run.outcome.status == .check && run.outcome.failed == 1)
        #expect(
            run.text == """
                spec.yaml:33:9: error: 'wrong': Task has 1 of 2 expected objects, and 1 others \
                [test.failed]
                  - expected  {"title": "b", "size": 3}
                  + actual    {"title": "b", "size": 2}
                  in: tests[0].then.Task[1]
                spec.yaml:31:5: error: 'wrong': Person has 1 object, of which `then` lists none \
                [test.failed]
                  + actual    {"name": "Ann"}
                  in: tests[0].then
                spec.yaml:34:5: error: 'wrong': the rejects are not those expected [test.failed]
                  - expected  {"code": "key"}
                  + actual    {"stage": "tasks", "code": "cast", "detail": "cast", "record": 3, \
                "field": "id", "value": "x", "message": "'id' takes a UUID with hyphens, \
                not 'x'"}
                  in: tests[0].then.rejects
                """)
    }

    @Test("matches objects in any order, and finds a match of all of them")
    func matching() throws {
        let run = try Self.run(
            """
            - name: any order
              given:
                tasks: [{ id: \(Self.id)1, title: a, size: 1 }, { id: \(Self.id)2, title: b, size: 1 }]
              then: { Task: [{ size: 1 }, { title: a, size: 1 }], rejects: [] }
            """)
        #expect(run.text == "")
        #expect(
            ObjectMatching.places(of: [[0, 1, 2], [0, 1], [0], [2]]).map { $0 ?? 9 }.sorted()
                == [0, 1, 2, 9])
        #expect(ObjectMatching.places(of: [[0, 1], [0, 2], [0]]) == [1, 2, 0])
    }

    private static let family = """
        model: 1
        entities:
          Person: { attributes: { name: String }, unique: [[name]] }
          Employee: { parent: Person, attributes: { pay: Integer 32 } }
          Boss: { parent: Employee, attributes: { car: String } }
        """

    @Test(
        "objects of subentities match under their own entity or an ancestor",
        arguments: [
            ("Employee: [{ name: a }, { name: b }]", nil),
            ("Person: [{ name: a }, { name: b }]", nil),
            ("Boss: [{ name: b }]", "Employee has 1 object, of which `then` lists none"),
            ("Employee: [{ name: a }]", "Employee has 1 of 1 expected objects, and 1 others"),
        ])
    func subentities(_ then: String, _ message: String?) throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.family)
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages: [{ verify: any, expect: { Person: "> 0" } }]
            tests:
              - name: staff
                given: { Employee: [{ name: a }], Boss: [{ name: b }] }
                then: { \(then) }
            """)
        let outcome = SpecificationTester(
            ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        ).run(folder.path("spec.yaml"))
        let messages = outcome.diagnostics.map(\.message)
        #expect(messages == (message.map { ["'staff': \($0)"] } ?? []))
    }

    @Test("given objects exist before the stages, even if a stage has the entity's name")
    func namesake() throws {
        let run = try Self.run(
            """
            - name: given
              given: { Task: [{ id: \(Self.id)1, size: 20 }] }
              then: { Task: [{ size: 9 }] }
            """
        ) { folder in
            let spec = try folder.text("spec.yaml")
            try folder.write("spec.yaml", spec.replacing("update: cap", with: "update: Task"))
        }
        #expect(run.text == "")
    }

    @Test("paths in a test are relative to the spec, not to the working folder")
    func paths() throws {
        let folder = try Workspace()
        try folder.write("specs/models/model.yaml", Self.model)
        try folder.write(
            "specs/spec.yaml",
            """
            etl: 1
            params: { models: { type: path } }
            store: { at: store.sqlite, model: "${models}/model.yaml", open: create }
            stages: [{ verify: none, expect: { Task: "== 0" } }]
            tests: [{ name: a, params: { models: models }, then: {} }]
            """)
        for workingFolder in [folder.folder, folder.path("specs"), "/"] {
            let outcome = SpecificationTester(
                ParameterValues.Context(now: Workspace.now, workingFolder: workingFolder)
            ).run(folder.path("specs/spec.yaml"))
            #expect(outcome.passed == 1, "\(outcome.diagnostics)")
        }
    }

    @Test("the format or the files decide whether an input is a table, then the table keys")
    func tables() {
        var read = ReadSpec()
        #expect(!read.isTable)
        read.hasHeader = false
        #expect(read.isTable)
        let place = SourceLocation(file: "a.yaml", line: 1, column: 1, keyPath: "")
        read.files = [TemplateText(literal: "a.csv.gz", at: place)]
        read.hasHeader = true
        #expect(read.isTable)
        read.files.append(TemplateText(literal: "b.ndjson", at: place))
        #expect(!read.isTable)
        read.format = .tsv
        #expect(read.isTable)
    }

    @Test("reports tests that cannot run, with the exit status of the cause")
    func unplayable() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.family)
        try folder.write("file", "no folder")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages: [{ verify: any, expect: { Person: "== 0" } }]
            tests: [{ name: a, then: {} }]
            """)
        let context = ParameterValues.Context(now: Workspace.now, workingFolder: folder.folder)
        let tester = SpecificationTester(context, temporaryFolder: folder.path("file"))
        let outcome = tester.run(folder.path("spec.yaml"))
        #expect(outcome.status == .cannotCreate && outcome.failed == 0)
        #expect(outcome.diagnostics.map(\.code) == ["output.folder"])
        // A signal ends the tests, which leave no files.
        let interruption = Interruption()
        interruption.request(signal: 2)
        try FileManager.default.createDirectory(
            atPath: folder.path("tmp"), withIntermediateDirectories: true)
        let stopped = SpecificationTester(
            context, interruption, temporaryFolder: folder.path("tmp")
        ).run(folder.path("spec.yaml"))
        #expect(stopped.status == .interrupted && stopped.passed == 0)
        #expect(folder.names("tmp") == [])
    }

    @Test("a failed stage fails the test unless the test expects the failure")
    func failingStages() throws {
        let given = """
              given:
                Task: [{ id: \(Self.id)1, size: 1 }, { id: \(Self.id)2 }, { id: \(Self.id)3 }]
            """
        let objects = "Task: [{ size: 1 }, { size: null }, { size: null }]"
        let unsaid = try Self.run("- name: many\n\(given)\n  then: { \(objects) }")
        #expect(unsaid.outcome.status == .check)
        #expect(unsaid.text.contains("'many': a stage ended with DATAERR [test.failed]"))
        #expect(unsaid.text.contains("There are 3 of 'Task', and < 3 is expected"))
        let said = try Self.run("- name: many\n\(given)\n  then: { fails: few, \(objects) }")
        #expect(said.text == "")
        let wrongly = try Self.run("- name: none\n  then: { fails: few }")
        #expect(wrongly.text.contains("'none': the stage 'few' did not fail [test.failed]"))
    }

    @Test(
        "an invalid test ends with 78, and the error gives its position",
        arguments: [
            (
                "- { name: a, given: { taks: [] }, then: {} }",
                "'taks' is neither an import of the spec"
            ),
            ("- { name: a, then: { Taks: [] } }", "'Taks' is not an entity of the model. Did you"),
            ("- { name: a, then: { Task: [{ titel: x }] } }", "'Task' has no property 'titel'"),
            ("- { name: a, given: { Task: [{ owner: x }] }, then: {} }", "no attribute 'owner'"),
            ("- { name: a, params: { mst: 1 }, then: {} }", "The spec has no parameter 'mst'"),
            ("- { name: a, now: soon, then: {} }", "'soon' is not a date"),
            ("- { name: a, then: { fails: x } }", "'x' is not a stage of the spec"),
            ("- { name: a }", "The key 'then' is missing"),
            ("- { name: a, then: {}, when: x }", "The key 'when' is unknown here"),
            ("- { name: a, given: { tasks: [1] }, then: {} }", "must be a mapping, one record"),
            ("- { name: a, then: {} }\n- { name: a, then: {} }", "named 'a' already"),
        ])
    func wrong(_ tests: String, _ message: String) throws {
        let run = try Self.run(tests)
        #expect(run.outcome.status == .configuration, "\(run.text)")
        #expect(run.text.contains(message), "\(run.text)")
        #expect(run.text.hasPrefix("spec.yaml:2"), "\(run.text)")
    }
}
