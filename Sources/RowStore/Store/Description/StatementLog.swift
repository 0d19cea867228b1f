import Diagnostics
import FoundationEssentials
import SQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Sendable private func writeToStandardError(_ line: String) {
    let bytes = Array((OutputText(line).lines + "\n").utf8)
    // A log that cannot be written must not cause a failure.
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// A logger of SQLite's statements to standard error, enabled by `GRAPHSTORE_SQL_DEBUG`.
///
/// | level | adds |
/// |---|---|
/// | 1 | each statement and its duration |
/// | 2 | the values of its parameters |
/// | 3 | the file and the number of changed rows |
/// | 4 | the query plan |
struct StatementLog: Sendable {
    /// The log that the environment variable enables, or `nil`.
    static let shared = StatementLog(
        ProcessInfo.processInfo.environment["GRAPHSTORE_SQL_DEBUG"])

    let level: Int
    private let write: @Sendable (String) -> Void

    init?(
        _ setting: String?,
        write: @escaping @Sendable (String) -> Void = writeToStandardError
    ) {
        guard let level = setting.flatMap({ Int($0) }), level > 0 else { return nil }
        self.level = min(level, 4)
        self.write = write
    }

    /// Logs the connection's statements from now on.
    func attach(to connection: Connection) {
        let (level, write) = (level, write)
        connection.trace(expanded: level >= 2) { [unowned connection] event in
            switch event {
            case .begins(let sql):
                guard level >= 4, Self.hasPlan(sql) else { return }
                for line in Self.plan(of: sql, on: connection) { write("sql:   \(line)") }
            case .ended(let sql, let nanoseconds):
                let milliseconds = Double(nanoseconds / 1_000) / 1_000
                var line = "sql: \(milliseconds) ms: \(sql)"
                if level >= 3 {
                    line += " [\(connection.changes) rows changed, \(connection.path)]"
                }
                write(line)
            }
        }
    }

    private static func hasPlan(_ sql: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
    }

    /// Returns the query plan of a statement (https://www.sqlite.org/eqp.html).
    private static func plan(of sql: String, on connection: Connection) -> [String] {
        do throws(StoreError) {
            let rows = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
            var lines: [String] = []
            while try rows.step() { lines.append(rows.string(3)) }
            return lines
        } catch {
            return ["no plan: \(error.message)"]
        }
    }
}
