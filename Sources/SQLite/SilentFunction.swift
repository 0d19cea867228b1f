package import GraphModel
internal import CSQLite

extension Connection {
    /// Registers a function that takes any arguments, does nothing, and returns NULL.
    ///
    /// Triggers call it to notify an observer that is absent. Another call has no effect.
    package func register(silentFunction name: String) throws(StoreError) {
        guard registered.insert(name).inserted else { return }
        let result = sqlite3_create_function_v2(
            handle, name, -1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) },
            nil, nil, nil)
        guard result == SQLITE_OK else { throw error(result, sql: nil) }
    }
}
