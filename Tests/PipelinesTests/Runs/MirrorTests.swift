import Testing

@testable import Pipelines

/// `mirror`: deletes objects only if a complete read without errors no longer contains them.
@Suite("Mirror")
struct MirrorTests {
    static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id: { type: String, optional: false }
              source: { type: String, default: feed }
              rank: Integer 16
            relationships:
              parts: { to: Part, many: true, inverse: task, delete: cascade }
            unique: [[id]]
          Part:
            attributes: { name: { type: String, optional: false } }
            relationships: { task: { to: Task, inverse: parts } }
            unique: [[name]]
        """

    private static func lines(_ range: ClosedRange<Int>, rank: String = "1") -> String {
        range.map { #"{"id":"\#($0)","rank":\#(rank)}"# }.joined(separator: "\n")
    }

    /// Returns a store with twenty tasks, the last one added by hand with a part, after a mirror
    /// import.
    private func second(
        _ mirror: String, _ lines: String, file: String = "tasks.ndjson", keys: String = ""
    ) throws -> (ids: [String], run: Run, folder: Workspace) {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", Self.lines(1...19))
        try folder.write("hand.ndjson", #"{"id":"20","source":"hand"}"#)
        try folder.write("parts.ndjson", #"{"name":"p","task":"19"}"#)
        let first = try folder.run(
            model: Self.model,
            """
            - { import: tasks.ndjson, into: Task }
            - { import: hand.ndjson, into: Task }
            - { import: parts.ndjson, into: Part, link: { task: { by: { id: task } } } }
            """)
        #expect(first.text == "")
        if file.hasSuffix(".gz") {
            try folder.writeGzip(file, lines)
        } else {
            try folder.write(file, lines)
        }
        let run = try folder.run(
            model: Self.model,
            "- { import: \(file), into: Task, mirror: \(mirror)\(keys) }",
            top: "rejects: { allow: 1 }")
        let ids = try folder.rows("SELECT ZID FROM ZTASK ORDER BY CAST(ZID AS INTEGER)")
        return (ids, run, folder)
    }

    private static let all = (1...20).map(String.init)

    @Test(
        "deletes objects that are in no record, and applies the delete rules",
        arguments: ["a.ndjson", "a.ndjson.gz"])
    func deletes(_ file: String) throws {
        let (ids, run, folder) = try second(
            #"{ where: "source == 'feed'" }"#,
            Self.lines(1...18, rank: "2") + "\n" + Self.lines(30...31),
            file: file)
        #expect(run.text == "")
        #expect(
            run.lines == ["import import-a: 20 read, 2 inserted, 18 updated, 1 deleted"])
        #expect(ids == (1...18).map(String.init) + ["20", "30", "31"])
        #expect(try folder.rows("SELECT count(*) FROM ZPART") == ["0"])
        #expect(
            run.outcome.stages[0].objects == [
                ObjectCounts(entity: "Part", inserted: 0, updated: 0, deleted: 1),
                ObjectCounts(entity: "Task", inserted: 2, updated: 18, deleted: 1),
            ])
    }

    @Test("warns about objects in no record that a deny rule keeps")
    func denies() throws {
        let folder = try Workspace()
        let model = Self.model.replacing("delete: cascade", with: "delete: deny")
        try folder.write("tasks.csv", "id\n1\n2\n3\n")
        try folder.write("parts.csv", "name,task\np,2\n")
        try folder.write("later.csv", "id\n1\n")
        let first = try folder.run(
            model: model,
            """
            - { import: tasks.csv, into: Task }
            - { import: parts.csv, into: Part, link: { task: { by: { id: task } } } }
            """)
        #expect(first.text == "")
        let run = try folder.run(
            model: model,
            "- { import: later.csv, into: Task, mirror: { where: ALL, at-most: 100% } }")
        #expect(run.status == .ok)
        #expect(
            run.lines == [
                "import import-later: 1 read, 1 unchanged, 1 deleted, 1 kept by a deny rule"
            ])
        #expect(run.outcome.stages[0].deniedBy == ["Task.parts": 1])
        #expect(
            run.warningText == """
                warning: 1 of 2 objects of Task that match was kept: `delete: deny` of 'Task.parts' \
                keeps objects that are linked to objects of Part [store.deletion-denied]
                  stage: spec.yaml:5:3 import import-later
                  fix: delete the objects of Part in an earlier stage, or exclude these objects \
                in `where` with `AND parts.@count == 0`
                """)
    }

    @Test("a table can be mirrored, and skipped objects count as named")
    func table() throws {
        let (ids, run, _) = try second(
            "{ where: ALL, at-most: 1 }", "id\n" + (1...19).map { "\($0)\n" }.joined(),
            file: "a.csv", keys: ", when-found: skip")
        #expect(run.text == "")
        #expect(run.lines == ["import import-a: 19 read, 19 skipped, 1 deleted"])
        #expect(ids == (1...19).map(String.init))
    }

    @Test("deletes nothing above at-most, and keeps the imported records")
    func guardHolds() throws {
        let (ids, run, folder) = try second("{ where: ALL }", Self.lines(1...17, rank: "3"))
        #expect(run.status == .dataError)
        #expect(
            run.text == """
                error: 3 of 20 objects of Task are in no record, and at most 10% may be deleted; \
                none was [mirror.refused]
                  stage: spec.yaml:5:3 import import-tasks
                  fix: check that the input is complete, or raise `mirror.at-most`
                """)
        #expect(ids == Self.all)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK WHERE ZRANK = 3") == ["17"])
        let wide = try second("{ where: ALL, at-most: 15% }", Self.lines(1...17))
        #expect(wide.run.text == "")
        #expect(wide.ids == (1...17).map(String.init))
    }

    @Test("a reject prevents the deletion even if it is allowed")
    func rejects() throws {
        let (ids, run, _) = try second(
            "{ where: ALL }", Self.lines(1...19) + "\n" + #"{"id":"40","rank":"x"}"#)
        #expect(run.status == .dataError)
        #expect(
            run.text.hasPrefix(
                "error: 1 of 20 records was rejected, so a missing record cannot be distinguished "
                    + "from a rejected one; nothing was deleted [mirror.refused]"), "\(run.text)")
        #expect(ids == Self.all)
    }

    @Test("keeps the objects of replayed records until the input has them, too")
    func replayed() throws {
        let folder = try Workspace()
        let mirror = "- { import: tasks.ndjson, into: Task, mirror: { where: ALL } }"
        try folder.write("tasks.ndjson", Self.lines(1...20))
        #expect(try folder.run(model: Self.model, mirror).text == "")
        try folder.write(
            "tasks.ndjson", Self.lines(1...18) + "\n" + #"{"id":"19","rank":"x"}"#)
        let refused = try folder.run(model: Self.model, mirror)
        #expect(refused.status == .dataError)
        let rejects = "rejects/\(folder.names("rejects")[0])"
        try folder.write("\(rejects)/import-tasks.tasks.ndjson", #"{"id":"19","rank":5}"# + "\n")
        #expect(ReplayTests.replay(folder, rejects).status == .ok)

        let next = try folder.run(model: Self.model, mirror)
        #expect(next.status == .ok)
        #expect(
            next.warningText.hasSuffix(
                """
                warning: 1 record was imported by a replay, and this stage does not know which \
                objects have them; nothing was deleted [mirror.replayed]
                  stage: spec.yaml:5:3 import import-tasks
                  fix: correct the input, too; the next run reads it from the start, and deletes
                """), "\(next.warningText)")
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["20"])
        #expect(try folder.rows("SELECT ZRANK FROM ZTASK WHERE ZID = '19'") == ["5"])

        // The input without the correction is refused again, and with it, object 20 goes.
        #expect(try folder.run(model: Self.model, mirror).status == .dataError)
        try folder.write("tasks.ndjson", Self.lines(1...19))
        #expect(try folder.run(model: Self.model, mirror).status == .ok)
        #expect(
            try folder.rows("SELECT count(*), max(CAST(ZID AS INTEGER)) FROM ZTASK") == ["19|19"])
    }

    @Test("each run with the same input ends with the same objects and links")
    func createdTargets() throws {
        let folder = try Workspace()
        let model = """
            model: 1
            entities:
              P:
                attributes: { id: { type: Integer 32, optional: false } }
                relationships:
                  up: { to: P, inverse: subs }
                  subs: { to: P, many: true, inverse: up }
                  friends: { to: P, many: true }
                unique: [[id]]
            """
        try folder.write(
            "p.ndjson",
            #"{"id":1,"up":50,"friends":[60,61]}"# + "\n"
                + (2...30).map { #"{"id":\#($0),"up":null,"friends":[]}"# }
                .joined(separator: "\n"))
        for _ in 0..<3 {
            let run = try folder.run(
                model: model,
                """
                - import: p.ndjson
                  into: P
                  link:
                    up: { by: { id: up }, missing: create }
                    friends: { by: { id: "friends[*]" }, missing: create }
                  mirror: { where: ALL }
                """)
            #expect(run.text == "")
            #expect(
                try folder.rows("SELECT count(*), max(ZID) FROM ZP") == ["33|61"])
            #expect(
                try folder.rows(
                    "SELECT u.ZID FROM ZP p JOIN ZP u ON u.Z_PK = p.ZUP WHERE p.ZID = 1")
                    == ["50"])
        }
    }

    @Test("check refuses lists whose objects the mirror would delete")
    func nested() throws {
        let folder = try Workspace()
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              P:
                attributes: { id: { type: Integer 32, optional: false } }
                relationships:
                  subs: { to: P, many: true, inverse: up }
                  up: { to: P, inverse: subs }
                  notes: { to: Note, many: true, inverse: on }
                unique: [[id]]
              Note:
                attributes: { text: { type: String, optional: false } }
                relationships: { on: { to: P, inverse: notes }, seen: { to: P } }
                unique: [[text]]
            """)
        let found = try folder.check(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: p.ndjson
                into: P
                mirror: { where: ALL }
                link:
                  subs: { each: "subs[*]" }
                  notes:
                    each: "notes[*]"
                    link: { seen: { by: { id: seen }, missing: create } }
            """)
        #expect(
            found.contains("'mirror' would delete the objects of this list, which are no records"),
            "\(found)")
        #expect(
            found.contains("'mirror' would delete the objects that this link creates"), "\(found)")
    }

    @Test("a truncated or empty input deletes nothing")
    func incomplete() throws {
        let folder = try Workspace()
        let whole = try folder.writeGzip("a.ndjson.gz", Self.lines(1...20))
        try folder.write("tasks.ndjson", Self.lines(1...20))
        _ = try folder.run(model: Self.model, "- { import: tasks.ndjson, into: Task }")
        let mirror = ", into: Task, mirror: { where: ALL, at-most: 100% } }"
        for length in [whole.count - 4, whole.count / 2] {
            try folder.write("a.ndjson.gz", bytes: Array(whole.prefix(length)))
            let run = try folder.run(model: Self.model, "- { import: a.ndjson.gz" + mirror)
            #expect(run.status == .dataError)
            #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["20"])
        }
        try folder.write("empty.ndjson", "")
        let empty = try folder.run(model: Self.model, "- { import: empty.ndjson" + mirror)
        #expect(
            empty.text == """
                error: The input has no record at all; nothing was deleted [mirror.refused]
                  stage: spec.yaml:5:3 import import-empty
                  fix: check that the input is complete
                """)
        #expect(try folder.rows("SELECT count(*) FROM ZTASK") == ["20"])
    }

    @Test(
        "keeps all indexes if most objects of a large store are deleted",
        arguments: ["create", "create, commit: run", "create, history: { keep: 7d }"])
    func large(_ open: String) throws {
        let folder = try Workspace()
        try folder.write("tasks.ndjson", Self.lines(1...15_000))
        let stage = "- { import: tasks.ndjson, into: Task, mirror: { where: ALL, at-most: 90% } }"
        let first = try folder.run(model: Self.model, stage, open: open)
        #expect(first.text == "")
        let indexes = "SELECT sql FROM sqlite_master WHERE type = 'index' ORDER BY name"
        let before = try folder.rows(indexes)
        #expect(before.count { $0.contains("ON ZTASK") } == 1)
        try folder.write("tasks.ndjson", Self.lines(2_001...6_000, rank: "2"))
        let second = try folder.run(model: Self.model, stage, open: open)
        #expect(second.text == "")
        #expect(try folder.rows(indexes) == before)
        #expect(
            try folder.rows(
                "SELECT count(*), min(CAST(ZID AS INTEGER)), max(CAST(ZID AS INTEGER)), min(ZRANK)"
                    + " FROM ZTASK") == ["4000|2001|6000|2"])
    }
}
