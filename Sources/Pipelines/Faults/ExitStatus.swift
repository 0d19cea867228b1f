/// The exit status of a command, with the numbers of sysexits.h.
///
/// Cron jobs and scripts rely on them.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case ok = 0
    /// The answer is no, for example if two models differ.
    case check = 1
    /// A bad flag or argument.
    case usage = 64
    /// Too many rejects, damaged input, or a failed guard.
    case dataError = 65
    /// An input or the store is missing.
    case noInput = 66
    /// An error in etl.
    case software = 70
    /// Out of memory, threads, or file descriptors.
    case osError = 71
    /// An output or reject file cannot be created.
    case cannotCreate = 73
    /// The disk is full, or reading or writing failed.
    case ioError = 74
    /// The lock is held; try again later.
    case temporaryFailure = 75
    /// Permission denied.
    case noPermission = 77
    /// The spec, its parameters, or the model is invalid.
    case configuration = 78
    /// Stopped by SIGHUP.
    case hungUp = 129
    /// Stopped by SIGINT.
    case interrupted = 130
    /// Stopped by SIGTERM.
    case terminated = 143
}
