import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// Runs that fill an app's empty store, and runs that are killed.
@Suite("Filling apps' stores") struct AppStoreFillTests {
    private let work: AppStoreFolder
    private var outside: TemporaryFolder { work.outside }
    private var store: String { work.store }

    init() throws {
        work = try AppStoreFolder()
    }

    private func spec(_ stages: String, _ keys: String = "") throws -> String {
        let spec = outside.path + "/fill.yaml"
        try """
        etl: 1
        name: fill
        store: { at: \(store)\(keys) }
        stages:
        \(stages)
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        return spec
    }

    private static let books = """
          - import: books
            read: { files: books.ndjson }
            into: Book
            when-found: append
            link:
              author: { by: { name: author } }
              tags: { by: { name: "tags[*]" } }
        """

    private func fill() throws -> ToolResult {
        let spec = try spec(
            """
              - import: authors
                read: { files: authors.ndjson }
                into: Author
              - import: tags
                read: { files: tags.ndjson }
                into: Tag
                mirror: { where: ALL, at-most: 20% }
            \(Self.books)
            """, ", open: { template: \(outside.path)/Empty.sqlite }")
        return try Tool.etl(["run", spec], in: outside.path)
    }

    /// The acceptance test of the format: 10,000 objects are imported into an app's empty store.
    ///
    /// A tenth is updated and a tenth is deleted, every rule of the format holds, and nothing is
    /// done twice.
    @Test func fillsATemplateAndASecondRunChangesNothing() throws {
        let template = outside.path + "/Empty.sqlite"
        try AppStoreFixture.make(at: template, work.model, isEmpty: true)
        let count = 10_000
        func tags(_ numbers: Range<Int>, changed: Int) -> [String] {
            numbers.map {
                #"{"name":"tag \#($0)","isHidden":\#($0 < changed)}"#
            }
        }
        try work.write(
            "authors.ndjson", (0..<50).map { #"{"name":"author \#($0)","rating":\#($0)}"# })
        try work.write("tags.ndjson", tags(0..<count, changed: 0))
        try work.write(
            "books.ndjson",
            (0..<500).map {
                #"{"title":"book \#($0)","author":"author \#($0 % 50)","#
                    + #""tags":["tag \#($0)","tag \#(count - 1 - $0)"]}"#
            })
        #expect(try fill() == .silentSuccess)
        #expect(try work.names() == ["Shelf.sqlite", "Shelf.sqlite.etl-lock"])
        #expect(try Tool.etl(["verify", store]).status == 0)
        try work.expect(
            store, "SELECT count(*), min(ZBOOKCOUNT), max(ZBOOKCOUNT) FROM ZAUTHOR", ["50|10|10"])
        #expect(
            try work.frame(of: store, withUUID: false)
                == work.frame(of: template, withUUID: false),
            "all but the UUID is the template's")
        // One tenth is changed, and another tenth is no longer in the input.
        try work.write("tags.ndjson", tags(0..<(count - count / 10), changed: count / 10))
        try work.write("books.ndjson", [])
        #expect(try fill() == .silentSuccess)
        try work.expect(
            store,
            "SELECT count(*), sum(Z_OPT), sum(ZISHIDDEN), max(Z_PK) FROM ZTAG",
            ["9000|10500|1000|9000"])
        try work.expect(store, "SELECT count(*) FROM Z_8ITEMS", ["500"])
        try work.expect(store, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'", ["10000"])
        let verified = try Tool.etl(["verify", store])
        #expect(verified.status == 0, "\(verified.standardOutput)")
        let history = try Tool.etl(["history", store])
        #expect(history.status == 0)
        func changes(_ kind: String, _ entity: String) -> Int {
            history.standardOutput.split(separator: "\n").count {
                $0.contains(#""change":"\#(kind)""#) && $0.contains(#""entity":"\#(entity)""#)
            }
        }
        #expect(changes("insert", "Tag") == count)
        // The changed tags, and the tags to which the books link.
        #expect(changes("update", "Tag") == count / 10 + 1000)
        #expect(changes("delete", "Tag") == count / 10)
        #expect(changes("insert", "Book") == 500)
        // The app's triggers have counted each author's books.
        #expect(changes("update", "Author") == 50)
        let after = try Data(contentsOf: URL(fileURLWithPath: store))
        #expect(try fill() == .silentSuccess)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == after)
        #expect(
            try work.names() == ["Shelf.sqlite", "Shelf.sqlite.bak-v1", "Shelf.sqlite.etl-lock"])
    }

    /// The notes of a run are stored in the working copy, from which the next run resumes.
    @Test func resumesAStoppedRunInItsWorkingCopy() throws {
        try AppStoreFixture.make(at: store, work.model)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        // More than a second's work on any machine.
        let count = 200_000
        try work.write("books.ndjson", (0..<count).map { #"{"title":"film \#($0)"}"# })
        let spec = outside.path + "/stopped.yaml"
        try """
        etl: 1
        name: stopped
        store: { at: \(store) }
        budget: { save-every: 100 }
        stages:
          - { import: books, read: { files: books.ndjson }, into: Film, when-found: append }
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        let stopped = try Tool.etl(["run", spec, "--timeout", "1s"], in: outside.path)
        #expect(stopped.status == 75, "\(stopped)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
        let status = try Tool.etl(["status", spec], in: outside.path)
        #expect(status.standardOutput.contains("to complete"), "\(status)")
        let resumed = try Tool.etl(["run", spec, "-v"], in: outside.path)
        #expect(resumed.status == 0)
        #expect(resumed.standardError.contains("Resumes the run"), "\(resumed)")
        try work.expect(
            store, "SELECT count(*), max(Z_PK) FROM ZITEM", ["\(5 + count)|\(9 + count)"])
        try work.expect(store, "SELECT name FROM sqlite_master WHERE name LIKE 'ETL%'", [])
    }

    private func fileNumber() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: store)[.systemFileNumber] as? Int
    }

    /// The store contains no notes, so another file next to it records that the run is done.
    @Test func runKilledAfterReplacingTheStoreIsNotRepeated() throws {
        try AppStoreFixture.make(at: store, work.model)
        try work.write(
            "books.ndjson", (0..<100).map { #"{"title":"book \#($0)","author":"Ursula"}"# })
        let spec = try spec(Self.books)
        let before = try fileNumber()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Tool.etlPath)
        process.arguments = ["run", spec]
        process.currentDirectoryURL = URL(fileURLWithPath: outside.path)
        try process.run()
        while process.isRunning, try fileNumber() == before {}
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "it was too quick to be killed")
        #expect(try work.names().contains("Shelf.sqlite.etl-done"))
        let after = try Data(contentsOf: URL(fileURLWithPath: store))
        let completed = try Tool.etl(["run", spec, "-v"], in: outside.path)
        #expect(completed.status == 0)
        #expect(completed.standardError.contains("1 stage done"), "\(completed)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == after)
        try work.expect(store, "SELECT count(*) FROM ZITEM", ["105"])
        #expect(
            try work.names().filter { $0.hasPrefix("Shelf.sqlite.etl-") } == [
                "Shelf.sqlite.etl-lock"
            ])
        // The next run is a new one, and appends again.
        let next = try Tool.etl(["run", spec], in: outside.path)
        #expect(next.status == 0, "\(next.standardError)")
        try work.expect(store, "SELECT count(*) FROM ZITEM", ["205"])
    }

    /// The list of imported files is stored next to the store.
    @Test func filesAreImportedOnce() throws {
        try AppStoreFixture.make(at: store, work.model)
        try work.write("books-1.ndjson", [#"{"title":"one"}"#])
        let spec = try spec(
            """
              - import: books
                read: { files: "books-*.ndjson", once: true }
                into: Book
                when-found: append
            """)
        for count in [6, 6, 7, 7] {
            if count == 7 { try work.write("books-2.ndjson", [#"{"title":"two"}"#]) }
            #expect(try Tool.etl(["run", spec], in: outside.path) == .silentSuccess)
            try work.expect(store, "SELECT count(*) FROM ZITEM", ["\(count)"])
        }
        try work.expect(store, "SELECT name FROM sqlite_master WHERE name LIKE 'ETL%'", [])
        #expect(
            try work.names().filter { $0.hasPrefix("Shelf.") } == [
                "Shelf.sqlite", "Shelf.sqlite.bak-v1", "Shelf.sqlite.bak-v2",
                "Shelf.sqlite.etl", "Shelf.sqlite.etl-lock",
            ])
        // That list does not apply to another store of the same name.
        _ = try Tool.run("sqlite3", [store, "UPDATE Z_METADATA SET Z_UUID = 'other'"])
        #expect(try Tool.etl(["run", spec], in: outside.path) == .silentSuccess)
        try work.expect(store, "SELECT count(*) FROM ZITEM", ["9"])
    }

    private static func withoutTags(_ text: String) -> String {
        text.split(separator: "\n").filter { !$0.hasPrefix("Tag.items") }.map { $0 + "\n" }.joined()
    }

    @Test func replayIsNotRepeatedAfterItReplacedTheStore() throws {
        try AppStoreFixture.make(at: store, work.model)
        try work.write("films.ndjson", [#"{"title":"one"}"#, #"{"name":"two"}"#])
        // A run on a link to the store also resumes its own work.
        let link = outside.path + "/link.sqlite"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: store)
        let spec = outside.path + "/replayed.yaml"
        try """
        etl: 1
        name: replayed
        store: { at: \(link) }
        rejects: { allow: 1 }
        stages:
          - { import: films, read: { files: films.ndjson }, into: Film, set: { title: title }, when-found: append }
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        let run = try Tool.etl(["run", spec, "-q"], in: outside.path)
        #expect(run.status == 0, "\(run)")
        try work.expect(store, "SELECT count(*) FROM ZITEM", ["6"])
        let rejects = outside.path + "/rejects"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: rejects).first)
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: rejects + "/" + name).first {
                $0.hasSuffix(".ndjson") && !$0.contains(".why.")
            })
        try #"{"title":"two"}"#.write(
            toFile: "\(rejects)/\(name)/\(file)", atomically: true, encoding: .utf8)
        for count in ["7", "7"] {
            let replay = try Tool.etl(["replay", name], in: outside.path)
            #expect(replay.status == 0, "\(replay)")
            try work.expect(store, "SELECT count(*) FROM ZITEM", [count])
        }
        #expect(!FileManager.default.fileExists(atPath: "\(rejects)/\(name)/\(file)"))
        #expect(try work.names().filter { $0.contains(".etl-") } == ["Shelf.sqlite.etl-lock"])
    }

    /// Records without a key would be imported twice if a run did not know what the previous run
    /// had done.
    @Test(.tags(.slow)) func aKilledRunLeavesTheOldStoreOrTheNewOne() throws {
        try AppStoreFixture.make(at: store, work.model)
        let count = 3_000
        try work.write(
            "books.ndjson", (0..<count).map { #"{"title":"book \#($0)","author":"Ursula"}"# })
        let spec = try spec(Self.books, ", author: killed")
        let faults = try Tool.etl(["verify", store]).standardOutput
        var statuses: [Int32] = []
        var isDone = false
        for step in 1...40 where !isDone {
            let result = try Tool.run(
                "timeout",
                ["-s", "KILL", "\(Double(step) * 0.15)", Tool.etlPath, "run", spec, "-q"],
                in: outside.path)
            statuses.append(result.status)
            let rows = try Tool.sqlite(store, "SELECT count(*) FROM ZITEM")
            #expect(rows == ["5"] || rows == ["\(5 + count)"])
            let found = try Tool.etl(["verify", store]).standardOutput
            // The new rows include the primary key to which a dangling link of the app pointed.
            let expected = rows == ["5"] ? faults : Self.withoutTags(faults)
            #expect(found == expected, "\(step)")
            // If the run is killed at its very end, it is done, and the next run would be a new
            // one.
            isDone = try rows != ["5"] && !work.names().contains("Shelf.sqlite.etl-done")
        }
        #expect(isDone && statuses.count > 1, "\(statuses)")
        try work.expect(store, "SELECT count(*) FROM ZITEM", ["\(5 + count)"])
        try work.expect(
            store, "SELECT ZBOOKCOUNT FROM ZAUTHOR WHERE ZNAME = 'Ursula'", ["\(2 + count)"])
        #expect(
            try work.names().filter { $0.hasPrefix("Shelf.sqlite.etl-") } == [
                "Shelf.sqlite.etl-lock"
            ])
    }
}
