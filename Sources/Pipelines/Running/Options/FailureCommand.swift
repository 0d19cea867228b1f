package import Diagnostics
import Processes

/// The command of `on-failure`, which runs after a run that ended with a status other than 0.
package struct FailureCommand: Sendable {
    private let command: Command

    /// Completes the command of a spec with the report's path as an argument, and with environment
    /// variables about the run.
    ///
    /// - Parameters:
    ///   - report: the path of the run's report; `nil` if no report was written.
    ///   - status: the exit status of the run.
    init(_ command: Command, report: String?, _ status: ExitStatus) {
        var command = command
        if let report { command.words.append(report) }
        command.variables["ETL_EXIT"] = String(status.rawValue)
        self.command = command
    }

    /// The code of a failure of the command.
    ///
    /// `-q` does not hide it.
    package static let problemCode = "run.on-failure"

    /// The maximum duration of the command.
    ///
    /// The next scheduled run may wait until this one has ended.
    private static let secondsMax = 300.0

    /// Starts the command, shows its output, and waits until it ends.
    ///
    /// Terminates the command after 5 minutes, or if a signal arrives while it runs.
    ///
    /// - Parameter warn: also reports a failure of the command, which does not change the exit
    ///   status.
    package func run(
        _ interruption: Interruption, _ warn: @escaping @Sendable (Diagnostic) -> Void
    ) {
        // The signal that ended the run must not end the command.
        let endedBySignal = interruption.signal != nil
        let start = ContinuousClock.now
        var isLate: Bool { ContinuousClock.now - start > .seconds(Self.secondsMax) }
        do throws(ChildProcess.StartFailure) {
            let child = try ChildProcess(
                command, .writing, show: command.reporting(as: "on-failure", warn))
            let ending = child.waitForEnd {
                isLate || !endedBySignal && interruption.signal != nil
            }
            guard let ending else {
                return warn(
                    problem("was ended, " + (isLate ? "after five minutes" : "by a signal")))
            }
            if !ending.isGood { warn(problem("ended \(ending.text)")) }
        } catch {
            warn(problem("cannot be started: \(error.reason)"))
        }
    }

    private func problem(_ what: String) -> Diagnostic {
        Diagnostic(
            .warning, code: Self.problemCode,
            "The command of `on-failure` \(what): \(command.text)",
            fix: "run it by hand in the spec's folder")
    }
}
