#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The processes of this system, whose IDs are part of the names of temporary files.
package enum SystemProcess {
    /// The ID of this process.
    package static var number: Int32 { getpid() }

    /// Returns whether a process of this ID exists, including processes of other users.
    package static func isRunning(_ process: Int32) -> Bool {
        process > 0 && (kill(process, 0) == 0 || errno != ESRCH)
    }

    /// Sends `SIGTERM` to a process or its process group, or `SIGKILL` if `atOnce` is true.
    ///
    /// A signal handler may call it.
    package static func end(_ process: Int32, group: Bool, atOnce: Bool) {
        guard process > 1 else { return }
        _ = kill(group ? -process : process, atOnce ? SIGKILL : SIGTERM)
    }

    /// Whether this process has a terminal, on which its commands can prompt the user.
    package static var hasTerminal: Bool {
        guard let terminal = try? FileSystem.open("/dev/tty", .reading) else { return false }
        FileSystem.close(terminal)
        return true
    }
}
