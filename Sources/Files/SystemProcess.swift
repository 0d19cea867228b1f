#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The processes of this system, after which temporary files are named.
package enum SystemProcess {
    /// The number of this one.
    package static var number: Int32 { getpid() }

    /// Whether a process of that number is there; one that is not ours counts as well.
    package static func isRunning(_ process: Int32) -> Bool {
        process > 0 && (kill(process, 0) == 0 || errno != ESRCH)
    }

    /// Asks a process to end, or ends it; of one that leads a group, all of that.
    ///
    /// A signal's handler may call it.
    package static func end(_ process: Int32, group: Bool, atOnce: Bool) {
        guard process > 1 else { return }
        _ = kill(group ? -process : process, atOnce ? SIGKILL : SIGTERM)
    }

    /// Whether this process has a terminal, at which its commands may ask for something.
    package static var hasTerminal: Bool {
        guard let terminal = try? FileSystem.open("/dev/tty", .reading) else { return false }
        FileSystem.close(terminal)
        return true
    }
}
