package import GraphModel
internal import CSQLite

/// A failure of a function in Swift; SQLite reports its message as the statement's error.
package struct FunctionError: Error, Sendable {
    /// The message, in one sentence.
    package let message: String

    /// Creates a failure with the message that SQLite reports.
    package init(_ message: String) {
        self.message = message
    }
}

/// A call of a function in Swift from SQL, with its arguments and its result.
///
/// The arguments are valid until the call returns. A call that sets no result returns NULL.
package struct FunctionCall {
    private let context: OpaquePointer?
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let watched: Unmanaged<WatchedFlag>?

    init(
        _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?,
        watched: Unmanaged<WatchedFlag>? = nil
    ) {
        self.context = context
        self.values = values
        self.watched = watched
    }

    /// The flag that the connection watches.
    ///
    /// If it is raised during the call, the function must return without a result.
    package var watchedFlag: InterruptFlag? {
        watched?._withUnsafeGuaranteedRef { $0.flag }
    }

    /// Returns the storage class of an argument.
    package func storage(_ index: Int) -> StorageClass {
        switch sqlite3_value_type(values?[index]) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Returns an argument, counted from 0, as SQLite converts it to an integer; NULL gives 0.
    package func integer(_ index: Int) -> Int64 {
        sqlite3_value_int64(values?[index])
    }

    /// Returns an argument, counted from 0, as SQLite converts it to a real number; NULL gives 0.
    package func double(_ index: Int) -> Double {
        sqlite3_value_double(values?[index])
    }

    /// Returns the bytes of a text or blob argument.
    package func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let base = sqlite3_value_blob(values?[index])
        let count = Int(sqlite3_value_bytes(values?[index]))
        return UnsafeBufferPointer(
            start: base?.assumingMemoryBound(to: UInt8.self), count: base == nil ? 0 : count)
    }

    /// Sets the result to an integer.
    package func setResult(_ value: Int64) {
        sqlite3_result_int64(context, value)
    }

    /// Sets the result to a real number; SQLite stores NaN as NULL.
    package func setResult(_ value: Double) {
        sqlite3_result_double(context, value)
    }

    /// Sets the result to a copy of UTF-8 text.
    package func setResult(text: UnsafeBufferPointer<UInt8>) {
        // An empty buffer may have no address, which SQLite would treat as NULL.
        guard let base = text.baseAddress else {
            sqlite3_result_text64(context, "", 0, nil, UInt8(SQLITE_UTF8))
            return
        }
        base.withMemoryRebound(to: CChar.self, capacity: text.count) {
            sqlite3_result_text64(
                context, $0, UInt64(text.count), Statement.transient, UInt8(SQLITE_UTF8))
        }
    }

    /// Sets the result to a copy of the bytes.
    package func setResult(blob: UnsafeBufferPointer<UInt8>) {
        guard let base = blob.baseAddress else {
            sqlite3_result_zeroblob(context, 0)
            return
        }
        sqlite3_result_blob64(context, base, UInt64(blob.count), Statement.transient)
    }

    func interrupt() {
        sqlite3_result_error_code(context, SQLITE_INTERRUPT)
    }

    func fail(_ error: FunctionError) {
        sqlite3_result_error(context, error.message, -1)
    }
}

/// A function in Swift as a parameter value: `etl_call(?, a, b)` calls the function bound to `?`.
///
/// The statement retains the function as long as it is bound (https://www.sqlite.org/bindptr.html).
/// SQLite treats `etl_call` as nondeterministic, so it calls it only if it needs the result.
package final class BoundFunction {
    /// The name of the SQL function; its first argument is the function to call.
    package static let sqlName = "etl_call"

    private let body: (FunctionCall) throws(FunctionError) -> Void

    /// Creates a function that runs the body once per call; the statement fails if it throws.
    package init(_ body: @escaping (FunctionCall) throws(FunctionError) -> Void) {
        self.body = body
    }

    /// The type of the pointer: a string that is valid forever, which SQLite compares by content.
    private static var pointerType: UnsafePointer<CChar> {
        let name: StaticString = "etl-function"
        return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    func bind(to statement: OpaquePointer, at index: Int32) {
        sqlite3_bind_pointer(
            statement, index, Unmanaged.passRetained(self).toOpaque(), Self.pointerType,
            { pointer in
                if let pointer { Unmanaged<BoundFunction>.fromOpaque(pointer).release() }
            })
    }

    /// Registers `etl_call` on a connection.
    static func register(on connection: OpaquePointer, watching watched: WatchedFlag) -> Int32 {
        sqlite3_create_function_v2(
            connection, sqlName, -1, SQLITE_UTF8, Unmanaged.passRetained(watched).toOpaque(),
            { context, count, values in
                guard count > 0, let values,
                    let pointer = sqlite3_value_pointer(values[0], BoundFunction.pointerType)
                else {
                    sqlite3_result_error(context, "etl_call needs a bound function", -1)
                    return
                }
                let function = Unmanaged<BoundFunction>.fromOpaque(pointer)
                let watched = sqlite3_user_data(context).map {
                    Unmanaged<WatchedFlag>.fromOpaque($0)
                }
                let call = FunctionCall(context, values + 1, watched: watched)
                // A thousand steps of SQLite's machine are many calls, and each may be long.
                guard call.watchedFlag?.isRaised != true else { return call.interrupt() }
                function._withUnsafeGuaranteedRef { function in
                    do throws(FunctionError) {
                        try function.body(call)
                    } catch {
                        if call.watchedFlag?.isRaised == true {
                            call.interrupt()
                        } else {
                            call.fail(error)
                        }
                    }
                }
            }, nil, nil,
            { pointer in
                if let pointer { Unmanaged<WatchedFlag>.fromOpaque(pointer).release() }
            })
    }
}

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
