import SQLite
import Testing

@Suite("Page cache") struct PageCacheTests {
    @Test("reports written pages as a fraction of the cache, and counts each page once")
    func fractionWritten() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(path: folder.file("a.sqlite"), mode: .create)
        try connection.execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL")
        try connection.execute("CREATE TABLE t (a); PRAGMA cache_size = -400")
        _ = try connection.takeCacheFractionWritten()
        // Each row takes five pages.
        try connection.execute("INSERT INTO t VALUES (zeroblob(20000))")
        #expect(abs(try connection.takeCacheFractionWritten() - 0.06) < 0.015)
        #expect(try connection.takeCacheFractionWritten() == 0)
        // Pages that do not fit in the cache are written before the transaction ends.
        try connection.execute("BEGIN")
        for _ in 0..<50 { try connection.execute("INSERT INTO t VALUES (zeroblob(20000))") }
        let early = try connection.takeCacheFractionWritten()
        #expect(early > 1 && early < 3)
        try connection.execute("COMMIT")
        let rest = try connection.takeCacheFractionWritten()
        #expect(abs(early + rest - 2.5) < 0.5)
    }
}
