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
}
