package import GraphModel
internal import CSQLite

/// A wait for another connection's lock, in short sleeps.
///
/// Before each sleep, a closure decides whether to continue.
final class LockWait {
    /// The durations of the sleeps in milliseconds; the last one repeats.
    ///
    /// The first ones are short because most locks are held only for a moment.
    private static let naps: [Int32] = [1, 2, 5, 10, 15, 20, 25]

    private let waitsOn: (Duration) -> Bool
    private var began = ContinuousClock.now

    init(_ waitsOn: @escaping (Duration) -> Bool) {
        self.waitsOn = waitsOn
    }

    /// Sleeps if the closure continues the wait.
    ///
    /// - Parameter count: the number of earlier calls for this lock.
    /// - Returns: whether SQLite should try the lock again.
    fileprivate func shouldContinue(_ count: Int) -> Bool {
        if count == 0 { began = .now }
        guard waitsOn(.now - began) else { return false }
        // A signal to this thread ends the sleep early.
        sqlite3_sleep(Self.naps[min(count, Self.naps.count - 1)])
        return true
    }
}

extension Connection {
    /// Blocks the thread for a time.
    package static func sleep(milliseconds: Int32) { sqlite3_sleep(milliseconds) }

    /// Waits for another connection's lock while the closure returns `true`.
    ///
    /// - Parameter waitsOn: receives the duration of the wait so far, and returns whether to
    ///   continue.
    package func waitForLocks(_ waitsOn: @escaping (Duration) -> Bool) {
        wait(LockWait(waitsOn))
    }

    private func wait(_ wait: LockWait) {
        // https://www.sqlite.org/c3ref/busy_handler.html
        sqlite3_busy_handler(
            handle,
            { pointer, count in
                guard let pointer else { return 0 }
                let wait = Unmanaged<LockWait>.fromOpaque(pointer).takeUnretainedValue()
                return wait.shouldContinue(Int(count)) ? 1 : 0
            }, Unmanaged.passUnretained(wait).toOpaque())
        lockWait = wait
    }

    /// Runs a body in which a lock of another connection is an error at once.
    func withoutWaiting<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let wait = lockWait
        sqlite3_busy_timeout(handle, 0)
        defer {
            if let wait { self.wait(wait) } else { sqlite3_busy_timeout(handle, busyTimeout) }
        }
        return try body()
    }

    /// Locks out all other connections for as long as this one exists.
    package func lockExclusively() throws(StoreError) {
        try execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
    }

    /// Moves the WAL into the file, and truncates it.
    package func checkpoint() throws(StoreError) {
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
