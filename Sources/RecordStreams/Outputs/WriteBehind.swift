internal import Diagnostics
internal import Dispatch
internal import Files
internal import Synchronization

/// Writes blocks to a file on a separate thread, while the caller creates the next one.
///
/// At most `blocksMax` blocks are queued. The last block is written only when another one follows
/// or the file ends, so a file of one block needs no thread. A failure is stored and thrown by the
/// next call.
final class WriteBehind: Sendable {
    private static let blocksMax = 4

    /// A copy of bytes, owned by the thread that writes it.
    private struct Block: @unchecked Sendable {
        let bytes: UnsafeMutableRawBufferPointer

        init(_ bytes: UnsafeRawBufferPointer) {
            self.bytes = .allocate(byteCount: bytes.count, alignment: 16)
            self.bytes.copyMemory(from: bytes)
        }
    }

    private struct State {
        var last: Block?
        var failure: SystemFault?
    }

    private let descriptor: Int32
    private let worker = WorkerThread()
    private let free = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // A semaphore must not end below its initial value, so it starts at zero.
        for _ in 0..<Self.blocksMax { free.signal() }
    }

    deinit {
        state.withLock { $0.last?.bytes.deallocate() }
    }

    /// Takes a copy of the bytes to be written.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFault) {
        let block = Block(bytes)
        let earlier = state.withLock { state in
            defer { state.last = block }
            return state.last
        }
        guard let earlier else { return }
        free.wait()
        worker.runAnyway { [self] in
            store(earlier)
            free.signal()
        }
        try rethrow()
    }

    private func store(_ block: Block) {
        defer { block.bytes.deallocate() }
        guard state.withLock({ $0.failure }) == nil else { return }
        do throws(SystemFault) {
            try FileSystem.write(UnsafeRawBufferPointer(block.bytes), to: descriptor)
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    /// Waits until everything is written.
    func finish() throws(SystemFault) {
        worker.wait()
        let last = state.withLock { $0.last.take() }
        if let last { store(last) }
        try rethrow()
    }

    /// Waits for the queued blocks and drops the last one.
    func abandon() {
        worker.wait()
    }

    private func rethrow() throws(SystemFault) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
