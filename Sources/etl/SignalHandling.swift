import Dispatch
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
enum SignalHandling {
    /// How long after the first signal another is the same one.
    private static let together = Duration.seconds(1)
    private static let first = Mutex<ContinuousClock.Instant?>(nil)

    static func install() -> Interruption {
        let interruption = Interruption()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue(label: "etl.signals.\(number)"))
            source.setEventHandler {
                guard let first = takeFirst() else { return interruption.request(signal: number) }
                if first.duration(to: .now) >= together { _exit(128 + number) }
            }
            source.activate()
            // The source must live as long as the process.
            _ = Unmanaged.passRetained(source as AnyObject)
        }
        // A reader of our stdout that goes away is an error of writing, not a signal.
        signal(SIGPIPE, SIG_IGN)
        // So is a limit on the size of files.
        signal(SIGXFSZ, SIG_IGN)
        return interruption
    }

    /// When the first signal came; nil where this is it.
    private static func takeFirst() -> ContinuousClock.Instant? {
        first.withLock { first in
            defer { first = first ?? .now }
            return first
        }
    }
}
