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

/// The handling of signals that stop a command.
///
/// SIGINT, SIGTERM, and SIGHUP ask the run to stop after its batch. A second signal ends the
/// process at once, and SQLite rolls back what was not saved.
///
/// A signal that is ignored when the process starts stays ignored: a script's shell ignores the
/// SIGINT of its background jobs, and `nohup` ignores SIGHUP.
///
/// GNU `timeout` and others signal a process and then its group, so signals within a second count as
/// one.
///
/// The handler notes the signal, and the stages check for it. A thread that waits for signals would
/// cost more than its start. In a process with one thread, reads and writes of the store are faster:
/// by 3 percent in an update of a whole table.
enum SignalHandling {
    /// The signals that stop a command.
    private static let stopping = [SIGINT, SIGTERM, SIGHUP]
    /// The time in nanoseconds during which further signals count as the first one.
    private static let together: UInt64 = 1_000_000_000
    /// The time of the first signal, in nanoseconds of the monotonic clock; 0 before it.
    private static let first = Atomic<UInt64>(0)
    private static let interruption = Interruption()

    static func install() -> Interruption {
        // Created here and not by the handler, which must not wait for a lock.
        let interruption = interruption
        _ = first.load(ordering: .relaxed)
        handleStops { SignalHandling.receive($0) }
        // A write over the limit of a file's size is an error, not a signal.
        signal(SIGXFSZ, SIG_IGN)
        return interruption
    }

    /// Ends the process at once on a signal, for commands that change nothing.
    static func endAtOnce() {
        handleStops { number in
            ChildProcess.endAll()
            TemporaryFiles.removeAll()
            _exit(128 + number)
        }
    }

    /// Installs a handler for the signals that stop a command, except for ignored signals.
    ///
    /// A system call that the signal interrupts is resumed after the handler (`SA_RESTART`).
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
        // A process inherits the blocked signals of the thread that started it.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // If the reader of stdout closes the pipe, that is a write error and not a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Handles a signal: the first one requests a stop, and a later one ends the process.
    ///
    /// It can interrupt any code of the process, so it takes no lock and allocates no memory.
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

    /// The handler function of a `sigaction`, whose C field has another name on each system.
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

    /// Whether the process ignores the signal.
    fileprivate var isIgnoring: Bool {
        // SIG_IGN is a number instead of a function's address.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
