import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The right to write to a container's store, which one caller at a time has.
///
/// Callers get it in the order in which they ask. SQLite's own locks are between connections, and
/// a container has one connection that writes, so they do not order the callers of one process.
///
/// A context keeps the lease from the first batch request of a unit of work to the unit's end. A
/// second context that saves meanwhile on the same thread would wait for itself. It fails at once.
final class WriteLease: Sendable {
    private struct Holder {
        /// What it does to the store, for the errors of those who wait.
        let text: String
        /// Where it was taken; it is given back there, unless a context was moved meanwhile.
        let thread: UInt
    }

    /// A caller in the queue.
    private final class Waiter: Sendable {
        let text: String
        let thread: UInt
        /// Signaled when the lease is passed to it.
        let turn = DispatchSemaphore(value: 0)

        init(text: String, thread: UInt) {
            self.text = text
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

    /// How a wait ended.
    private enum Wait { case came, late, cancelled }

    private static let pollMilliseconds = 5

    /// Waits for the lease as long as the options say, and as long as the task is not cancelled.
    ///
    /// - Parameter name: who takes it, for the errors of those who wait for it.
    /// - Throws: `.busy`, with the holder's name; `.cancelled`.
    func take(as name: String, _ options: StoreOptions, path: String) throws(StoreError) {
        let thread = ThreadNumber.current
        let answer = state.withLock { state -> Answer in
            let text = "being written by \(name)"
            guard let holder = state.holder else {
                state.holder = Holder(text: text, thread: thread)
                return .taken
            }
            guard holder.thread != thread else { return .own(holder.text) }
            let waiter = Waiter(text: text, thread: thread)
            state.queue.append(waiter)
            return .wait(waiter)
        }
        switch answer {
        case .taken: return
        case .own(let holder):
            throw StoreError(
                .busy,
                "\(path) is \(holder) on this thread, which cannot wait for itself;"
                    + " write in that context, or end its unit of work first")
        case .wait(let waiter):
            let end = Self.wait(for: waiter.turn, options)
            guard end != .came, let holder = leave(waiter) else { return }
            guard end == .late else { throw StoreError(.cancelled, "The task was cancelled") }
            throw StoreError(
                .busy,
                "\(path) is \(holder), which did not end in time; try again"
                    + " later, or raise `busyTimeoutMilliseconds`")
        }
    }

    /// Takes the lease if no caller has it, to look at what other connections have saved.
    func takeToLookIfFree() -> Bool {
        state.withLock { state in
            guard state.holder == nil else { return false }
            state.holder = Holder(
                text: "being checked for changes of others", thread: ThreadNumber.current)
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
            state.holder = Holder(text: next.text, thread: next.thread)
            return next
        }
        next?.turn.signal()
    }

    private static func wait(for turn: DispatchSemaphore, _ options: StoreOptions) -> Wait {
        let milliseconds = max(0, options.busyTimeoutMilliseconds)
        let step =
            options.lockPatience == nil ? min(pollMilliseconds, milliseconds) : pollMilliseconds
        let start = ContinuousClock.now
        while turn.wait(timeout: .now() + .milliseconds(step)) != .success {
            if Task.isCancelled { return .cancelled }
            let waited = ContinuousClock.now - start
            let goesOn =
                options.lockPatience?.waitsOn(after: waited)
                ?? (waited < .milliseconds(milliseconds))
            guard goesOn else { return .late }
        }
        return .came
    }

    /// Leaves the queue; what the holder does, or nil if the lease came at the last moment.
    private func leave(_ waiter: Waiter) -> String? {
        state.withLock { state in
            guard let place = state.queue.firstIndex(where: { $0 === waiter }) else { return nil }
            state.queue.remove(at: place)
            return state.holder?.text
        }
    }
}

/// Tells threads from each other.
enum ThreadNumber {
    private static let last = Atomic<UInt>(0)

    private static let key = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key for values of threads: error \(code)")
        return key
    }()

    /// The number of the thread that asks, from 1; no other thread has had it.
    ///
    /// `pthread_self()` and the system's numbers go to a later thread when theirs has ended.
    static var current: UInt {
        if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
        let number = last.add(1, ordering: .relaxed).newValue
        let code = pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        precondition(code == 0, "no place for a value of this thread: error \(code)")
        return number
    }
}
