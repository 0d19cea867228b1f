package import GraphModel
internal import CSQLite

extension Connection {
    /// Makes a function known that does nothing, whatever its arguments, and gives NULL.
    ///
    /// For triggers that tell somebody of a change who is not there; again is no harm.
    package func register(silentFunction name: String) throws(StoreError) {
        guard registered.insert(name).inserted else { return }
        let result = sqlite3_create_function_v2(
            handle, name, -1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) },
            nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql: nil) }
    }
}
