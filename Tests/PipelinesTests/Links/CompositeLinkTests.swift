import Testing

@testable import Pipelines

/// Links to objects whose key has several attributes.
@Suite("Links by several attributes")
struct CompositeLinkTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: String, optional: false } }
            relationships:
              owner: { to: Person, inverse: tasks }
              helpers: { to: Person, many: true, inverse: helps }
            unique: [[id]]
          Person:
            attributes:
              first: { type: String, optional: false }
              last: { type: String, optional: false }
              born: Integer 16
            relationships:
              tasks: { to: Task, many: true, inverse: owner }
              helps: { to: Task, many: true, inverse: helpers }
              boss: { to: Person, inverse: staff }
              staff: { to: Person, many: true, inverse: boss }
            unique: [[last, first]]
        """
    static let people = """
        {"first":"Ada","last":"Byron"}
        {"first":"Ada","last":"Lovelace","boss":{"f":"Bo","l":"Byron"}}
        {"first":"Bo","last":"Byron","boss":{"f":"Ada","l":"Byron"}}
        """
    static let links = """
          link:
            owner: { by: { first: f, last: { from: l, clean: trim } }, missing: MISSING }
            helpers: { by: { last: "h[*].l", first: "h[*].f" }, missing: create }
        """

    private func run(
        _ missing: String, _ tasks: String, allow: Int = 0
    ) throws -> (folder: Workspace, run: Run) {
        let folder = try Workspace()
        try folder.write("people.ndjson", Self.people)
        try folder.write("tasks.ndjson", tasks)
        let run = try folder.run(
            model: Self.model,
            """
            - import: people.ndjson
              into: Person
              link: { boss: { by: { first: boss.f, last: boss.l } } }
            - import: tasks.ndjson
              into: Task
            \(Self.links.replacing("MISSING", with: missing))
            """, top: "rejects: { allow: \(allow) }")
        return (folder, run)
    }

    static func graph(_ folder: Workspace) throws -> [String] {
        let join = try folder.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")[0]
        let columns = try folder.rows("SELECT name FROM pragma_table_info('\(join)') ORDER BY cid")
        let helper = columns.first { $0.contains("HELPERS") } ?? ""
        let task = columns.first { $0.contains("HELPS") } ?? ""
        return try folder.rows(
            """
            SELECT t.ZID, coalesce(p.ZFIRST || ' ' || p.ZLAST, '-'), coalesce((
                SELECT group_concat(n, ',') FROM (
                    SELECT g.ZFIRST || ' ' || g.ZLAST AS n FROM ZPERSON g
                    JOIN \(join) j ON j.\(helper) = g.Z_PK
                    WHERE j.\(task) = t.Z_PK ORDER BY n)), '-')
            FROM ZTASK t LEFT JOIN ZPERSON p ON p.Z_PK = t.ZOWNER ORDER BY t.ZID
            """)
    }

    @Test("all values together identify one object, even one that occurs later in the file")
    func finds() throws {
        let (folder, run) = try run(
            "reject",
            """
            {"id":"1","f":"Ada","l":" Byron ","h":[{"f":"Bo","l":"Byron"},{"f":"Cy","l":"New"}]}
            {"id":"2","f":"Ada","l":"Lovelace","h":[]}
            {"id":"3"}
            {"id":"4","f":null,"l":"","h":[{"f":"Cy","l":"New"},{"f":null},{"f":"Cy","l":"New"}]}
            """)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import-people: 3 read, 3 inserted",
                "import import-tasks: 4 read, 4 inserted, 1 link target created",
            ])
        #expect(
            try Self.graph(folder) == [
                "1|Ada Byron|Bo Byron,Cy New", "2|Ada Lovelace|-", "3|-|-", "4|-|Cy New",
            ])
        #expect(
            try folder.rows(
                """
                SELECT p.ZFIRST || p.ZLAST, b.ZFIRST || b.ZLAST FROM ZPERSON p
                JOIN ZPERSON b ON b.Z_PK = p.ZBOSS ORDER BY 1
                """) == ["AdaLovelace|BoByron", "BoByron|AdaByron"])
        // A second run changes nothing.
        let again = try folder.run(
            """
            etl: 1
            store: { at: store.sqlite }
            stages:
              - import: tasks.ndjson
                into: Task
            \(Self.links.replacing("MISSING", with: "reject").split(separator: "\n")
                .map { "  " + $0 }.joined(separator: "\n"))
            """)
        #expect(again.lines == ["import import-tasks: 4 read, 4 unchanged"])
    }

    @Test(
        "applies the policy for a key of several attributes that no object has",
        arguments: ["create", "null", "reject", "skip"])
    func missing(_ policy: String) throws {
        let (folder, run) = try run(
            policy,
            """
            {"id":"1","f":"Bo","l":"Lovelace"}
            {"id":"2","f":"Bo","l":"Lovelace"}
            """, allow: 2)
        #expect(run.text == "")
        let owner = policy == "create" ? "Bo Lovelace" : "-"
        let rows = ["reject", "skip"].contains(policy) ? [] : ["1|\(owner)|-", "2|\(owner)|-"]
        #expect(try Self.graph(folder) == rows)
        let ends = [
            "create": "2 inserted, 1 link target created",
            "null": "2 inserted, 2 links without an object",
            "reject": "2 rejected", "skip": "2 skipped",
        ]
        #expect(run.lines.last == "import import-tasks: 2 read, \(ends[policy] ?? "")")
        let reason = "link l: No Person has last 'Lovelace' and first 'Bo' (for 'owner')"
        #expect(try folder.reasons() == (policy == "reject" ? [reason, reason] : []))
    }

    @Test("a key is null if any part of it is null")
    func partial() throws {
        let (folder, run) = try run(
            "reject",
            """
            {"id":"1","f":"Bo"}
            {"id":"2","f":"Ada","l":"Byron","h":[{"f":"Bo"},{"f":"Bo","l":"Byron"}]}
            """)
        #expect(run.text == "")
        #expect(try Self.graph(folder) == ["1|-|-", "2|Ada Byron|Bo Byron"])
        // If a part is absent, the link is unchanged; if a part is null, the link is cleared.
        for (tasks, owner) in [
            (#"{"id":"2","f":"Ada"}"#, "Ada Byron"), (#"{"id":"2","f":"Ada","l":null}"#, "-"),
        ] {
            try folder.write("tasks.ndjson", tasks)
            let again = try folder.run(
                model: Self.model,
                "- import: tasks.ndjson\n  into: Task\n"
                    + Self.links.replacing("MISSING", with: "reject"))
            #expect(again.text == "")
            #expect(try Self.graph(folder) == ["1|-|-", "2|\(owner)|Bo Byron"])
        }
    }

    @Test("check reports attributes that are not a key of the other entity")
    func lints() {
        #expect(
            SpecificationTesting.stageProblems(
                """
                  - import: a.ndjson
                    into: Task
                    link:
                      owner: { by: { name: a, email: b } }
                      tags: { by: {} }
                """) == """
                    a.yaml:5:22: note: No uniqueness constraint of 'Person' covers [name, email]; \
                    records whose key several objects share are rejected [spec.link-key]
                      in: stages[0].link.owner.by.name
                    a.yaml:6:19: error: 'by' names no attribute [spec.by]
                      in: stages[0].link.tags.by
                    """)
    }
}
