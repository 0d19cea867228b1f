/// The reason why a run must stop early.
package enum StopReason: Sendable, Hashable {
    /// SIGINT, SIGTERM, or SIGHUP, by number.
    case signal(Int32)
    /// `budget.time` or `--timeout`.
    case timeLimit

    /// The exit status of a run that stopped for this reason.
    var status: ExitStatus {
        switch self {
        case .signal(15): .terminated
        case .signal(1): .hungUp
        case .signal: .interrupted
        case .timeLimit: .temporaryFailure
        }
    }
}
