/// How a command ended, by the numbers of sysexits.h; cron jobs and scripts rely on them.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case ok = 0
    /// A question was answered with no, such as whether two models are equal.
    case check = 1
    /// A bad flag or argument.
    case usage = 64
    /// Rejects over the limit, damaged input, or a guard that held.
    case dataError = 65
    /// An input or the store is missing.
    case noInput = 66
    /// A mistake of ours.
    case software = 70
    /// Out of memory, threads or descriptors.
    case osError = 71
    /// An output or reject file cannot be made.
    case cannotCreate = 73
    /// The disk is full, or reading or writing failed.
    case ioError = 74
    /// The lock is held: try later.
    case temporaryFailure = 75
    /// Permission denied.
    case noPermission = 77
    /// The spec, its parameters or the model are wrong.
    case configuration = 78
    /// Stopped by SIGHUP.
    case hungUp = 129
    /// Stopped by SIGINT.
    case interrupted = 130
    /// Stopped by SIGTERM.
    case terminated = 143
}
