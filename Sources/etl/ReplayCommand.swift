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

            Exit status: 0 nothing is left, or no more than is allowed; 65 records are left; 66 \
            there are no such rejects; 75 another run must be completed first; and those of run.
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder of the run's rejects, or the run's id if that is in ./rejects.",
            valueName: "run"), completion: .directory)
    var rejects: String

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set a parameter otherwise than the run did; may be repeated.", valueName: "name=value")
    )
    var sets: [String] = []

    @Option(
        help: ArgumentHelp(
            "What to do while another run works on the store: fail (75), skip (0), or wait=30m.",
            valueName: "policy"))
    var ifLocked = LockedFlag(policy: .fail)

    @Option(
        help: ArgumentHelp(
            "Save and stop with 75 after this time; the next replay goes on.", valueName: "30m"))
    var timeout: DurationFlag?

    @Option(
        help: ArgumentHelp(
            "Records that may be left, in place of `rejects.allow`.", valueName: "n or n%"))
    var allowRejects: CountLimit?

    @Flag(name: .shortAndLong, help: "Show a line for each stage.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show errors only.")
    var quiet = false

    func validate() throws {
        guard !(verbose && quiet) else {
            throw ValidationError("-v and -q contradict each other")
        }
        try ParameterFlags.validate(sets)
    }

    func run() throws {
        let launch = Launch(
            sets: sets, limits: nil, isVerbose: verbose, isQuiet: quiet, progress: .auto)
        let outcome = launch.show(
            { options in
                options.ifLocked = ifLocked.policy
                options.timeoutSeconds = timeout?.seconds
                options.allowedRejects = allowRejects
            },
            { $0.replay(rejects) })
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
