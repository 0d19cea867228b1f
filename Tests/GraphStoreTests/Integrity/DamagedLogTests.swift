import Foundation
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

/// Write-ahead logs with frames that SQLite ignores, because of a damage or as usual.
@Suite("Damaged write-ahead logs") struct DamagedLogTests {
    /// A copy of a store whose log has two transactions.
    private struct LoggedStore {
        let folder: TemporaryFolder
        let path: String
        var log: Data
        /// The last frame of each transaction, counted from 1.
        let first, last: Int
        private let frameSize: Int

        /// Runs two transactions on a store, and copies it before its log is checkpointed.
        init(of store: String, _ one: String, _ two: String) throws {
            folder = try TemporaryFolder()
            path = folder.file("copy.sqlite")
            let writer = try Connection(path: store, mode: .readWrite)
            let pageSize = Int(try writer.integer("PRAGMA page_size") ?? 0)
            frameSize = 24 + pageSize
            try writer.execute("PRAGMA wal_autocheckpoint = 0; BEGIN; \(one); COMMIT")
            first = (StoreFiles.size(store + "-wal") - 32) / frameSize
            try writer.execute("BEGIN; \(two); COMMIT")
            last = (StoreFiles.size(store + "-wal") - 32) / frameSize
            try FileManager.default.copyItem(atPath: store, toPath: path)
            log = try Data(contentsOf: URL(fileURLWithPath: store + "-wal"))
        }

        /// The offset of a frame in the log.
        func place(_ frame: Int) -> Int { 32 + (frame - 1) * frameSize }

        mutating func flip(_ place: Int) { log[place] ^= 0xFF }

        func write() throws { try log.write(to: URL(fileURLWithPath: path + "-wal")) }
    }

    private let store: BreakableStore

    init() throws { store = try BreakableStore() }

    /// The second transaction changes several pages.
    private func logged() throws -> LoggedStore {
        let logged = try LoggedStore(
            of: store.path, "UPDATE ZTASK SET ZTITLE = 'one' WHERE Z_PK = 1",
            "UPDATE ZTASK SET ZTITLE = 'two' WHERE Z_PK = 2; UPDATE ZPASSPORT SET ZNUMBER = 7;"
                + " UPDATE ZTAG SET ZNAME = 'tag' WHERE Z_PK = 1")
        try #require(logged.first >= 1 && logged.last >= logged.first + 2)
        return logged
    }

    private func problems(_ logged: LoggedStore) throws -> [String] {
        try logged.write()
        return try PersistentContainer.verify(at: logged.path, .full).problems
    }

    @Test("verification reports a damaged frame before a commit, and changes nothing")
    func frames() throws {
        let whole = try logged()
        #expect(try problems(whole) == [])
        for frame in [1, whole.first + 1, whole.last] {
            // The page number, a salt, the checksum, and the page.
            for offset in [3, 9, 17, 2_000] {
                var damaged = whole
                damaged.flip(whole.place(frame) + offset)
                let begin = frame == 1 ? 1 : whole.first + 1
                #expect(
                    try problems(damaged) == [
                        "The write-ahead log is damaged in frame \(frame), so SQLite ignores "
                            + "frames \(begin) to \(whole.last), which contain saved changes"
                    ], "frame \(frame), offset \(offset)")
                #expect(
                    FileManager.default.contents(atPath: damaged.path + "-wal") == damaged.log)
            }
        }
    }

    @Test("verification reports a damaged header, other content, and a truncated log")
    func header() throws {
        let whole = try logged()
        var damaged = whole
        damaged.flip(20)
        #expect(
            try problems(damaged) == [
                "The header of the write-ahead log is damaged, so SQLite ignores all of it"
            ])
        damaged.log = Data((0..<9_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        #expect(
            try problems(damaged) == [
                "The write-ahead log does not begin as one does, so SQLite ignores all of it"
            ])
        damaged.log = whole.log.dropLast(100)
        #expect(
            try problems(damaged) == [
                "The write-ahead log is truncated in frame \(whole.last), so SQLite ignores "
                    + "frames \(whole.first + 1) to \(whole.last)"
            ])
    }

    @Test("frames of an earlier log, and of a transaction that was not committed, are normal")
    func normal() throws {
        let whole = try logged()
        // A new log has overwritten the begin of an earlier one, which has other salts.
        var normal = whole
        for frame in whole.first + 1...whole.last {
            normal.flip(whole.place(frame) + 11)
            normal.flip(whole.place(frame) + 15)
        }
        #expect(try problems(normal) == [])
        // The writer was killed before the commit, after a frame or between its header and its page.
        normal.log = whole.log.prefix(whole.place(whole.last))
        #expect(try problems(normal) == [])
        normal.log = whole.log.prefix(whole.place(whole.last) + 24)
        #expect(try problems(normal) == [])
        // A later transaction has overwritten some frames of one that was rolled back.
        normal.log = whole.log.prefix(whole.place(whole.last))
        normal.flip(whole.place(whole.first + 1) + 2_000)
        #expect(try problems(normal) == [])
    }

    @Test("salvage reads the frames after a damaged one, and reports that values may be wrong")
    func salvage() throws {
        var damaged = try logged()
        // Pages with few rows are empty in the middle.
        damaged.flip(damaged.place(damaged.first + 1) + 2_000)
        try damaged.write()
        let new = damaged.folder.file("new.sqlite")
        let salvage = try PersistentContainer.salvage(at: damaged.path, to: new)
        #expect(
            salvage.losses.map(\.message) == [
                "The write-ahead log is damaged in frame \(damaged.first + 1); its changes are read"
                    + " nevertheless, and some values may be wrong"
            ])
        #expect(salvage.remaining == [])
        #expect(
            try lines(
                "SELECT ZTITLE FROM ZTASK ORDER BY Z_PK", on: Connection(path: new, mode: .readOnly)
            ) == ["one", "two", "c"])
        #expect(FileManager.default.contents(atPath: damaged.path + "-wal") == damaged.log)
    }

    @Test("an app's store with a damaged log is neither read nor written")
    func appStore() throws {
        let app = try AppStoreFile()
        var damaged = try LoggedStore(
            of: app.path, "UPDATE ZSHELF SET ZLABEL = 'one'", "UPDATE ZSHELF SET ZLABEL = 'two'")
        damaged.flip(damaged.place(damaged.last) + 2_000)
        try damaged.write()
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: damaged.folder.path).sorted()
        }
        let before = try names()
        let text =
            "\(StoreFiles.resolved(damaged.path))-wal is damaged: The write-ahead log is damaged in frame"
            + " \(damaged.last), so SQLite ignores frames \(damaged.first + 1) to \(damaged.last),"
            + " which contain saved changes"
        var reading = StoreOptions()
        reading.isReadOnly = true
        var writing = StoreOptions()
        writing.appStores = .writing
        for options in [reading, writing] {
            let error = storeError {
                _ = try PersistentContainer(model: nil, .sqlite(at: damaged.path, options: options))
            }
            #expect(error?.code == .corrupt)
            #expect(error?.message == text)
        }
        let locked = storeError {
            _ = try AppStoreLock(at: damaged.path, workPath: damaged.path + ".etl-work")
        }
        #expect(locked?.message == text)
        #expect(try names() == before)
        #expect(FileManager.default.contents(atPath: damaged.path + "-wal") == damaged.log)
    }

    @Test("an app's store is known as one if all its tables are in the damaged log")
    func tablesInTheLog() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("app.sqlite")
        try Connection(path: path, mode: .create).execute("PRAGMA journal_mode = WAL")
        var damaged = try LoggedStore(
            of: path, "CREATE TABLE Z_METADATA (Z_VERSION INTEGER)", "CREATE TABLE ZCARD (Z_PK)")
        damaged.flip(damaged.place(damaged.last) + 2_000)
        try damaged.write()
        #expect(AppStore.isOne(damaged.path))
        #expect(storeError { try StoreFiles.keepDamagedLog(of: damaged.path) }?.code == .corrupt)
        #expect(FileManager.default.contents(atPath: damaged.path + "-wal") == damaged.log)
    }

    @Test("a copy of the damaged log is kept before another store is opened for writing")
    func ownStore() throws {
        var damaged = try logged()
        damaged.flip(damaged.place(damaged.last) + 2_000)
        try damaged.write()
        _ = try PersistentContainer(model: nil, at: damaged.path)
        #expect(
            FileManager.default.contents(atPath: damaged.path + ".damaged-1-wal") == damaged.log)
        #expect(try PersistentContainer.verify(at: damaged.path, .full).problems == [])
        // The same log again is not copied again.
        try damaged.write()
        _ = try PersistentContainer(model: nil, at: damaged.path)
        #expect(!FileManager.default.fileExists(atPath: damaged.path + ".damaged-2-wal"))
    }
}
