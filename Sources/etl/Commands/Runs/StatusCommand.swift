import ArgumentParser
import FoundationEssentials
import Pipelines

/// Shows the state of a pipeline: `etl status SPEC`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a pipeline's last run, its result, and unfinished work.",
        discussion: """
            Reads the reports of the runs, and the lock next to the store, which names a run that \
            is active or was killed before it wrote a report. Changes nothing, and does not wait. \
            After `etl import`, name the store: its reports are in the folder runs next to it, \
            and the status is that of the pipeline that used the store last. A killed run shows \
            how many records it has saved; the next run continues. It may have left the store \
            without some indexes and links; then the store cannot be read until the next run.

            Exit status:
              0 ok
              1 no run has finished, or no complete run within --max-age exited with 0
              66 nothing is known of a run on the store
              78 the spec is wrong, or needs a parameter to name its store
            """)

    @Argument(
        help: "The spec, a YAML file, or a store that `etl import` wrote.", completion: .file())
    var spec: String

    @OptionGroup var parameters: SetFlags

    @Option(
        help: ArgumentHelp(
            "Exit with 1 if no run of this age or younger exited with 0.", valueName: "26h"),
        transform: DurationFlag.init)
    var maxAge: DurationFlag?

    @Option(help: "The format: text or json.")
    var format = TextFormat.text

    @Flag(name: .shortAndLong, help: "Print nothing; only the exit status.")
    var quiet = false

    func run() throws {
        SignalHandling.endAtOnce()
        let context = SetFlags.context(parameters.sets)
        let status = try PipelineStatus.of(spec: spec, context)
        switch format {
        case _ where quiet: break
        case .text: StandardOutput.show(status.text(now: context.now))
        case .json: StandardOutput.write(status.formattedJSON)
        }
        guard !status.isStale(now: context.now, maxAgeSeconds: maxAge?.seconds) else {
            throw ExitCode(ExitStatus.check.rawValue)
        }
    }
}
