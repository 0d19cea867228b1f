internal import CSQLite
package import Files
package import GraphModel

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The meanings of SQLite's result codes (https://www.sqlite.org/rescode.html).
extension StoreError {
    /// Creates an error from a result code and a message of SQLite.
    init(resultCode: Int32, message: String, sql: String? = nil, systemError: Int32 = 0) {
        let answer = StoreError(
            .inputOutput, message, sql: sql, resultCode: resultCode, systemError: systemError)
        self.init(
            answer.kind, message, sql: sql, resultCode: resultCode, systemError: systemError)
    }

    /// Creates an error from a connection's last failure.
    init(_ code: Int32, on handle: OpaquePointer?, sql: String?) {
        self.init(
            resultCode: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql,
            systemError: sqlite3_system_errno(handle))
    }

    /// The kind of the failure, derived from the result code and the message.
    private var kind: Code {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_FULL: return .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .permission
        case SQLITE_CONSTRAINT: return .unique
        case SQLITE_NOMEM: return .resources
        case SQLITE_INTERRUPT: return .cancelled
        default: break
        }
        if systemKind == .permission { return .permission }
        if systemKind == .resources { return .resources }
        if isOtherSchema || hasUnknownFormat { return .corrupt }
        if isTooComplex, sql != nil { return .invalidRequest }
        return isFunctionFailure ? .validation : .inputOutput
    }

    /// The result code without its extension, such as `SQLITE_CONSTRAINT`.
    private var primaryCode: Int32 { resultCode & 0xFF }

    /// Whether a constraint failed; the statement had no effect.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Whether two rows would have the same value in a unique index; the statement had no effect.
    package var isUniqueness: Bool {
        resultCode == SQLITE_CONSTRAINT | (8 << 8)  // SQLITE_CONSTRAINT_UNIQUE
    }

    /// The columns of the unique constraint that failed.
    ///
    /// They are read from SQLite's message: `UNIQUE constraint failed: ZTASK.ZID, ZTASK.ZOWNER`.
    package var constraintColumns: [String] {
        let mark = "UNIQUE constraint failed: "
        guard isConstraint, message.hasPrefix(mark) else { return [] }
        return message.dropFirst(mark.count).split(separator: ",").compactMap {
            $0.split(separator: ".").last.map(String.init)
        }
    }

    /// Whether the file is damaged or not a database; a missing table does not count.
    package var isDamage: Bool { code == .corrupt && !isOtherSchema }

    /// Whether the file cannot be opened.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// Whether a page cannot be read: the file ends before it, or a sector is bad.
    package var isDamagedRead: Bool { primaryCode == SQLITE_IOERR && code != .resources }

    /// Whether the statement exceeds one of SQLite's limits (https://www.sqlite.org/limits.html).
    package var isTooComplex: Bool {
        guard primaryCode == SQLITE_ERROR || primaryCode == SQLITE_TOOBIG else { return false }
        let starts = [
            "parser stack overflow", "Expression tree is too large", "too many ", "at most ",
            "statement too long",
        ]
        return starts.contains { message.hasPrefix($0) }
    }

    /// Whether a function failed, or the SQL is invalid.
    package var isFunctionFailure: Bool { primaryCode == SQLITE_ERROR }

    /// The kind of the failed system call; `nil` if no system call failed.
    package var systemKind: FaultKind? {
        guard systemError != 0, primaryCode == SQLITE_CANTOPEN || primaryCode == SQLITE_IOERR
        else { return nil }
        return FaultKind(systemError: systemError)
    }

    /// Whether the file lacks a table or a column that it should have.
    private var isOtherSchema: Bool {
        primaryCode == SQLITE_ERROR
            && (message.hasPrefix("no such table") || message.hasPrefix("no such column"))
    }

    /// Whether the header has a format number that no version of SQLite writes.
    ///
    /// Only the message shows this.
    private var hasUnknownFormat: Bool {
        primaryCode == SQLITE_ERROR && message.hasPrefix("unsupported file format")
    }
}
