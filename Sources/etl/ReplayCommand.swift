import ArgumentParser
import Pipelines

/// Reads the rejects of a run once more: `etl replay RUN`.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Import a run's rejects through today's spec, and drain what passes.",
        discussion: """
            The run's folder of rejects names its spec and parameters. Its records are read as \
            they stand there, so they may have been mended in place. What is imported is taken \
            out of the folder, what is refused again stays with its new reasons; other stages do \
            not run. A replay that is stopped or killed is completed by the next one, and no \
            record is lost or imported twice.

            It takes one run, since each was another run's state of things; of several begin with \
            the oldest: `for run in rejects/*; do etl replay "$run"; done`.

            Exit status: 0 nothing is left, or no more than is allowed; 65 records are left; 66 \
            there are no such rejects; 75 another replay, or a run that was killed while it wrote \
            these rejects, must be completed first; and those of run.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            The folder of the run's rejects, its report, its id if that is in ./rejects, or a spec, \
            whose last run is meant.
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
