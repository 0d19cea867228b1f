internal import Dispatch
internal import Synchronization

/// Writes blocks to a file on a thread of its own, so that making the next one goes on meanwhile.
///
/// At most `blocksMax` blocks wait. A failure is kept and thrown by the next call.
final class WriteBehind: Sendable {
    private static let blocksMax = 4

    private struct State {
        var failure: Platform.Failure?
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "etl.output.writer")
    private let free = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // A semaphore may not end lower than it began, so it begins at zero.
        for _ in 0..<Self.blocksMax { free.signal() }
    }

    /// Takes a copy of the bytes to be written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(Platform.Failure) {
        free.wait()
        try rethrow()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyMemory(from: bytes)
        // The block belongs to the writing thread from here on.
        nonisolated(unsafe) let block = UnsafeRawBufferPointer(copy)
        queue.async { [self] in
            defer {
                block.deallocate()
                free.signal()
            }
            guard state.withLock({ $0.failure }) == nil else { return }
            do throws(Platform.Failure) {
                try Platform.writeBytes(descriptor, block)
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// Waits until everything is written.
    func finish() throws(Platform.Failure) {
        queue.sync {}
        try rethrow()
    }

    /// Waits for what is under way, and writes nothing more.
    func abandon() {
        queue.sync {}
    }

    private func rethrow() throws(Platform.Failure) {
        if let failure = state.withLock({ $0.failure }) {
            free.signal()
            throw failure
        }
    }
}
