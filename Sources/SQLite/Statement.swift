package import GraphModel
internal import CSQLite

/// A prepared statement.
///
/// Parameters count from 1 and columns from 0, as in SQLite. Text and blobs are bound without a
/// copy: their bytes must be valid until the statement has been stepped to its end or reset.
///
/// A statement does not retain its connection, whose cache may retain the statement. SQLite keeps a
/// closed connection open until its last statement is finalized
/// (https://www.sqlite.org/c3ref/close.html).
package final class Statement {
    private let handle: OpaquePointer
    private let watched: WatchedFlag
    /// An object that must live as long as the statement, such as a temporary table that it reads.
    package var attachment: AnyObject?
    /// A query that is run before the statement's first row, and that makes the step throw if the
    /// database is in a state in which the result would be wrong. It is `nil` if no state is
    /// unsuitable.
    // Unchecked, because each step reads it, and only one thread uses a statement at a time.
    @exclusivity(unchecked) package var precondition: Precondition?

    init(_ sql: String, on connection: Connection) throws(StoreError) {
        var prepared: OpaquePointer?
        let result = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard result == SQLITE_OK, let prepared else { throw connection.error(result, sql: sql) }
        handle = prepared
        watched = connection.watched
    }

    deinit {
        sqlite3_finalize(handle)
    }

    private var database: OpaquePointer? { sqlite3_db_handle(handle) }

    /// The SQL of the statement.
    package var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    // MARK: Binding

    /// Binds an integer to a parameter.
    package func bind(_ value: Int64, at index: Int32) {
        sqlite3_bind_int64(handle, index, value)
    }

    /// Binds a real number to a parameter; SQLite stores NaN as NULL.
    package func bind(_ value: Double, at index: Int32) {
        sqlite3_bind_double(handle, index, value)
    }

    /// Binds NULL to a parameter.
    package func bindNull(at index: Int32) {
        sqlite3_bind_null(handle, index)
    }

    /// Binds UTF-8 text without copying it.
    package func bind(text: UnsafeBufferPointer<UInt8>, at index: Int32) {
        // An empty buffer may have no address, which SQLite would treat as NULL.
        guard let base = text.baseAddress else {
            sqlite3_bind_text64(handle, index, "", 0, nil, UInt8(SQLITE_UTF8))
            return
        }
        base.withMemoryRebound(to: CChar.self, capacity: text.count) {
            _ = sqlite3_bind_text64(
                handle, index, $0, UInt64(text.count), nil, UInt8(SQLITE_UTF8))
        }
    }

    /// Binds bytes without copying them.
    package func bind(blob: UnsafeBufferPointer<UInt8>, at index: Int32) {
        guard let base = blob.baseAddress else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, base, UInt64(blob.count), nil)
    }

    /// Binds a copy of the text.
    package func bind(_ text: String, at index: Int32) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text64(
                    handle, index, $0.baseAddress, UInt64($0.count), Self.transient,
                    UInt8(SQLITE_UTF8))
            }
        }
    }

    /// Binds a copy of the bytes.
    package func bind(_ bytes: [UInt8], at index: Int32) {
        bytes.withUnsafeBytes {
            if let base = $0.baseAddress {
                _ = sqlite3_bind_blob64(handle, index, base, UInt64($0.count), Self.transient)
            } else {
                _ = sqlite3_bind_zeroblob(handle, index, 0)
            }
        }
    }

    /// Binds a function for `etl_call` to call.
    package func bind(_ function: BoundFunction, at index: Int32) {
        function.bind(to: handle, at: index)
    }

    /// Binds the value of a column in another statement's current row.
    package func bind(column: Int32, of other: Statement, at index: Int32) {
        sqlite3_bind_value(handle, index, sqlite3_column_value(other.handle, column))
    }

    /// SQLite's marker for "copy it now": the address -1 instead of a destructor.
    static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    // MARK: Running

    /// Moves to the next row.
    ///
    /// - Returns: whether there is a next row. After the last row, the statement is reset and can
    ///   run again.
    @discardableResult
    package func step() throws(StoreError) -> Bool {
        if let precondition, sqlite3_stmt_busy(handle) == 0 {
            return try precondition.holding { () throws(StoreError) in try next() }
        }
        return try next()
    }

    private func next() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW:
            guard !watched.hasLostOrder else {
                sqlite3_reset(handle)
                throw StoreError(SQLITE_INTERRUPT, on: database, sql: sql)
            }
            return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let result:
            let error = StoreError(result, on: database, sql: sql)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement that returns no rows, and returns the number of rows that it changed.
    @discardableResult
    package func run() throws(StoreError) -> Int {
        while try step() {}
        return Int(sqlite3_changes64(database))
    }

    /// Resets the statement, so that it can run again; the bound values are kept.
    package func reset() {
        sqlite3_reset(handle)
    }

    // MARK: The current row

    /// The number of columns of a row; 0 if the statement returns no rows.
    package var columnCount: Int32 { sqlite3_column_count(handle) }

    /// Returns whether a column of the current row is NULL.
    package func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// Returns the storage class of a column in the current row.
    package func storage(_ column: Int32) -> StorageClass {
        StorageClass(sqlite3_column_type(handle, column))
    }

    /// Returns a column's value, which is valid until the next step or reset.
    package func columnValue(_ column: Int32) -> ColumnValue {
        ColumnValue(handle: sqlite3_column_value(handle, column))
    }

    /// Returns a column's value, as SQLite converts it to an integer; NULL gives 0.
    package func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// Returns a column's value, as SQLite converts it to a real number; NULL gives 0.
    package func double(_ column: Int32) -> Double {
        sqlite3_column_double(handle, column)
    }

    /// Returns the bytes of a text or blob column, which are valid until the next step or reset.
    package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let base = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        return UnsafeBufferPointer(
            start: base?.assumingMemoryBound(to: UInt8.self), count: base == nil ? 0 : count)
    }

    /// Returns a copy of a column's text, with invalid UTF-8 replaced; NULL gives an empty string.
    package func string(_ column: Int32) -> String {
        String(decoding: bytes(column), as: UTF8.self)
    }
}

/// A check of the snapshot that a statement reads.
///
/// Each run of the statement begins with the check. Its query stays open during the first step of
/// the statement, so that SQLite reads both in one snapshot
/// (https://www.sqlite.org/isolation.html).
package struct Precondition {
    private let violation: Statement
    private let error: () throws(StoreError) -> StoreError

    /// Creates a check from a query and an error.
    ///
    /// - Parameters:
    ///   - violation: A query of one row, whose column is not 0 if the snapshot is unsuitable. Other
    ///     statements of the connection may use it, too.
    ///   - error: Returns the error for an unsuitable snapshot, in which it may run queries.
    package init(
        violation: Statement, error: @escaping () throws(StoreError) -> StoreError
    ) {
        self.violation = violation
        self.error = error
    }

    fileprivate func holding<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        violation.reset()
        defer { violation.reset() }
        if try violation.step(), violation.integer(0) != 0 { throw try error() }
        return try body()
    }
}

/// SQLite's storage classes.
package enum StorageClass: Sendable, Hashable {
    case null, integer, real, text, blob

    init(_ type: Int32) {
        self =
            switch type {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
    }
}

/// A value of a statement's current row, which is looked up once and can be read several times.
///
/// It is unprotected (https://www.sqlite.org/c3ref/value.html): use it only on the thread that uses
/// the connection.
package struct ColumnValue {
    let handle: OpaquePointer?

    /// The storage class of the value in its row.
    package var storage: StorageClass { StorageClass(sqlite3_value_type(handle)) }
    /// The value, as SQLite converts it to an integer; NULL gives 0.
    package var integer: Int64 { sqlite3_value_int64(handle) }
    /// The value, as SQLite converts it to a real number; NULL gives 0.
    package var double: Double { sqlite3_value_double(handle) }

    /// The bytes of text or a blob.
    package var bytes: UnsafeBufferPointer<UInt8> {
        let base = sqlite3_value_blob(handle)
        let count = Int(sqlite3_value_bytes(handle))
        return UnsafeBufferPointer(
            start: base?.assumingMemoryBound(to: UInt8.self), count: base == nil ? 0 : count)
    }
}
