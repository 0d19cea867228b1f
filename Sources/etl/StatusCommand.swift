import ArgumentParser
import FoundationEssentials
import Pipelines

/// Tells how a pipeline stands: `etl status SPEC`.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show a pipeline's last run, who is at work, and what is to be completed.",
        discussion: """
            A run is known from its report; one that is at work, or was killed before it could \
            write one, from the lock beside the store. Nothing is changed, and nothing is waited \
            for.

            Exit status: 0 ok; 1 no run has come to its end, or none within --max-age ended \
            with 0; 78 the spec is wrong, or needs a parameter to name its store.
            """)

    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @OptionGroup var parameters: SetFlags

    @Option(
        help: ArgumentHelp(
            "End with 1 where no run of this age or younger ended with 0.", valueName: "26h"),
        transform: DurationFlag.init)
    var maxAge: DurationFlag?

    @Flag(name: .shortAndLong, help: "Print nothing; the exit status tells.")
    var quiet = false

    func run() throws {
        SignalHandling.endAtOnce()
        let context = SetFlags.context(parameters.sets)
        let status: PipelineStatus
        do throws(RunFailure) {
            status = try PipelineStatus.of(spec: spec, context)
        } catch {
            throw error.shown()
        }
        if !quiet { StandardOutput.show(status.text(now: context.now)) }
        guard !status.isStale(now: context.now, maxAgeSeconds: maxAge?.seconds) else {
            throw ExitCode(ExitStatus.check.rawValue)
        }
    }
}
