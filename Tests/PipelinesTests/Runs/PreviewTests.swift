import Diagnostics
import Foundation
import Synchronization
import Testing

@testable import Pipelines

@Suite("Previews") struct PreviewTests {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id:    { type: String, optional: false }
              title: String
              size:  Integer 32
              due:   Date
              price: Decimal
              meta:  Transformable
              uid:   UUID
              data:  Binary
              done:  Boolean
            relationships:
              owner: { to: Person, inverse: tasks }
              tags:  { to: Tag, many: true, inverse: tasks }
              items: { to: Item, many: true, inverse: task }
            unique: [[id]]
          Person:
            attributes: { email: { type: String, optional: false }, org: String }
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
            unique: [[email, org]]
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
          Item:
            attributes: { sku: { type: String, optional: false }, qty: Integer 32 }
            relationships:
              task: { to: Task, inverse: items }
            unique: [[sku]]
        """

    let folder: Workspace

    init() throws {
        folder = try Workspace()
        try folder.write("model.yaml", Self.model)
    }

    struct Seen {
        var outcome: Preview.Outcome
        /// The lines, without the stage and the file at the beginning of each.
        var lines: [String]
        /// The printed messages, and then the errors, without fixes.
        var words: [String]
    }

    func preview(
        _ stages: String, store: String = "{ at: s.sqlite, model: model.yaml }",
        top: String = "", sets: [String] = [], only: String? = nil, limit: Int = 10,
        triedMax: Int = 10_000
    ) throws -> Seen {
        try folder.write("spec.yaml", "etl: 1\nstore: \(store)\n\(top)\nstages:\n\(stages)\n")
        let before = folder.names()
        let told = Mutex<[Diagnostic]>([])
        let outcome = Preview(
            ParameterValues.Context(
                sets: sets, environment: [:], now: Workspace.now, workingFolder: "/"),
            only: only, limit: limit, to: folder.path("lines"), triedMax: triedMax,
            emit: { one in told.withLock { $0.append(one) } }
        ).run(folder.path("spec.yaml"))
        var text = ""
        if folder.exists("lines") { text = try folder.text("lines") }
        // No other file is written.
        #expect(Set(folder.names()).subtracting(["lines"]) == Set(before).subtracting(["lines"]))
        return Seen(
            outcome: outcome, lines: text.split(separator: "\n").map(String.init),
            words: (told.withLock { $0 } + outcome.errors).map { diagnostic in
                let lines = DiagnosticRenderer.text(diagnostic).split(separator: "\n")
                return (lines.first.map(String.init) ?? "")
                    .replacingOccurrences(of: folder.folder + "/", with: "")
            })
    }

    @Test("shows objects like exports, links as keys, and nested objects completely")
    func values() throws {
        try folder.write(
            "t.ndjson",
            #"""
            {"id":"T1","title":"a \"q\"","due":"2026-01-02","price":1.50,"meta":{"a":[1, 2]},"uid":"7d444840-9dc0-11d1-b245-5ffdce74fad2","data":"aGk=","done":"yes","owner":{"email":"a@b.c","org":"X"},"tags":["home","new"],"items":[{"sku":"s1","qty":2},{"sku":"s2"}]}
            {"id":"T2","size":3,"title":null,"owner":null,"tags":null,"items":null}
            """#)
        let seen = try preview(
            """
            - import: tasks
              read: { files: t.ndjson }
              into: Task
              set: { title: { expr: "coalesce(title, 'Untitled')" } }
              link:
                owner: { by: { email: owner.email, org: owner.org } }
                tags: { by: { name: "tags[*]" } }
                items: { each: "items[*]", into: Item, key: sku }
            """)
        let head = #"{"stage":"tasks","file":"\#(folder.path("t.ndjson"))","record":"#
        #expect(
            seen.lines == [
                head
                    + #"1,"into":"Task","object":{"title":"a \"q\"","id":"T1","due":"2026-01-02T00:00:00Z","price":1.5,"meta":{"a":[1, 2]},"uid":"7D444840-9DC0-11D1-B245-5FFDCE74FAD2","data":"aGk=","done":true,"owner":{"by":{"email":"a@b.c","org":"X"}},"tags":[{"by":{"name":"home"}},{"by":{"name":"new"}}],"items":[{"sku":"s1","qty":2},{"sku":"s2"}]}}"#,
                head
                    + #"2,"into":"Task","object":{"title":"Untitled","id":"T2","size":3,"owner":null,"tags":[],"items":[]}}"#,
            ])
        #expect(seen.words == [])
        #expect(seen.outcome.status == .ok)
    }

    @Test("reports rejects and paths that no record has, and exits with 0")
    func rejects() throws {
        try folder.write(
            "t.ndjson",
            """
            {"id":"T1","kind":"draft"}
            {"id":"T2","due":"nope"}
            oops
            {"title":"no id"}
            {"id":"T3"}
            """)
        let seen = try preview(
            """
            - import: t.ndjson
              into: Task
              keep-if: "kind != 'draft'"
              set: { title: titel }
            """)
        #expect(seen.lines.count == 1)
        #expect(
            seen.lines.first?.hasSuffix(#""record":5,"into":"Task","object":{"id":"T3"}}"#) == true)
        #expect(
            seen.words == [
                "t.ndjson:2:19: warning: Rejected: 'due' takes an ISO 8601 date such as 2026-11-20 (or"
                    + " say `date:` with its pattern), not 'nope' [cast]",
                "t.ndjson:3:1: warning: Rejected: Only true, false, and null may be unquoted"
                    + " [json.bad-literal]",
                "t.ndjson:4:1: warning: Rejected: The record has no 'id' [key]",
                "spec.yaml:8:17: warning: None of the records that were read has 'titel'. Did you"
                    + " mean 'title'? [import.unmet-path]",
            ])
        #expect(
            seen.outcome.stages == [
                Preview.Stage(name: "import-t", mapped: 1, rejected: 3, filtered: 1)
            ])
        #expect(
            seen.outcome.stages.first?.text == "import-t: 1 record mapped, 3 rejected, 1 filtered")
        #expect(seen.outcome.status == .ok)
    }

    @Test(
        "shows up to the limit of mapped records and of rejects",
        arguments: [(1, 1, 1), (2, 2, 1), (3, 3, 2), (100, 4, 3)])
    func limits(_ limit: Int, _ mapped: Int, _ rejected: Int) throws {
        try folder.write(
            "a.csv", "id,size\n1,x\n2,1\n3,2\n4,y\n5,3\n")
        try folder.write("b.csv", "id,size\n6,4\n7,z\n")
        let seen = try preview(
            "- { import: '*.csv', into: Task }", limit: limit)
        #expect(
            seen.outcome.stages == [
                Preview.Stage(
                    name: "import", mapped: min(mapped, limit), rejected: rejected, filtered: 0)
            ])
    }

    @Test("previews the other imports if one input is missing")
    func missingInput() throws {
        try folder.write("b.csv", "name\nhome\n")
        let seen = try preview(
            """
            - { import: a.csv, into: Task }
            - { import: b.csv, into: Tag }
            - { export: Tag, to: out.csv }
            """)
        #expect(seen.lines.count == 1)
        #expect(seen.words == ["a.csv: error: The file does not exist [input.missing]"])
        #expect(seen.outcome.status == .noInput)
    }

    @Test(
        "previews only the named import",
        arguments: [
            ("tags", 2, Pipelines.ExitStatus.ok, [String]()),
            (
                "tagz", 0, .usage,
                [
                    "error: --stage: spec.yaml has no import 'tagz'. Did you mean 'tags'? [usage.stage]"
                ]
            ),
            (
                "out", 0, .usage,
                [
                    "error: --stage: 'out' is of the kind `export`; only imports map records"
                        + " [usage.stage]"
                ]
            ),
        ])
    func oneStage(
        _ name: String, _ count: Int, _ status: Pipelines.ExitStatus, _ words: [String]
    ) throws {
        try folder.write("b.csv", "name\nhome\nwork\n")
        let seen = try preview(
            """
            - { import: tasks, read: { generate: 3 }, into: Task, set: { id: { expr: "$row" } } }
            - { import: tags, read: { files: b.csv }, into: Tag }
            - { export: out, entity: Tag, to: out.csv }
            """, only: name)
        #expect(seen.lines.count == count)
        #expect(seen.outcome.status == status)
        #expect(seen.words == words)
    }

    @Test("previews generated records with parameters, masked secrets, and the store's own model")
    func sources() throws {
        let made = try folder.run(
            model: Self.model,
            "  - { import: t.ndjson, read: { generate: 1 }, into: Tag, set: { name: { const: a } } }"
        )
        #expect(made.text == "")
        let seen = try preview(
            """
            - import: tasks
              read: { generate: "${rows}" }
              into: Task
              set: { id: { expr: "cast($row, 'String')" }, title: { const: "${word}" } }
            """, store: "{ at: store.sqlite }",
            top: "params: { rows: { type: int }, word: { type: secret, from: ['file:word'] } }",
            sets: ["rows=2"])
        // The secret has no source yet.
        #expect(seen.outcome.status == .configuration)
        #expect(seen.lines == [])
        try folder.write("word", "xyzzy")
        let again = try preview(
            """
            - import: tasks
              read: { generate: "${rows}" }
              into: Task
              set: { id: { expr: "cast($row, 'String')" }, title: { const: "${word}" } }
            """, store: "{ at: store.sqlite }",
            top: "params: { rows: { type: int }, word: { type: secret, from: ['file:word'] } }",
            sets: ["rows=2"])
        #expect(again.words == [])
        #expect(again.lines.count == 2)
        #expect(
            again.lines.last?.hasSuffix(
                #""record":2,"into":"Task","object":{"id":"1","title":"***"}}"#) == true)
    }

    @Test("an invalid spec ends the preview with 78, and a missing store with 66")
    func wrongSpecs() throws {
        let wrong = try preview("- { import: a.csv, into: Tsk }")
        #expect(wrong.outcome.status == .configuration)
        #expect(wrong.words.count == 1)
        let missing = try preview("- { import: a.csv, into: Task }", store: "{ at: no.sqlite }")
        #expect(missing.outcome.status == .noInput)
        #expect(
            missing.words == [
                "error: no.sqlite does not exist; `open: create` makes it when it is missing"
                    + " [store.missing]"
            ])
    }
}
