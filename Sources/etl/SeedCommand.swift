import ArgumentParser
import Pipelines

/// Fills a store that need not be there: `etl seed SPEC`.
struct SeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Run a spec whose store is made where it is missing, such as one for tests.",
        discussion: """
            As `etl run`, with `store.open: create` whatever the spec says. Records may come from \
            files or from `read: { generate: 1000, seed: 7 }`, whose equal seeds make equal \
            stores but for their UUID.
            """)

    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp("Set a parameter of the spec; may be repeated.", valueName: "name=value")
    )
    var sets: [String] = []

    @Flag(help: "Build the store anew and swap it in at the end.")
    var fresh = false

    @OptionGroup var limits: RunLimits

    @Flag(name: .shortAndLong, help: "Show a line for each stage.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show errors only.")
    var quiet = false

    @Option(help: "Show a progress bar on stderr: auto, always or never.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard !(verbose && quiet) else {
            throw ValidationError("-v and -q contradict each other")
        }
        try ParameterFlags.validate(sets)
    }

    func run() throws {
        let launch = Launch(
            sets: sets, limits: limits, isVerbose: verbose, isQuiet: quiet, progress: progress)
        let outcome = launch.run(spec, opening: fresh ? .replace : .create)
        if outcome.status != .ok { throw ExitCode(outcome.status.rawValue) }
    }
}
