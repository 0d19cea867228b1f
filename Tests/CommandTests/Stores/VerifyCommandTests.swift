import Foundation
import Testing

@Suite("etl verify") struct VerifyCommandTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.writeSpec()
        try folder.writeTasks(200)
        #expect(try folder.run().status == 0)
    }

    private func verify(_ arguments: String) throws -> FailureFolder.Result {
        try folder.shell("exec \"$E\" verify \(arguments)")
    }

    private func query(_ sql: String) throws {
        let result = try folder.shell("sqlite3 store.sqlite \"\(sql)\"")
        #expect(result.errors == "")
    }

    @Test("verify of a valid store prints nothing and exits with 0")
    func sound() throws {
        for arguments in [
            "store.sqlite", "store.sqlite --quick", "store.sqlite --model model.yaml",
        ] {
            let seen = try verify(arguments)
            #expect(seen.status == 0)
            #expect(seen.output == "")
            #expect(seen.errors == "")
        }
        #expect(
            try verify("store.sqlite --json").output == """
                {
                  "complete" : true,
                  "findings" : [

                  ],
                  "remarks" : [

                  ],
                  "sound" : true,
                  "store" : "store.sqlite"
                }

                """)
    }

    @Test("verify and check print each warning about the model once")
    func modelWarnings() throws {
        let model = try folder.shell("cat model.yaml").output
        try folder.write(
            "warned.yaml",
            model.replacing(
                "attributes:", with: "attributes:\n      zone: String", maxReplacements: 1))
        try folder.write(
            "warned-spec.yaml",
            """
            etl: 1
            store: { at: warned.sqlite, model: warned.yaml, open: create }
            stages: [{ export: Task, to: out.ndjson }]
            """)
        let warning = "Every object has a member 'zone', which this property hides"
        func counts(_ command: String) throws -> [Int] {
            let seen = try folder.shell("exec \"$E\" \(command)")
            let lines = seen.errors.split(separator: "\n").filter { $0.contains(warning) }
            return [
                Int(seen.status), lines.count { $0.contains(": warning: ") },
                lines.count { $0.contains(": error: ") },
            ]
        }
        #expect(try folder.shell("exec \"$E\" run warned-spec.yaml").status == 0)
        #expect(try counts("check warned-spec.yaml") == [0, 1, 0])
        #expect(try counts("check --strict warned-spec.yaml") == [78, 0, 1])
        #expect(try counts("verify warned.sqlite --model warned.yaml") == [0, 1, 0])
        #expect(
            try counts("verify warned.sqlite --model warned.yaml --repair new.sqlite") == [0, 1, 0])
    }

    @Test("a model instead of a store exits with 64", arguments: ["", " --repair new.sqlite"])
    func model(_ flags: String) throws {
        let seen = try verify("model.yaml" + flags)
        #expect(seen.status == 64)
        #expect(seen.output == "")
        #expect(
            seen.errors == """
                error: model.yaml is a model or a spec, not a store [usage.store]
                  fix: name the store, as in `etl verify STORE --model model.yaml`; `etl model show \
                model.yaml` shows a model, `etl check model.yaml` checks a spec

                """)
    }

    @Test("findings go to stdout as lines or JSON with status 1, and a repaired store is valid")
    func findings() throws {
        try query("UPDATE ZTASK SET ZOWNER = 9999 WHERE Z_PK IN (3, 7)")
        let seen = try verify("store.sqlite")
        #expect(seen.status == 1)
        #expect(seen.output == "Task.owner: 2 links lead nowhere (objects 3, 7)\n")
        #expect(
            seen.errors == """
                `etl verify store.sqlite --repair NEW` recovers what can be read into a new store \
                and repairs what it can; this store stays unchanged

                """)
        #expect(try verify("store.sqlite --quick").status == 0)
        let json = try verify("store.sqlite --json")
        #expect(json.status == 1)
        #expect(
            json.output == """
                {
                  "complete" : true,
                  "findings" : [
                    {
                      "count" : 2,
                      "entity" : "Task",
                      "keys" : [
                        3,
                        7
                      ],
                      "kind" : "dangling",
                      "message" : "Task.owner: 2 links lead nowhere",
                      "property" : "owner"
                    }
                  ],
                  "remarks" : [

                  ],
                  "sound" : false,
                  "store" : "store.sqlite"
                }

                """)
        let before = folder.names()
        let repair = try verify("store.sqlite --repair new.sqlite")
        #expect(repair.status == 1)
        #expect(
            repair.output
                == "lost: Task.owner: 2 links had no destination object, and were removed "
                + "(objects 3, 7)\n"
        )
        #expect(folder.names() == (before + ["new.sqlite"]).sorted())
        #expect(try verify("new.sqlite").status == 0)
        #expect(try verify("new.sqlite --repair newer.sqlite --json").status == 0)
        // The next run works on the recovered store.
        #expect(try folder.run("--set store=new.sqlite --set out=new.csv").status == 0)
        #expect(folder.text("new.csv") == folder.text("out.csv"))
    }

    @Test("names an object once that lacks several links")
    func repeatedKeys() throws {
        try query("DELETE FROM ZTASK WHERE Z_PK IN (3, 8)")
        let objects = "(in 3 objects: 2, 5, 6)\n"
        let seen = try verify("store.sqlite")
        #expect(seen.status == 1)
        #expect(seen.output.contains("Tag.tasks: 4 links lead nowhere (objects 2, 5, 6)\n"))
        let repair = try verify("store.sqlite --repair new.sqlite")
        #expect(repair.status == 1)
        #expect(
            repair.output.contains(
                "lost: Tag.tasks: 4 links had no destination object, and were removed " + objects),
            "\(repair)")
    }

    @Test(
        "a file that never was a store is named, and no repair is offered",
        arguments: [
            ("tasks.ndjson", "The file does not begin as an SQLite file does", "a text file", 74),
            ("empty.db", "The file does not begin as an SQLite file does", "an empty file", 78),
            (
                "other.db", "other.db is an SQLite file, but not a store",
                "an SQLite database of another program, with the table t", 78
            ),
            (
                "bare.db", "bare.db is an SQLite file, but not a store",
                "an SQLite database without tables", 78
            ),
        ])
    func otherFiles(file: String, finding: String, kind: String, status: Int32) throws {
        try folder.write("empty.db", "")
        try folder.shell("sqlite3 other.db 'CREATE TABLE t(a)'")
        try folder.shell("sqlite3 bare.db 'CREATE TABLE t(a); DROP TABLE t'")
        let seen = try verify(file)
        #expect(seen.status == 1)
        #expect(seen.output == finding + "\n")
        #expect(seen.errors == "\(file) is \(kind); name a store\n")
        let repair = try verify("\(file) --repair new.sqlite")
        #expect(repair.status == status)
        #expect(
            repair.errors == """
                error: \(file) is \(kind), not a store [store.not-a-store]
                  fix: name a store

                """)
        #expect(!folder.names().contains("new.sqlite"))
    }

    @Test("fetch and verify report a truncated store, and the repair recovers what is left")
    func truncated() throws {
        try query("PRAGMA wal_checkpoint(TRUNCATE)")
        let pages = try folder.shell("expr $(stat -c %s store.sqlite) / 4096").output
        let count = try #require(Int(pages.trimmingCharacters(in: .whitespacesAndNewlines)))
        try folder.shell("truncate -s \(count / 2 * 4096) store.sqlite")
        let cut = "is truncated: it has \(count / 2) of the \(count) pages that its header names"
        let fetched = try folder.shell("exec \"$E\" fetch store.sqlite Task --count")
        #expect(fetched.status == 74)
        #expect(
            fetched.errors == """
                error: store.sqlite \(cut) [store.corrupt]
                  fix: restore a backup, or recover the readable data with `etl verify STORE \
                --repair NEW`

                """)
        let seen = try verify("store.sqlite")
        #expect(seen.status == 1)
        #expect(seen.output.hasPrefix("The file \(cut)\n"))
        #expect(seen.errors.contains("`etl verify store.sqlite --repair NEW` recovers what"))
        let repair = try verify("store.sqlite --repair new.sqlite")
        #expect(repair.status == 1 && repair.output.hasPrefix("lost: "), "\(repair)")
        #expect(try verify("new.sqlite").status == 0)
    }

    @Test(
        "a folder as the store exits with 78 for every command",
        arguments: [
            "verify .", "fetch . Task", "history .", "verify . --repair new.sqlite",
        ])
    func folderAsStore(_ arguments: String) throws {
        let seen = try folder.shell("exec \"$E\" \(arguments)")
        #expect(seen.status == 78)
        #expect(
            seen.errors
                == "error: . is a folder; name the store's file, an SQLite file [store.not-a-store]\n"
        )
    }

    @Test(
        "a missing or unreadable Z_MODELCACHE is a remark",
        arguments: [
            (
                "DROP TABLE Z_MODELCACHE",
                "Z_MODELCACHE holds no model, so the store does not describe itself"
            ),
            (
                "UPDATE Z_MODELCACHE SET Z_CONTENT = x'414243'",
                "The model in Z_MODELCACHE cannot be read: it does not inflate"
            ),
        ])
    func cache(_ change: String, _ remark: String) throws {
        try query(change)
        let seen = try verify("store.sqlite")
        #expect(seen.output == "remark: \(remark)\n")
        #expect(seen.errors == "")
        #expect(seen.status == 0)
    }

    @Test("a stale Z_MODELCACHE is a remark")
    func staleCache() throws {
        let model = try String(contentsOfFile: folder.path + "/model.yaml", encoding: .utf8)
        try folder.write("other.yaml", model + "\n  Added: { attributes: { id: Integer 32 } }\n")
        try folder.write(
            "other-spec.yaml",
            """
            etl: 1
            store: { at: other.sqlite, model: other.yaml, open: create }
            stages: [{ export: Task, to: out.ndjson }]
            """)
        #expect(try folder.shell("exec \"$E\" run other-spec.yaml").status == 0)
        try query(
            "ATTACH 'other.sqlite' AS o;"
                + " UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM o.Z_MODELCACHE)")
        let seen = try verify("store.sqlite")
        #expect(
            seen.output
                == "remark: The model in Z_MODELCACHE is stale; its hashes are not the store's in: Added\n"
        )
        #expect(seen.status == 0)
    }

    @Test("verify checks a store without a model by its columns, and remarks on it")
    func withoutModel() throws {
        try query(
            "DROP TABLE ETL_MODEL; UPDATE Z_MODELCACHE SET Z_CONTENT = NULL;"
                + " UPDATE ZTASK SET ZOWNER = 9999 WHERE Z_PK = 3")
        let seen = try verify("store.sqlite")
        #expect(seen.status == 0)
        #expect(
            seen.output == """
                remark: The store contains no readable model, so one was inferred from its \
                columns: names are in lowercase, and information that columns do not hold is \
                missing
                remark: Z_MODELCACHE holds no model, so the store does not describe itself

                """)
        #expect(seen.errors == "")
        #expect(try verify("store.sqlite --model model.yaml").status == 1)
    }

    @Test(
        "each wrong use of verify exits with its status",
        arguments: [
            ("none.sqlite", 66), ("none.sqlite --repair a.sqlite", 66),
            ("store.sqlite --repair store.sqlite", 73), ("tasks.ndjson", 1),
            ("tasks.ndjson --repair a.sqlite", 74), ("store.sqlite --quick --repair a.sqlite", 64),
            ("store.sqlite --model none.yaml", 66), ("store.sqlite --repair no/such/a.sqlite", 73),
        ])
    func exits(_ arguments: String, _ status: Int32) throws {
        let seen = try verify(arguments)
        #expect(seen.status == status, "\(seen.output)\(seen.errors)")
    }
}
