internal import CSQLite
import Synchronization

/// Stops what a connection is doing, from any thread (https://www.sqlite.org/c3ref/interrupt.html).
package final class InterruptHandle: Sendable {
    /// The connection's address; nil once it is closed.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer) {
        address = Mutex(UInt(bitPattern: handle))
    }

    /// Makes running statements fail; without one nothing happens.
    package func interrupt() {
        // Under the lock, so that the connection cannot be closed meanwhile.
        address.withLock { address in
            guard let address, let handle = OpaquePointer(bitPattern: address) else { return }
            sqlite3_interrupt(handle)
        }
    }

    func close() {
        address.withLock { $0 = nil }
    }
}
