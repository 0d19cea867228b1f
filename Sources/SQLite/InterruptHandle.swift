internal import CSQLite
import Synchronization

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

    /// Runs a body, and interrupts its statements when the task is cancelled.
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
