import Diagnostics
import Foundation
import Testing

@testable import Pipelines

/// The options of a run, and the keys of specs that control how stages run.
@Suite("Options of runs and stages")
struct RunOptionTests {
    static let spec = """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, open: create }
        stages:
          - { import: a.ndjson, into: Task }
          - { update: bump, entity: Task, where: ALL, set: { size: "size + 1" } }
          - { verify: some, expect: { Task: ">= 1", "Task where size == nil": 0 } }
        """
    static let sizes = "SELECT ZID, ZSIZE FROM ZTASK ORDER BY ZID"

    static func filled(_ spec: String = RunOptionTests.spec) throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", InputTests.model)
        try folder.write("spec.yaml", spec)
        try folder.write("a.ndjson", "{\"id\":\"1\",\"size\":1}\n{\"id\":\"2\",\"size\":2}\n")
        return folder
    }

    @Test("--only, --from, and --limit restrict the stages and the records")
    func selections() throws {
        let folder = try Self.filled()
        #expect(try folder.run { $0.only = "import-a" }.stages.map(\.name) == ["import-a"])
        #expect(try folder.run { $0.from = "bump" }.stages.map(\.name) == ["bump", "some"])
        #expect(try folder.rows(Self.sizes) == ["1|2", "2|3"])
        let limited = try folder.run {
            $0.only = "import-a"
            $0.recordsMax = 1
        }
        #expect(
            limited.stages.first?.line().hasPrefix("import import-a: 1 read, 1 updated") == true)
        let unknown = try folder.run { $0.only = "bum" }
        #expect(unknown.status == .usage)
        #expect(
            unknown.diagnostics.first?.fix == "the stages are import-a, bump, some")
        #expect(unknown.diagnostics.first?.message.hasSuffix("Did you mean 'bump'?") == true)
    }

    @Test("once: imports a file again only if it has changed")
    func once() throws {
        let folder = try Self.filled(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: tasks, read: { files: "*.ndjson", once: true }, into: Task }
            """)
        #expect(try folder.run { _ in }.stages.first?.records?.read == 2)
        #expect(try folder.run { _ in }.stages.first?.records?.read == 0)
        try folder.write("b.ndjson", "{\"id\":\"3\",\"size\":3}\n")
        #expect(try folder.run { _ in }.stages.first?.records?.read == 1)
        // The same length as before, but other content.
        try folder.write("b.ndjson", "{\"id\":\"3\",\"size\":4}\n")
        let changed = try folder.run { _ in }
        #expect(changed.stages.first?.records?.updated == 1)
        #expect(try folder.rows(Self.sizes) == ["1|1", "2|2", "3|4"])
    }

    @Test(
        "once and resuming recognize files in other encodings",
        arguments: [("latin1", String.Encoding.isoLatin1), ("utf-16", .utf16)])
    func encodings(_ name: String, _ encoding: String.Encoding) throws {
        let folder = try Workspace()
        let text = try #require("id,title\n1,café\n".data(using: encoding))
        try text.write(to: URL(filePath: folder.path("a.csv")))
        for isOnce in [true, false] {
            let stages = """
                - import: tasks
                  read: { files: "*.csv", encoding: \(name), once: \(isOnce), min-files: 0 }
                  into: Task
                - { update: bump, entity: Task, where: ALL, set: { size: 7 } }
                - { export: Task, to: out/tasks.csv }
                """
            try folder.write("out", "a file, no folder")
            let blocked = try folder.run(model: InputTests.model, stages)
            #expect(blocked.status == .cannotCreate)
            try FileManager.default.removeItem(atPath: folder.path("out"))
            let resumed = try folder.run(model: InputTests.model, stages)
            #expect(resumed.outcome.attempts == 2)
            #expect(resumed.warnings.map(\.severity) == [.note])
            let again = try folder.run(model: InputTests.model, stages)
            #expect(again.outcome.stages.first?.records?.read == (isOnce ? 0 : 1))
            try FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test("once: imports a file again if its import failed")
    func onceAfterFailure() throws {
        let folder = try Self.filled(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: tasks, read: { files: "*.ndjson", once: true }, into: Task }
            """)
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":null}\n")
        #expect(try folder.run { _ in }.status == .dataError)
        #expect(try folder.run { $0.allowedRejects = .count(1) }.stages.first?.records?.read == 2)
        #expect(try folder.run { _ in }.stages.first?.records?.read == 0)
    }

    @Test(
        "min-files ends the run with 66 if there are fewer files",
        arguments: [
            (0, "none", Pipelines.ExitStatus.ok), (1, "none", .noInput), (1, "a", .ok),
            (2, "a", .noInput),
        ])
    func minFiles(_ count: Int, _ name: String, _ status: Pipelines.ExitStatus) throws {
        let folder = try Self.filled(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: tasks
                read: { files: "\(name)*.ndjson", min-files: \(count) }
                into: Task
            """)
        let run = try folder.run { _ in }
        #expect(run.status == status)
        if name == "a", status == .noInput {
            #expect(
                run.diagnostics.first?.message.hasSuffix("`min-files` wants 2") == true)
        }
    }

    @Test("commit: run changes the store only if the run succeeds", arguments: ["run", "stage"])
    func commit(_ mode: String) throws {
        let folder = try Self.filled(
            Self.spec.replacing("open: create", with: "open: create, commit: \(mode)"))
        #expect(try folder.run { _ in }.status == .ok)
        #expect(try folder.rows(Self.sizes) == ["1|2", "2|3"])
        try folder.write("a.ndjson", "{\"id\":\"3\"}\n")
        let failed = try folder.run { _ in }
        #expect(failed.status == .dataError)
        let isWhole = mode == "run"
        #expect(
            try folder.rows(Self.sizes)
                == (isWhole ? ["1|2", "2|3"] : ["1|3", "2|4", "3|NULL"]))
        // If stages commit separately, completed stages are not repeated.
        #expect(try folder.rows(ResumeTests.tables) == [isWhole ? "0" : "1"])
        #expect(
            folder.names().filter { $0.hasPrefix("store") && !$0.hasSuffix("-shm") }
                .filter { !$0.hasSuffix("-wal") } == ["store.sqlite", "store.sqlite.etl-lock"])
    }

    @Test("always: runs a stage although an earlier one failed")
    func always() throws {
        let folder = try Self.filled(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: a.ndjson, into: Task }
              - { verify: none, expect: { Task: "== 0" } }
              - { export: Task, to: never.csv }
              - { export: state, entity: Task, to: always.csv, always: true }
            """)
        let run = try folder.run { _ in }
        #expect(run.status == .dataError)
        #expect(run.stages.map(\.name) == ["import-a", "state"])
        #expect(!folder.exists("never.csv"))
        #expect(try folder.text("always.csv") == "id,size,title\n1,1,\n2,2,\n")
        // The next run resumes with the check.
        #expect(try folder.rows(ResumeTests.tables) == ["1"])
    }

    @Test("rejects.keep deletes the reject folders of old runs")
    func keep() throws {
        let folder = try Self.filled(Self.spec + "\nrejects: { keep: 2d }")
        for name in [
            "spec-20260302T050606Z-1", "spec-20260302T050608Z-1", "other-20200101T000000Z-1",
            "spec-notes",
        ] {
            try folder.write("rejects/\(name)/x", "")
        }
        #expect(try folder.run { _ in }.status == .ok)
        #expect(
            folder.names("rejects") == [
                "other-20200101T000000Z-1", "spec-20260302T050608Z-1", "spec-notes",
            ])
    }

    @Test("limit may be a parameter, and must be a number of objects")
    func limitByParameter() throws {
        let folder = try Workspace()
        try folder.write("a.ndjson", "{\"id\":\"1\"}\n{\"id\":\"2\"}\n{\"id\":\"3\"}\n")
        func run(_ most: String) throws -> Run {
            try folder.run(
                model: InputTests.model,
                """
                  - { import: a.ndjson, into: Task }
                  - { update: bump, entity: Task, where: ALL, limit: "${most}", set: { size: 7 } }
                  - { delete: Task, where: ALL, limit: "${most}" }
                """, top: "params: { most: { type: string, default: \"2\" } }",
                sets: ["most=\(most)"])
        }
        #expect(
            try run("1").lines.dropFirst() == [
                "update bump: 1 matched, 1 updated", "delete delete-task: 1 matched, 1 deleted",
            ])
        #expect(try folder.rows(Self.sizes) == ["2|NULL", "3|NULL"])
        let refused = try run("few")
        #expect(refused.status == .configuration)
        #expect(
            refused.text == """
                spec.yaml:6:54: error: 'limit' is 'few', which is not a valid number of objects [spec.type]
                  in: stages[1].limit
                  stage: spec.yaml:6:5 update bump
                  fix: give a number from 1 to 1000000000
                """)
        #expect(
            try folder.check(
                """
                etl: 1
                store: { at: a.sqlite }
                stages: [{ delete: Task, where: ALL, limit: $most }]
                """
            ).contains(
                "'limit' must be a number of objects, or a parameter such as \"${most}\", not the "
                    + "text '$most' [spec.type]"))
    }

    @Test("update and delete select the oldest `limit` matches, and compact frees pages")
    func limitAndCompact() throws {
        let folder = try Self.filled(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - { import: a.ndjson, into: Task }
              - { update: bump, entity: Task, where: "size < 900", limit: 1, set: { size: 7 } }
              - { delete: Task, where: "size >= 900", limit: 2999, compact: true }
            """)
        var text = "{\"id\":\"1\",\"size\":1}\n{\"id\":\"2\",\"size\":2}\n"
        for number in 900..<3900 {
            text +=
                "{\"id\":\"\(number)\",\"size\":\(number),\"title\":\"a title of some length\"}\n"
        }
        try folder.write("a.ndjson", text)
        let run = try folder.run { _ in }
        #expect(run.status == .ok, "\(run.diagnostics)")
        #expect(try folder.rows(Self.sizes) == ["1|7", "2|2", "3899|3899"])
        // Only the pages of the run's own notes, which are deleted at the end, are free.
        #expect(try Int(folder.rows("PRAGMA freelist_count")[0]) ?? 99 < 5)
    }
}
