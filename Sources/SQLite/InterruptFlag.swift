internal import CSQLite
import Synchronization

/// A flag that stops the running statements of connections; any thread can raise it.
package final class InterruptFlag: Sendable {
    private let raised = Atomic(false)
    private let isRequested: @Sendable () -> Bool

    /// Creates a flag that is not raised.
    ///
    /// - Parameter isRequested: also raises the flag if it returns `true`. It reads another flag,
    ///   or a request noted by a signal handler, which cannot raise a flag itself.
    package init(orWhen isRequested: @escaping @Sendable () -> Bool = { false }) {
        self.isRequested = isRequested
    }

    /// Whether the flag is raised; `raise()` cannot be undone.
    package var isRaised: Bool { raised.load(ordering: .acquiring) || isRequested() }

    /// Raises the flag, so that statements on connections that watch it fail.
    package func raise() { raised.store(true, ordering: .releasing) }
}

/// The flag that a connection watches, for use by its functions.
///
/// It lives as long as SQLite may call the functions, which can be longer than the connection.
final class WatchedFlag {
    var flag: InterruptFlag?
    /// Whether the flag ended a sort, so that its rows are in the wrong order.
    var hasLostOrder = false
}

extension Connection {
    /// The flag that stops this connection's statements when it is raised.
    package internal(set) var watchedFlag: InterruptFlag? {
        get { watched.flag }
        set { watched.flag = newValue }
    }

    /// Checks a flag while statements run; `nil` checks none.
    ///
    /// SQLite checks it every 1,000 steps of its virtual machine
    /// (https://www.sqlite.org/c3ref/progress_handler.html) and before each call of a function in
    /// Swift.
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

/// A handle that interrupts a connection's running statements from any thread.
///
/// See <https://www.sqlite.org/c3ref/interrupt.html>.
package final class InterruptHandle: Sendable {
    /// The connection's address; `nil` if it is closed.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer) {
        address = Mutex(UInt(bitPattern: handle))
    }

    /// Makes running statements fail; has no effect if none is running.
    package func interrupt() {
        // Under the lock, so that the connection cannot be closed during the call.
        address.withLock { address in
            guard let address, let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    /// Runs a body, and interrupts its statements when the task is canceled.
    ///
    /// - Throws: `CancellationError` after that, instead of the error of a statement.
    package func interrupting<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
    ) async throws -> Result {
        do {
            return try await withTaskCancellationHandler {
                try body()
            } onCancel: {
                interrupt()
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    func close() {
        address.withLock { $0 = nil }
    }
}
