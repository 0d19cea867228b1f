internal import CSQLite
package import Files

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

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
    /// The system's own number where a call to it failed, else 0.
    package let systemError: Int32

    package init(
        extendedCode: Int32, message: String, sql: String? = nil, systemError: Int32 = 0
    ) {
        self.systemError = systemError
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// What the connection says of its last failure.
    init(_ code: Int32, on handle: OpaquePointer?, sql: String?) {
        self.init(
            extendedCode: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql,
            systemError: sqlite3_system_errno(handle))
    }

    package var description: String {
        "SQLite \(extendedCode): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }

    /// Another connection holds the lock.
    package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// A constraint failed; the statement had no effect.
    package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
    /// The columns that a failed unique constraint is over, as SQLite names them in its message:
    /// `UNIQUE constraint failed: ZTASK.ZID, ZTASK.ZOWNER`.
    package var constraintColumns: [String] {
        let mark = "UNIQUE constraint failed: "
        guard isConstraint, message.hasPrefix(mark) else { return [] }
        return message.dropFirst(mark.count).split(separator: ",").compactMap {
            $0.split(separator: ".").last.map(String.init)
        }
    }
    /// Two rows would have one value of a unique index; the statement had no effect.
    package var isUniqueness: Bool {
        extendedCode == SQLITE_CONSTRAINT | (8 << 8)  // SQLITE_CONSTRAINT_UNIQUE
    }
    /// No space left, for the file or for temporary ones.
    package var isFull: Bool { code == SQLITE_FULL }
    /// The file is not a database, or is damaged.
    package var isCorrupt: Bool {
        // SQLite tells a format number in the header that no version writes by its words alone.
        code == SQLITE_CORRUPT || code == SQLITE_NOTADB
            || (code == SQLITE_ERROR && message.hasPrefix("unsupported file format"))
    }
    /// The file or its folder may not be read or written.
    package var isPermission: Bool {
        code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_AUTH
    }
    /// Somebody stopped the statement.
    package var isInterrupted: Bool { code == SQLITE_INTERRUPT }
    /// The file cannot be opened.
    package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
    /// The statement exceeds a limit of SQLite's (https://www.sqlite.org/limits.html).
    package var isTooComplex: Bool {
        guard code == SQLITE_ERROR || code == SQLITE_TOOBIG else { return false }
        let starts = [
            "parser stack overflow", "Expression tree is too large", "too many ", "at most ",
            "statement too long",
        ]
        return starts.contains { message.hasPrefix($0) }
    }
    /// A function had no result for what it was called with, or the SQL is wrong.
    package var isFunctionFailure: Bool { code == SQLITE_ERROR }
    /// The file lacks a table or a column that it should have.
    package var isOtherSchema: Bool {
        code == SQLITE_ERROR
            && (message.hasPrefix("no such table") || message.hasPrefix("no such column"))
    }
    /// The kind of the failed system call, if one failed.
    package var systemKind: FaultKind? {
        guard systemError != 0, code == SQLITE_CANTOPEN || code == SQLITE_IOERR else { return nil }
        return FaultKind(systemError: systemError)
    }
    /// Memory or descriptors ran out.
    package var isOutOfResources: Bool { code == SQLITE_NOMEM || systemKind == .resources }
}
