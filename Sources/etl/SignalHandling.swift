import Dispatch
import Pipelines

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGINT and SIGTERM ask the run to stop after its batch; a second one ends the process at once,
/// and SQLite rolls back what was not saved.
enum SignalHandling {
    static func install() -> Interruption {
        let interruption = Interruption()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(
                signal: number, queue: DispatchQueue(label: "etl.signals.\(number)"))
            source.setEventHandler {
                if interruption.signal != nil { _exit(128 + number) }
                interruption.request(signal: number)
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
}
