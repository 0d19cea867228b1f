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

    func close() {
        address.withLock { $0 = nil }
    }
}
