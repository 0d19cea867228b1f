import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The exclusive right to write to a container's store, passed on in order of request.
///
/// SQLite's own locks are between connections. A container has one writing connection, so these
/// locks do not order the callers of one process.
///
/// A context keeps the lease from the first batch request of a unit of work to the end of the unit.
/// A second context that saves on the same thread in that time would wait for itself, so it fails
/// immediately.
final class WriteLease: Sendable {
    private struct Holder {
        /// The holder's activity, for the errors of waiting callers.
        let text: String
        /// The thread that took the lease; it also releases it, unless the context was moved.
        let thread: UInt
    }

    /// A caller in the queue.
    private final class Waiter: Sendable {
        let text: String
        let thread: UInt
        /// Signaled when the lease is passed to this caller.
        let granted = DispatchSemaphore(value: 0)

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

    /// The result of a wait.
    private enum Wait { case came, late, cancelled }

    private static let pollMilliseconds = 5

    /// Waits for the lease for as long as the options allow and the task is not canceled.
    ///
    /// - Parameter name: the name of the caller, for the errors of waiting callers.
    /// - Throws: `.busy` with the holder's name; `.cancelled`.
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
            let end = Self.wait(for: waiter.granted, options)
            guard end != .came, let holder = leave(waiter) else { return }
            guard end == .late else { throw StoreError(.cancelled, "The task was canceled") }
            throw StoreError(
                .busy,
                "\(path) is \(holder), which did not end in time; try again"
                    + " later, or raise `busyTimeoutMilliseconds`")
        }
    }

    /// Takes the lease to check for changes of other connections; returns `false` if it is taken.
    func takeToCheckIfFree() -> Bool {
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
        next?.granted.signal()
    }

    private static func wait(for granted: DispatchSemaphore, _ options: StoreOptions) -> Wait {
        let milliseconds = max(0, options.busyTimeoutMilliseconds)
        let step =
            options.lockPatience == nil ? min(pollMilliseconds, milliseconds) : pollMilliseconds
        let start = ContinuousClock.now
        while granted.wait(timeout: .now() + .milliseconds(step)) != .success {
            if Task.isCancelled { return .cancelled }
            let waited = ContinuousClock.now - start
            let goesOn =
                options.lockPatience?.waitsOn(after: waited)
                ?? (waited < .milliseconds(milliseconds))
            guard goesOn else { return .late }
        }
        return .came
    }

    /// Leaves the queue and returns the holder's activity; `nil` if the lease has just arrived.
    private func leave(_ waiter: Waiter) -> String? {
        state.withLock { state in
            guard let place = state.queue.firstIndex(where: { $0 === waiter }) else { return nil }
            state.queue.remove(at: place)
            return state.holder?.text
        }
    }
}

/// Unique numbers of threads.
enum ThreadNumber {
    private static let last = Atomic<UInt>(0)

    private static let key = {
        var key = pthread_key_t()
        let code = pthread_key_create(&key, nil)
        precondition(code == 0, "no key for values of threads: error \(code)")
        return key
    }()

    /// The number of the current thread, from 1; never reused.
    ///
    /// `pthread_self()` and the system's thread IDs may be reused after a thread ends.
    static var current: UInt {
        if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
        let number = last.add(1, ordering: .relaxed).newValue
        let code = pthread_setspecific(key, UnsafeRawPointer(bitPattern: number))
        precondition(code == 0, "no place for a value of this thread: error \(code)")
        return number
    }
}
