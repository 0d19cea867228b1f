package import Diagnostics
import Files
import Processes

/// The command of `on-failure`, for a run that has ended with another code than 0.
package struct FailureCommand: Sendable {
    private let command: Command

    /// - Parameters:
    ///   - report: the path of the run's report; nil if it wrote none.
    ///   - status: how the run ended.
    init(_ command: Command, report: String?, _ status: ExitStatus) {
        var command = command
        if let report { command.words.append(report) }
        command.variables["ETL_EXIT"] = String(status.rawValue)
        self.command = command
    }

    /// The code of a failure of the command, which `-q` does not hide.
    package static let problemCode = "run.on-failure"

    /// How long the command may take: the next run waits for the end of this one.
    private static let secondsMax = 300.0

    /// Starts the command, and waits for its end; what it writes is shown.
    ///
    /// It is ended after five minutes, or by a signal that comes while it runs.
    ///
    /// - Parameter warn: is also told of its failure, which changes nothing of how the run ended.
    package func run(
        _ interruption: Interruption, _ warn: @escaping @Sendable (Diagnostic) -> Void
    ) {
        // The signal that has ended the run is no reason to end this.
        let endedBySignal = interruption.signal != nil
        let start = ContinuousClock.now
        var isLate: Bool { ContinuousClock.now - start > .seconds(Self.secondsMax) }
        do throws(ChildProcess.StartFailure) {
            let child = try ChildProcess(
                command, .writing, show: command.telling(as: "on-failure", warn))
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

extension RunReporter {
    /// The command of `on-failure`, if there is one and the run ended so that it is to be started.
    ///
    /// - Parameter report: the path of the report, if it was written.
    func failureCommand(_ outcome: RunOutcome, report: String?) -> FailureCommand? {
        guard outcome.status != .ok, !run.options.isDry, run.options.allowsCommands,
            let spec = run.spec ?? SpecificationFile.read(file: file).spec,
            let command = spec.onFailure, CommandCheck.secrets(in: command, of: spec).isEmpty
        else { return nil }
        let values =
            run.values
            ?? .partial(spec, run.runner.context(now: run.options.now, runID: run.runID))
        let texts = command.words + command.variables.map(\.value)
        guard texts.allSatisfy(values.canResolve) else {
            run.runner.warn(
                Diagnostic(
                    .warning, code: FailureCommand.problemCode,
                    "The command of `on-failure` was not started, since a parameter in it has no "
                        + "value", at: .source(command.location),
                    fix: "pass --set name=value, or give the parameter a default"))
            return nil
        }
        return FailureCommand(values.command(command), report: report, outcome.status)
    }
}
