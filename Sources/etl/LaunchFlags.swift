import ArgumentParser
import Pipelines

/// How much a command that runs stages says on stderr.
struct Verbosity: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show a line for each stage.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show errors, and what was asked for, only.")
    var quiet = false

    func validate() throws {
        guard !(verbose && quiet) else {
            throw ValidationError("-v and -q contradict each other")
        }
    }
}

/// What `run`, `plan` and `seed` take: a spec, and how it is to be run.
struct LaunchFlags: ParsableArguments {
    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @OptionGroup var parameters: SetFlags

    @OptionGroup var limits: RunLimits
    @OptionGroup var verbosity: Verbosity

    @Option(help: "Show a progress bar on stderr: auto, always or never.")
    var progress = ProgressMode.auto

    /// Runs the spec.
    ///
    /// - Parameter configure: sets options beyond those of every run.
    func run(_ configure: (inout RunOptions) -> Void = { _ in }) -> RunOutcome {
        Launch(sets: parameters.sets, verbosity: verbosity, progress: progress).show(
            { options in
                limits.apply(to: &options)
                configure(&options)
            }, { $0.run(spec) })
    }
}
