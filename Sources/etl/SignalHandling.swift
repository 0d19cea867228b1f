import Pipelines
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGINT and SIGTERM ask the run to stop after its batch; a second one ends the process at once,
/// and SQLite rolls back what was not saved.
///
/// Who stops a process often signals it and then its group, as GNU `timeout` does, so signals
/// that come together are one.
///
/// The handler notes the signal, and who works looks at that now and then. A thread that waits for
/// signals would cost more than its start: in a process of one thread each read and write of the
/// store is cheaper (0.03 of the time of an update over a whole table).
enum SignalHandling {
    /// Nanoseconds after the first signal in which another is the same one.
    private static let together: UInt64 = 1_000_000_000
    /// When the first signal came, in nanoseconds of the monotonic clock; 0 while none has.
    private static let first = Atomic<UInt64>(0)
    private static let interruption = Interruption()

    static func install() -> Interruption {
        // Made here and not by the handler, which must not wait for anything.
        let interruption = interruption
        _ = first.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] { handle(number) { SignalHandling.receive($0) } }
        unblock()
        // A reader of our stdout that goes away is an error of writing, not a signal.
        signal(SIGPIPE, SIG_IGN)
        // So is a limit on the size of files.
        signal(SIGXFSZ, SIG_IGN)
        return interruption
    }

    /// Lets SIGINT and SIGTERM come: who starts a process from a thread that blocks them passes
    /// that on.
    static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// What a thread was waiting for goes on after the handler (`SA_RESTART`).
    private static func handle(
        _ number: Int32, by handler: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        #if canImport(Glibc)
            action.__sigaction_handler.sa_handler = handler
        #elseif canImport(Musl)
            action.__sa_handler.sa_handler = handler
        #else
            action.__sigaction_u.__sa_handler = handler
        #endif
        action.sa_flags = Int32(SA_RESTART)
        sigemptyset(&action.sa_mask)
        sigaction(number, &action, nil)
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
            _exit(128 + number)
        }
    }
}
