import ArgumentParser
import Pipelines

/// Imports the rejects of a run: `etl replay RUN`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Import the rejects of a run with the current spec.",
        discussion: """
            The folder of rejects names the spec and the parameters of its run. You can correct \
            the records in this folder. A replay removes each imported record from the folder; the \
            others stay with their new reasons. Other stages do not run. The next replay completes \
            one that was stopped or killed. No record is lost or imported twice.

            Warning: a rejected record may be older than the object in the store, and overwrites \
            it. If a later run has imported records, and the replay updates objects, it prints a \
            warning with their number. With `when-found: skip`, existing objects are not updated.

            Each replay takes one run. For several, begin with the oldest: \
            `for run in rejects/*; do etl replay "$run"; done`.

            Exit status:
              0 no more rejects are left than allowed
              65 more are left
              66 the rejects are missing
              75 another replay or the run itself must be completed first
              others as for run
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The run's reject folder, its report, or its ID if the folder is in ./rejects; or a \
            spec, for its last run that has rejects left.
            """,
            valueName: "run"), completion: .file())
    var rejects: String

    @OptionGroup var parameters: SetFlags

    @OptionGroup var conditions: RunConditions
    @OptionGroup var verbosity: VerbosityFlags

    func run() throws {
        let outcome = Launch(sets: parameters.sets, verbosity: verbosity.verbosity)
            .show({ conditions.apply(to: &$0) }, { $0.replay(rejects) })
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
