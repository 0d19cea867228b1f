internal import CSQLite

/// What SQLite answered when it refused.
package struct SQLiteError: Error, Sendable, CustomStringConvertible {
    /// The primary result code, such as `SQLITE_BUSY`.
    package var code: Int32 { extendedCode & 0xFF }
    /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`.
    package let extendedCode: Int32
    /// SQLite's own words.
    package let message: String
    /// The statement, where one was being run.
    package let sql: String?

    package init(extendedCode: Int32, message: String, sql: String? = nil) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// What the connection says of its last failure.
    init(_ code: Int32, on handle: OpaquePointer?, sql: String?) {
        self.init(
            extendedCode: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
    }

    package var description: String {
        "SQLite \(extendedCode): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }

    /// Another connection holds the lock.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// A constraint failed; the statement had no effect.
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    /// No space left, for the file or for temporary ones.
    package var isFull: Bool { code == SQLITE_FULL }
    /// The file is not a database, or is damaged.
    package var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
    /// The file or its folder may not be read or written.
    package var isPermission: Bool {
        code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_AUTH
    }
    /// The file cannot be opened.
    package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
    /// Memory ran out.
    package var isOutOfMemory: Bool { code == SQLITE_NOMEM }
}
