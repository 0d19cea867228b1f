package import SQLite

/// A rule for how long connections wait for locks of other connections.
///
/// A closure replaces a fixed time, because a run may be canceled while it waits.
package final class LockPatience: Sendable, Hashable {
    private let waitsOn: @Sendable (Duration) -> Bool

    /// Creates a rule from a closure.
    ///
    /// - Parameter waitsOn: Receives how long the wait has lasted and returns whether to continue;
    ///   called every few milliseconds.
    package init(_ waitsOn: @escaping @Sendable (Duration) -> Bool) {
        self.waitsOn = waitsOn
    }

    /// Returns whether to continue a wait that has lasted this long.
    package func waitsOn(after waited: Duration) -> Bool { waitsOn(waited) }

    /// Returns whether both rules are the same instance, because closures cannot be compared.
    package static func == (left: LockPatience, right: LockPatience) -> Bool { left === right }

    /// Hashes the identity of the instance, as `==` compares it.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Connection {
    /// Waits for locks as the patience decides, or for the given milliseconds without one.
    package func waitForLocks(_ patience: LockPatience?, otherwise milliseconds: Int32) {
        guard let patience else { return setBusyTimeout(milliseconds: milliseconds) }
        waitForLocks { patience.waitsOn(after: $0) }
    }

    /// Waits for locks as the store's options define.
    func waitForLocks(_ options: StoreOptions) {
        waitForLocks(
            options.lockPatience, otherwise: Int32(clamping: options.busyTimeoutMilliseconds))
    }

    /// Checkpoints the WAL up to the point that other readers allow.
    ///
    /// The result does not matter, so the wait never exceeds the usual time, whatever the patience
    /// allows.
    package func foldLog(_ options: StoreOptions) throws(StoreError) {
        defer { waitForLocks(options) }
        let longest = Duration.milliseconds(options.busyTimeoutMilliseconds)
        waitForLocks { waited in
            waited < longest && options.lockPatience?.waitsOn(after: waited) != false
        }
        try checkpoint()
    }

    /// Returns a connection that locks out all others for as long as it exists.
    ///
    /// - Parameter patience: how long to wait for other connections; `nil` waits for the timeout.
    package static func exclusive(
        _ path: String, waiting patience: LockPatience? = nil, timeoutMilliseconds: Int32 = 1_000
    ) throws(StoreError) -> Connection {
        let connection: Connection
        do throws(StoreError) {
            connection = try Connection(path: path, mode: .readWrite)
        } catch {
            throw error.code == .busy ? StoreError(inUse: path) : error
        }
        do throws(StoreError) {
            connection.waitForLocks(patience, otherwise: timeoutMilliseconds)
            try connection.lockExclusively()
            return connection
        } catch {
            throw error.code == .busy ? StoreError(inUse: path, connection, own: 0) : error
        }
    }
}
