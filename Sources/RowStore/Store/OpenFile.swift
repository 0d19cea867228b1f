import GraphModel
import SQLite
import Synchronization

/// The entry of an open store in the process-wide list of files, removed when the store is
/// released.
///
/// An error about a lock can thus say that another container of the same process has the file open.
final class OpenFile {
    private static let counts = Mutex<[String: Int]>([:])

    private let path: String

    /// Adds the file of a connection; `nil` for a store in memory.
    init?(of connection: Connection) {
        guard let path = connection.fileName else { return nil }
        self.path = path
        Self.counts.withLock { $0[path, default: 0] += 1 }
    }

    deinit {
        Self.counts.withLock { counts in
            let rest = (counts[path] ?? 1) - 1
            counts[path] = rest > 0 ? rest : nil
        }
    }

    /// Returns the number of open stores of this process with the file of a connection.
    static func count(of connection: Connection) -> Int {
        connection.fileName.flatMap { path in counts.withLock { $0[path] } } ?? 0
    }
}

extension StoreError {
    /// Creates the error for a store whose lock another connection holds.
    ///
    /// - Parameters:
    ///   - connection: The connection that cannot get the lock.
    ///   - own: The number of open stores that use the connection.
    init(inUse path: String, _ connection: Connection, own: Int) {
        guard OpenFile.count(of: connection) > own else {
            self.init(inUse: path)
            return
        }
        self.init(
            .busy,
            "\(path) is in use, and another container of this process has it open; finish its save"
                + " or release it, or try again later")
    }
}
