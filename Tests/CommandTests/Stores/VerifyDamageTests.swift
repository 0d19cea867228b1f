import Foundation
import Testing

@Suite("Commands on damaged stores") struct VerifyDamageTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.writeSpec()
        try folder.writeTasks(200)
        #expect(try folder.run().status == 0)
        try folder.writeSpec(
            "export.yaml", "- { export: Task, to: \"${out}\", as: ndjson }", open: "existing")
    }

    @Test("text that is not UTF-8 is reported with its object, and no export is written")
    func otherText() throws {
        _ = try folder.shell(
            "sqlite3 store.sqlite \"UPDATE ZTASK SET ZTITLE = CAST(x'4142ff43' AS TEXT)"
                + " WHERE Z_PK = 3\"")
        let found = "Task.title: 1 value is not valid UTF-8 text (object 3)\n"
        let seen = try folder.shell("exec \"$E\" verify store.sqlite")
        #expect(seen.status == 1)
        #expect(seen.output == found)
        let repair = try folder.shell("exec \"$E\" verify store.sqlite --repair new.sqlite")
        #expect(repair.status == 1)
        #expect(repair.output == "wrong: \(found)")
        let text = "Task 3: 'title' is not valid UTF-8 text [store.validation]\n"
        let fix = "  fix: `etl verify STORE` lists the objects with these values; set them again\n"
        for format in ["ndjson", "csv"] {
            let fetched = try folder.shell(
                "exec \"$E\" fetch store.sqlite Task --format \(format)")
            #expect(fetched.status == 65)
            #expect(fetched.errors == "error: \(text)\(fix)")
        }
        let export = try folder.run("--set out=broken.ndjson", spec: "export.yaml")
        #expect(export.status == 65)
        #expect(export.errors.contains(text) && export.errors.contains(fix), "\(export.errors)")
        #expect(!folder.names().contains("broken.ndjson"))
    }

    @Test("74: an import into a store with a too low key counter reports the counter, not a record")
    func lowCounter() throws {
        _ = try folder.shell(
            "sqlite3 store.sqlite \"UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Task'\"")
        try folder.writeTasks(201)
        let result = try folder.run()
        #expect(result.status == 74)
        #expect(
            result.errors.contains(
                "store.sqlite is damaged: Task: a new object would get the primary key of another"
                    + " one, because the counter in Z_PRIMARYKEY is too low [store.corrupt]\n"
                    + "  stage: spec.yaml:10:3 import tasks\n"
                    + "  fix: see `etl verify store.sqlite`; `etl verify store.sqlite --repair NEW`"
                    + " saves what can be read\n"), "\(result.errors)")
        #expect(try folder.shell("exec \"$E\" fetch store.sqlite Task --count").output == "200\n")
    }

    @Test("a damaged page is reported with the store and the repair command")
    func damagedPage() throws {
        _ = try folder.shell("sqlite3 store.sqlite 'PRAGMA wal_checkpoint(TRUNCATE)'")
        let file = URL(fileURLWithPath: "\(folder.path)/store.sqlite")
        var bytes = try Data(contentsOf: file)
        // The leaf page of the table that contains the second task.
        let page = try #require(
            stride(from: 4096, to: bytes.count, by: 4096).first { start in
                bytes[start] == 13
                    && bytes[start..<(start + 4096)].range(of: Data("task 7919".utf8)) != nil
            })
        bytes.replaceSubrange(page..<(page + 8), with: Data(count: 8))
        try bytes.write(to: file)
        let text = "store.sqlite is damaged: database disk image is malformed [store.corrupt]\n"
        let fix =
            "  fix: see `etl verify store.sqlite`; `etl verify store.sqlite --repair NEW` saves what"
            + " can be read\n"
        let fetched = try folder.shell("exec \"$E\" fetch store.sqlite Task --format ndjson")
        #expect(fetched.status == 74)
        #expect(fetched.errors == "error: \(text)\(fix)")
        let export = try folder.run("--set out=broken.ndjson", spec: "export.yaml")
        #expect(export.status == 74)
        #expect(export.errors.contains(text) && export.errors.contains(fix), "\(export.errors)")
        #expect(!folder.names().contains("broken.ndjson"))
    }
}
