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

    /// The number of processors that threads of this process may use, at least 1.
    package static var processorCount: Int {
        max(1, allowedProcessors() ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// The number of processors that this process may use; `nil` if the system does not report it.
    private static func allowedProcessors() -> Int? {
        // Only Linux has this file, and a sandbox may hide it.
        guard let bytes = try? FileSystem.contents("/proc/self/status", first: 4096) else {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // `Cpus_allowed:` and a mask, in hexadecimal.
        let line = text.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        let digits = line?.dropFirst("Cpus_allowed:".count).compactMap(\.hexDigitValue)
        return digits.map { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }

    /// Whether this process has a controlling terminal, on which its commands can ask questions.
    package static var hasTerminal: Bool {
        // Opening fails if the process has no terminal.
        guard let terminal = try? FileSystem.open("/dev/tty", .reading) else { return false }
        FileSystem.close(terminal)
        return true
    }
}
