internal import CSQLite
import Synchronization

/// Stops what connections are running, once it is raised from any thread.
package final class InterruptFlag: Sendable {
    private let raised = Atomic(false)
    private let isRequested: @Sendable () -> Bool

    /// A flag that is not raised.
    ///
    /// - Parameter isRequested: raises it, too: another flag, or what a signal's handler has noted,
    ///   which can raise nothing itself.
    package init(orWhen isRequested: @escaping @Sendable () -> Bool = { false }) {
        self.isRequested = isRequested
    }

    /// Whether it is raised; for good.
    package var isRaised: Bool { raised.load(ordering: .acquiring) || isRequested() }

    /// Makes statements on connections that watch it fail.
    package func raise() { raised.store(true, ordering: .releasing) }
}

/// The flag that a connection watches, where its functions find it.
///
/// It lives as long as SQLite may call them, which can be longer than the connection.
final class WatchedFlag {
    var flag: InterruptFlag?
    /// A sort was ended by the flag, so that its rows are in no order.
    var hasLostOrder = false
}

extension Connection {
    /// Stops its statements when it is raised.
    package internal(set) var watchedFlag: InterruptFlag? {
        get { watched.flag }
        set { watched.flag = newValue }
    }

    /// Looks at the flag while statements run, every thousand steps of SQLite's machine
    /// (https://www.sqlite.org/c3ref/progress_handler.html) and before each call of a function in
    /// Swift; nil looks at none.
    package func watch(_ flag: InterruptFlag?) {
        guard flag !== watchedFlag else { return }
        watchedFlag = flag
        watched.hasLostOrder = false
        guard let flag else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        sqlite3_progress_handler(
            handle, 1_000,
            { pointer in
                guard let pointer else { return 0 }
                let flag = Unmanaged<InterruptFlag>.fromOpaque(pointer).takeUnretainedValue()
                return flag.isRaised ? 1 : 0
            }, Unmanaged.passUnretained(flag).toOpaque())
    }
}
