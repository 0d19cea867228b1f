package import GraphModel
internal import CSQLite

extension Connection {
    /// Runs what updates rows of a table, and tells the key of each that it does
    /// (https://www.sqlite.org/c3ref/update_hook.html).
    ///
    /// Costs less than any SQL that gives the keys: a function in the statement makes SQLite keep
    /// each page as it was in case the function fails, and `RETURNING` keeps the rows.
    ///
    /// - Parameters:
    ///   - table: what triggers update of it is told, too.
    ///   - note: gets the rows as they are updated, also where the statement fails behind them.
    package func noteUpdates<R>(
        of table: String, _ note: (Int64) -> Void, during update: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        // The hook is taken away before this returns, and the closure does not outlive it.
        try withoutActuallyEscaping(note) { note throws(StoreError) in
            let watch = UpdateWatch(table, note)
            sqlite3_update_hook(
                handle,
                { context, action, _, table, key in
                    guard action == SQLITE_UPDATE, let context, let table else { return }
                    Unmanaged<UpdateWatch>.fromOpaque(context).takeUnretainedValue()
                        .take(table, key)
                }, Unmanaged.passUnretained(watch).toOpaque())
            defer { withExtendedLifetime(watch) { _ = sqlite3_update_hook(handle, nil, nil) } }
            return try update()
        }
    }
}

/// Which rows of a table are updated.
private final class UpdateWatch {
    /// As C has it: a `String` would be copied for each row.
    private let table: ContiguousArray<CChar>
    private let note: (Int64) -> Void

    init(_ table: String, _ note: @escaping (Int64) -> Void) {
        self.table = table.utf8CString
        self.note = note
    }

    func take(_ table: UnsafePointer<CChar>, _ key: Int64) {
        let isOurs = self.table.withUnsafeBufferPointer {
            sqlite3_stricmp($0.baseAddress, table) == 0
        }
        if isOurs { note(key) }
    }
}
