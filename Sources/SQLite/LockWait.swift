internal import CSQLite

/// How a connection waits for a lock that another one has: by short naps, and before each it asks
/// whether to wait on.
final class LockWait {
    /// How long the first naps are, in milliseconds, as a lock is mostly held for a moment; those
    /// after them are as long as the last.
    private static let naps: [Int32] = [1, 2, 5, 10, 15, 20, 25]

    private let waitsOn: (Duration) -> Bool
    private var began = ContinuousClock.now

    init(_ waitsOn: @escaping (Duration) -> Bool) {
        self.waitsOn = waitsOn
    }

    /// - Parameter count: how often it was asked for this lock before.
    fileprivate func goesOn(_ count: Int) -> Bool {
        if count == 0 { began = .now }
        guard waitsOn(.now - began) else { return false }
        // A signal that this thread gets ends the nap.
        sqlite3_sleep(Self.naps[min(count, Self.naps.count - 1)])
        return true
    }
}

extension Connection {
    /// Waits for another connection's lock for as long as the body says.
    ///
    /// - Parameter waitsOn: gets how long the wait has lasted by now, and says whether it goes on.
    package func waitForLocks(_ waitsOn: @escaping (Duration) -> Bool) {
        let wait = LockWait(waitsOn)
        // https://www.sqlite.org/c3ref/busy_handler.html
        sqlite3_busy_handler(
            handle,
            { pointer, count in
                guard let pointer else { return 0 }
                let wait = Unmanaged<LockWait>.fromOpaque(pointer).takeUnretainedValue()
                return wait.goesOn(Int(count)) ? 1 : 0
            }, Unmanaged.passUnretained(wait).toOpaque())
        lockWait = wait
    }
}
