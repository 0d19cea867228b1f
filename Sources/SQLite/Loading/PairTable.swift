package import GraphModel
internal import CSQLite

/// Pairs of numbers in memory that a statement can read as a table, in order.
///
/// ```sql
/// INSERT INTO Z_1TAGS SELECT FIRST, SECOND FROM ETL_PAIRS
/// ```
/// This way, a row costs a few calls. Binding and running a statement costs ten times as much.
package enum PairTable {
    /// Returns two numbers packed into one; sorted, these order the pairs by the first, then the
    /// second.
    package static func packed(_ first: UInt32, _ second: UInt32) -> UInt64 {
        UInt64(first) << 32 | UInt64(second)
    }

    /// Returns the two numbers of a pair.
    package static func unpacked(_ pair: UInt64) -> (first: Int64, second: Int64) {
        (Int64(pair >> 32), Int64(pair & UInt64(UInt32.max)))
    }
}

extension Connection {
    /// Runs a body whose statements can read the pairs as a table.
    ///
    /// The body must finalize these statements before it returns.
    ///
    /// - Parameter body: receives the name of the table.
    package func withPairs(
        _ pairs: UnsafeBufferPointer<UInt64>, _ body: (String) throws(StoreError) -> Void
    ) throws(StoreError) {
        let name = try nameOfNoTable()
        try withUnsafePointer(to: pairs) { address throws(StoreError) in
            let aux = UnsafeMutableRawPointer(mutating: address)
            let result = sqlite3_create_module_v2(handle, name, pairModule, aux, nil)
            guard result == SQLITE_OK else { throw error(result, sql: nil) }
            defer { sqlite3_create_module_v2(handle, name, nil, nil, nil) }
            try body(name)
        }
    }

    /// Returns an unused name, because a table or view of the file would hide the virtual table.
    private func nameOfNoTable() throws(StoreError) -> String {
        var name = "ETL_PAIRS"
        var count = 1
        let masters = ["sqlite_master", "sqlite_temp_master"]
        while try integer(
            masters.map { "SELECT 1 FROM \($0) WHERE name = '\(name)' COLLATE NOCASE" }
                .joined(separator: " UNION ALL ")) != nil
        {
            count += 1
            name = "ETL_PAIRS_\(count)"
        }
        return name
    }
}

/// The functions that SQLite calls to read the pairs.
///
/// Without `xCreate`, the table exists on every connection that knows the module, and in no schema
/// (https://www.sqlite.org/vtab.html#eponymous_only_virtual_tables). It is created once and never
/// changed.
private nonisolated(unsafe) let pairModule: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { connection, aux, _, _, table, _ in
        let result = sqlite3_declare_vtab(
            connection, "CREATE TABLE pairs (FIRST INTEGER, SECOND INTEGER)")
        guard result == SQLITE_OK, let table,
            let pairs = aux?.assumingMemoryBound(to: UnsafeBufferPointer<UInt64>.self).pointee
        else { return result == SQLITE_OK ? SQLITE_MISUSE : result }
        let made = UnsafeMutablePointer<etl_pair_table>.allocate(capacity: 1)
        made.initialize(to: etl_pair_table())
        made.pointee.first = pairs.baseAddress.map {
            UnsafeRawPointer($0).assumingMemoryBound(to: CUnsignedLongLong.self)
        }
        made.pointee.count = sqlite3_int64(pairs.count)
        table.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }
    module.xDisconnect = { table in
        UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: etl_pair_table.self).deallocate()
        return SQLITE_OK
    }
    // The only query plan reads all rows in order.
    module.xBestIndex = { _, _ in SQLITE_OK }
    module.xOpen = { _, cursor in
        let made = UnsafeMutablePointer<etl_pair_cursor>.allocate(capacity: 1)
        made.initialize(to: etl_pair_cursor())
        cursor?.pointee =
            UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }
    module.xClose = { cursor in
        place(of: cursor)?.deallocate()
        return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, _ in
        place(of: cursor)?.pointee.place = 0
        return SQLITE_OK
    }
    module.xNext = { cursor in
        place(of: cursor)?.pointee.place += 1
        return SQLITE_OK
    }
    module.xEof = { cursor in
        guard let cursor = place(of: cursor), let table = table(of: cursor) else { return 1 }
        return cursor.pointee.place < table.pointee.count ? 0 : 1
    }
    module.xColumn = { cursor, context, column in
        guard let cursor = place(of: cursor), let first = table(of: cursor)?.pointee.first else {
            return SQLITE_MISUSE
        }
        let pair = first[Int(cursor.pointee.place)]
        sqlite3_result_int64(
            context, sqlite3_int64(column == 0 ? pair >> 32 : pair & 0xFFFF_FFFF))
        return SQLITE_OK
    }
    module.xRowid = { cursor, row in
        row?.pointee = place(of: cursor)?.pointee.place ?? 0
        return SQLITE_OK
    }
    let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    kept.initialize(to: module)
    return UnsafePointer(kept)
}()

private func place(
    of cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<etl_pair_cursor>? {
    UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: etl_pair_cursor.self)
}

private func table(
    of cursor: UnsafeMutablePointer<etl_pair_cursor>
) -> UnsafeMutablePointer<etl_pair_table>? {
    UnsafeMutableRawPointer(cursor.pointee.base.pVtab)?.assumingMemoryBound(to: etl_pair_table.self)
}
