import Files
import Pipelines
import Processes
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP ask the run to stop after its batch; a second one ends the process at
/// once, and SQLite rolls back what was not saved.
///
/// One that is ignored when the process starts is left ignored: a script's shell does so with the
/// SIGINT of its background jobs, and `nohup` with SIGHUP.
///
/// Who stops a process often signals it and then its group, as GNU `timeout` does, so signals
/// that come together are one.
///
/// The handler notes the signal, and who works looks at that now and then. A thread that waits for
/// signals would cost more than its start: in a process of one thread each read and write of the
/// store is cheaper (0.03 of the time of an update over a whole table).
enum SignalHandling {
    /// The signals that stop a command.
    private static let stopping = [SIGINT, SIGTERM, SIGHUP]
    /// Nanoseconds after the first signal in which another is the same one.
    private static let together: UInt64 = 1_000_000_000
    /// When the first signal came, in nanoseconds of the monotonic clock; 0 while none has.
    private static let first = Atomic<UInt64>(0)
    private static let interruption = Interruption()

    static func install() -> Interruption {
        // Made here and not by the handler, which must not wait for anything.
        let interruption = interruption
        _ = first.load(ordering: .relaxed)
        handleStops { SignalHandling.receive($0) }
        // So is a limit on the size of files.
        signal(SIGXFSZ, SIG_IGN)
        return interruption
    }

    /// Ends the process at once on what stops a command, for those that change nothing.
    static func endAtOnce() {
        handleStops { number in
            ChildProcess.endAll()
            TemporaryFiles.removeAll()
            _exit(128 + number)
        }
    }

    /// What a thread was waiting for goes on after the handler (`SA_RESTART`).
    private static func handleStops(by handler: @escaping @convention(c) (Int32) -> Void) {
        ChildProcess.prepareToEndAll()
        TemporaryFiles.prepare()
        var action = sigaction()
        action.handler = handler
        action.sa_flags = Int32(SA_RESTART)
        sigemptyset(&action.sa_mask)
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in stopping {
            var inherited = sigaction()
            sigaction(number, nil, &inherited)
            guard !inherited.isIgnoring else { continue }
            sigaction(number, &action, nil)
            sigaddset(&signals, number)
        }
        // Who starts a process from a thread that blocks signals passes that on.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // A reader of our stdout that goes away is an error of writing, not a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs in the middle of anything that the process does, so it takes no lock and no memory.
    private static func receive(_ number: Int32) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let time = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
        let (isFirst, before) = first.compareExchange(
            expected: 0, desired: time, ordering: .relaxed)
        if isFirst {
            interruption.request(signal: number)
        } else if time >= before + together {
            ChildProcess.endAll()
            TemporaryFiles.removeAll()
            _exit(128 + number)
        }
    }
}

extension sigaction {
    fileprivate typealias Handler = @convention(c) (Int32) -> Void

    /// What is called; the systems name it in ways of their own.
    fileprivate var handler: Handler? {
        get {
            #if canImport(Glibc)
                __sigaction_handler.sa_handler
            #elseif canImport(Musl)
                __sa_handler.sa_handler
            #else
                __sigaction_u.__sa_handler
            #endif
        }
        set {
            #if canImport(Glibc)
                __sigaction_handler.sa_handler = newValue
            #elseif canImport(Musl)
                __sa_handler.sa_handler = newValue
            #else
                __sigaction_u.__sa_handler = newValue
            #endif
        }
    }

    /// The signal does nothing.
    fileprivate var isIgnoring: Bool {
        // The mark is a number in place of a function's address.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
