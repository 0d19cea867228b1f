internal import CSQLite

extension Connection {
    /// An event in the trace of a statement.
    package enum TraceEvent {
        /// The statement begins; with `expanded`, the SQL contains the values of its parameters.
        case begins(sql: String)
        /// The statement ended after this time.
        case ended(sql: String, nanoseconds: Int64)
    }

    /// Calls the body for each statement from now on.
    ///
    /// See <https://www.sqlite.org/c3ref/trace_v2.html>. The body may prepare its own statements;
    /// these are not traced.
    ///
    /// - Parameter expanded: whether the SQL contains the values of the parameters.
    package func trace(expanded: Bool, _ body: @escaping (TraceEvent) -> Void) {
        let tracer = Tracer(expanded: expanded, body: body)
        self.tracer = tracer
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE),
            { kind, context, statement, detail in
                guard let context, let statement else { return 0 }
                let tracer = Unmanaged<Tracer>.fromOpaque(context).takeUnretainedValue()
                tracer.emit(kind, OpaquePointer(statement), detail)
                return 0
            }, Unmanaged.passUnretained(tracer).toOpaque())
    }
}

/// The body of a trace, which lives as long as its connection.
final class Tracer {
    private let expanded: Bool
    private let body: (Connection.TraceEvent) -> Void
    private var isNotifying = false

    init(expanded: Bool, body: @escaping (Connection.TraceEvent) -> Void) {
        self.expanded = expanded
        self.body = body
    }

    fileprivate func emit(
        _ kind: UInt32, _ statement: OpaquePointer, _ detail: UnsafeMutableRawPointer?
    ) {
        guard !isNotifying else { return }
        isNotifying = true
        defer { isNotifying = false }
        if kind == UInt32(SQLITE_TRACE_STMT) {
            // SQLite reports the steps of a trigger as comments.
            if let detail, detail.load(as: UInt8.self) == UInt8(ascii: "-") { return }
            body(.begins(sql: text(of: statement)))
        } else {
            let time = detail?.load(as: Int64.self) ?? 0
            body(.ended(sql: text(of: statement), nanoseconds: time))
        }
    }

    private func text(of statement: OpaquePointer) -> String {
        if expanded, let text = sqlite3_expanded_sql(statement) {
            defer { sqlite3_free(text) }
            return String(cString: text)
        }
        return sqlite3_sql(statement).map { String(cString: $0) } ?? ""
    }
}
