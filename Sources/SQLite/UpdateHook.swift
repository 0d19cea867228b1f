package import GraphModel
internal import CSQLite

extension Connection {
    /// Runs an update and reports the row ID of each row that it updates.
    ///
    /// Uses the update hook (https://www.sqlite.org/c3ref/update_hook.html), which costs less than
    /// SQL that returns the keys. With a function in the statement, SQLite saves a copy of each
    /// page in case the function fails, and `RETURNING` buffers the rows.
    ///
    /// - Parameters:
    ///   - table: the table to observe; updates by triggers are reported, too.
    ///   - note: receives each row ID during the update, even if the statement fails later.
    package func noteUpdates<R>(
        of table: String, _ note: (Int64) -> Void, during update: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        // The hook is removed before this returns, so the closure does not escape.
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

/// An observer of the updated rows of a table.
private final class UpdateWatch {
    /// The name as a C string; a `String` would be copied for each row.
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
