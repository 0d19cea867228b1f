import SQLite

/// Says how long connections wait for locks that others have, where no fixed time would do: who
/// works on a store may be told to stop while it waits.
package final class LockPatience: Sendable, Hashable {
    private let waitsOn: @Sendable (Duration) -> Bool

    /// - Parameter waitsOn: gets how long a wait has lasted by now, and says whether it goes on;
    ///   asked every few milliseconds.
    package init(_ waitsOn: @escaping @Sendable (Duration) -> Bool) {
        self.waitsOn = waitsOn
    }

    func waitsOn(after waited: Duration) -> Bool { waitsOn(waited) }

    package static func == (left: LockPatience, right: LockPatience) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Connection {
    /// Waits for locks of others as patience says; without it so many milliseconds.
    func waitForLocks(_ patience: LockPatience?, otherwise milliseconds: Int32) {
        guard let patience else { return setBusyTimeout(milliseconds: milliseconds) }
        waitForLocks { patience.waitsOn(after: $0) }
    }

    /// Waits for locks of others as a store's options say.
    func waitForLocks(_ options: StoreOptions) {
        waitForLocks(
            options.lockPatience, otherwise: Int32(clamping: options.busyTimeoutMilliseconds))
    }

    /// Folds the log into the file, as far as others who read it allow.
    ///
    /// Nothing depends on how far that is, so that no patience makes it longer than the time that
    /// is usual.
    func foldLog(_ options: StoreOptions) throws(StoreError) {
        defer { waitForLocks(options) }
        let longest = Duration.milliseconds(options.busyTimeoutMilliseconds)
        waitForLocks { waited in
            waited < longest && options.lockPatience?.waitsOn(after: waited) != false
        }
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
