import Dispatch
import Synchronization

/// The right to write to a container's store, which one caller at a time has.
///
/// Callers get it in the order in which they ask. SQLite's own locks are between connections, and
/// a container has one connection that writes, so they do not order the callers of one process.
///
/// A context keeps the lease from the first batch request of a unit of work to the unit's end. A
/// second context that saves meanwhile on the same thread would wait for itself. It fails at once.
final class WriteLease: Sendable {
    private struct Holder {
        let name: String
        /// Where it was taken; it is given back there, unless a context was moved meanwhile.
        let thread: UInt
    }

    /// A caller in the queue.
    private final class Waiter: Sendable {
        let name: String
        let thread: UInt
        /// Signaled when the lease is passed to it.
        let turn = DispatchSemaphore(value: 0)

        init(name: String, thread: UInt) {
            self.name = name
            self.thread = thread
        }
    }

    private struct State {
        var holder: Holder?
        var queue: [Waiter] = []
    }

    private enum Answer {
        case taken
        case wait(Waiter)
        case own(String)
    }

    private let state = Mutex(State())

    /// Waits for the lease as long as the options say.
    ///
    /// - Parameter name: who takes it, for the errors of those who wait for it.
    /// - Throws: `.busy`, with the holder's name.
    func take(as name: String, _ options: StoreOptions, path: String) throws(StoreError) {
        let thread = QueueExecutor.currentThread
        let answer = state.withLock { state -> Answer in
            guard let holder = state.holder else {
                state.holder = Holder(name: name, thread: thread)
                return .taken
            }
            guard holder.thread != thread else { return .own(holder.name) }
            let waiter = Waiter(name: name, thread: thread)
            state.queue.append(waiter)
            return .wait(waiter)
        }
        switch answer {
        case .taken: return
        case .own(let holder):
            throw StoreError(
                .busy,
                "\(path) is being written by \(holder) on this thread, which cannot wait for itself;"
                    + " write in that context, or end its unit of work first")
        case .wait(let waiter):
            guard !Self.waits(for: waiter.turn, options), let holder = leave(waiter) else { return }
            throw StoreError(
                .busy,
                "\(path) is being written by \(holder), which did not end in time; try again"
                    + " later, or raise `busyTimeoutMilliseconds`")
        }
    }

    /// Takes the lease if no caller has it.
    func takeIfFree(as name: String) -> Bool {
        state.withLock { state in
            guard state.holder == nil else { return false }
            state.holder = Holder(name: name, thread: QueueExecutor.currentThread)
            return true
        }
    }

    /// Passes the lease to the next caller in the queue.
    func release() {
        let next = state.withLock { state -> Waiter? in
            guard !state.queue.isEmpty else {
                state.holder = nil
                return nil
            }
            let next = state.queue.removeFirst()
            state.holder = Holder(name: next.name, thread: next.thread)
            return next
        }
        next?.turn.signal()
    }

    /// Whether the lease came in time.
    private static func waits(for turn: DispatchSemaphore, _ options: StoreOptions) -> Bool {
        let milliseconds = max(0, options.busyTimeoutMilliseconds)
        guard let patience = options.lockPatience else {
            return turn.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
        }
        let start = ContinuousClock.now
        while turn.wait(timeout: .now() + .milliseconds(5)) != .success {
            guard patience.waitsOn(after: .now - start) else { return false }
        }
        return true
    }

    /// Leaves the queue; the holder's name, or nil if the lease came at the last moment.
    private func leave(_ waiter: Waiter) -> String? {
        state.withLock { state in
            guard let place = state.queue.firstIndex(where: { $0 === waiter }) else { return nil }
            state.queue.remove(at: place)
            return state.holder?.name
        }
    }
}
