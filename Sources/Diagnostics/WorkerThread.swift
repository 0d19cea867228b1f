internal import Dispatch
internal import Files
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The failure of the system to create a thread.
package struct ThreadShortage: Error, Sendable, Hashable {
    /// The system's message.
    package let reason: String
    /// The origin and the kind of the failure.
    package var fault: Fault { Fault(.program, .resources) }
}

/// A thread that runs jobs one after another.
///
/// It is created with the first job. After its owner is released, it ends when all jobs have run.
///
/// A Dispatch queue is not suitable: if the system cannot create a thread, Dispatch retries
/// forever, and the process hangs.
package final class WorkerThread: Sendable {
    private final class Mailbox: Sendable {
        struct State {
            var jobs: [@Sendable () -> Void] = []
            var isStarted = false
            var isEnding = false
        }

        let state = Mutex(State())
        let changes = DispatchSemaphore(value: 0)

        func runJobs() {
            while true {
                changes.wait()
                let (job, isEnding) = state.withLock { state in
                    (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isEnding)
                }
                if let job { job() } else if isEnding { return }
            }
        }
    }

    private let mailbox = Mailbox()

    /// Creates a worker that has no thread yet.
    package init() {}

    deinit {
        mailbox.state.withLock { $0.isEnding = true }
        mailbox.changes.signal()
    }

    /// Adds a job that runs after the earlier jobs.
    ///
    /// - Throws: `ThreadShortage` if the thread cannot be created; the job is then dropped.
    package func run(_ job: @escaping @Sendable () -> Void) throws(ThreadShortage) {
        if !mailbox.state.withLock(\.isStarted) {
            let mailbox = mailbox
            try Self.start { mailbox.runJobs() }
            mailbox.state.withLock { $0.isStarted = true }
        }
        mailbox.state.withLock { $0.jobs.append(job) }
        mailbox.changes.signal()
    }

    /// Adds a job that runs after the earlier jobs, or runs it here if it can get no thread.
    package func runAnyway(_ job: @escaping @Sendable () -> Void) {
        do throws(ThreadShortage) {
            try run(job)
        } catch {
            // Slower without a thread, but it works.
            job()
        }
    }

    /// Waits until all jobs added so far have run.
    package func wait() {
        guard mailbox.state.withLock(\.isStarted) else { return }
        let done = DispatchSemaphore(value: 0)
        mailbox.state.withLock { $0.jobs.append { done.signal() } }
        mailbox.changes.signal()
        done.wait()
    }

    /// Runs a closure on a new thread.
    ///
    /// - Throws: `ThreadShortage` if the thread cannot be created; the closure is then dropped.
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadShortage) {
        let argument = Unmanaged.passRetained(Body(body))
        let code = withSignalsBlocked { create(argument.toOpaque()) }
        guard code == 0 else {
            argument.release()
            throw ThreadShortage(reason: SystemFault(code).text)
        }
    }

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The stack size of a thread, equal to a typical main thread's.
    ///
    /// The defaults of musl and macOS are too small for nested documents.
    private static let stackBytes = 8 << 20

    private static func create(_ argument: UnsafeMutableRawPointer) -> Int32 {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return ENOMEM }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        return pthread_create(&thread, &attributes, runBody, argument)
    }

    /// Runs a closure with signals blocked.
    ///
    /// A thread created in it inherits the blocked signals, so the main thread receives them all.
    private static func withSignalsBlocked(_ body: () -> Int32) -> Int32 {
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF] {
            sigdelset(&all, number)
        }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    #if canImport(Glibc) || canImport(Musl)
        private static let runBody:
            @convention(c) (UnsafeMutableRawPointer?) ->
                UnsafeMutableRawPointer? = { argument in
                    if let argument {
                        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    }
                    return nil
                }
    #else
        private static let runBody:
            @convention(c) (UnsafeMutableRawPointer) ->
                UnsafeMutableRawPointer? = { argument in
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }
    #endif
}
