import CSQLite
import Foundation

/// A value as SQLite stores it, compared by its storage class and its bits.
enum Value: Hashable, CustomStringConvertible {
    case null
    case integer(Int64)
    case real(UInt64)
    case text([UInt8])
    case blob([UInt8])

    static func double(_ value: Double) -> Value { .real(value.bitPattern) }

    static func text(_ value: String) -> Value { .text(Array(value.utf8)) }

    var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let bits): "\(Double(bitPattern: bits))"
        case .text(let bytes):
            "'\(String(decoding: bytes.prefix(20), as: UTF8.self))'…\(bytes.count)"
        case .blob(let bytes): "x'\(bytes.prefix(10))'…\(bytes.count)"
        }
    }
}

/// A database of SQLite itself, without any code of ours.
final class Database {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
            throw Failure(description: "cannot open \(path)")
        }
        handle = opened
    }

    deinit { sqlite3_close(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql.prefix(200))")
    }

    /// Runs a statement once per list of values, and returns the rows of the last run.
    @discardableResult
    func rows(_ sql: String, _ values: [[Value]] = [[]]) throws -> [[Value]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure(sql)
        }
        defer { sqlite3_finalize(statement) }
        var rows: [[Value]] = []
        for values in values {
            rows.removeAll()
            for (place, value) in values.enumerated() { bind(value, statement, Int32(place + 1)) }
            while true {
                let result = sqlite3_step(statement)
                if result == SQLITE_DONE { break }
                guard result == SQLITE_ROW else { throw failure(sql) }
                rows.append((0..<sqlite3_column_count(statement)).map { column(statement, $0) })
            }
            sqlite3_reset(statement)
        }
        return rows
    }

    private func bind(_ value: Value, _ statement: OpaquePointer?, _ index: Int32) {
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let value): sqlite3_bind_int64(statement, index, value)
        case .real(let bits): sqlite3_bind_double(statement, index, Double(bitPattern: bits))
        case .text(let bytes):
            _ = (bytes + [0]).withUnsafeBytes {
                sqlite3_bind_text64(
                    statement, index, $0.bindMemory(to: CChar.self).baseAddress,
                    UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
            }
        case .blob(let bytes):
            _ = (bytes + [0]).withUnsafeBytes {
                sqlite3_bind_blob64(
                    statement, index, $0.baseAddress, UInt64(bytes.count), transient)
            }
        }
    }

    private func column(_ statement: OpaquePointer?, _ column: Int32) -> Value {
        func bytes() -> [UInt8] {
            let start = sqlite3_column_blob(statement, column)
            return Array(
                UnsafeRawBufferPointer(
                    start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
        return switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(bytes())
        case SQLITE_BLOB: .blob(bytes())
        default: .null
        }
    }

    func integer(_ sql: String) throws -> Int64 {
        guard case .integer(let value)? = try rows(sql).first?.first else {
            throw Failure(description: "no integer: \(sql)")
        }
        return value
    }

    /// The findings of the integrity check; `["ok"]` for a correct file.
    func integrity() throws -> [String] {
        try rows("PRAGMA integrity_check").map { row in
            if case .text(let bytes)? = row.first {
                String(decoding: bytes, as: UTF8.self)
            } else {
                "?"
            }
        }
    }
}

/// A folder that is deleted with the object.
final class ScratchFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/pages-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}
