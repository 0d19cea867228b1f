import ArgumentParser
import Pipelines

/// The flags that say how much a command that runs stages says on stderr, and in which form.
struct VerbosityFlags: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show a line for each stage.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Show errors, and what was asked for, only.")
    var quiet = false

    @Option(help: "The form of what is shown on stderr: text, or json, an object a line.")
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            "Show so much: error (as -q), warning, or info (as -v); info on a terminal.",
            valueName: "level"))
    var logLevel: LogLevel?

    func validate() throws {
        guard !(verbose && quiet) else {
            throw ValidationError("-v and -q contradict each other")
        }
        guard logLevel == nil || !(verbose || quiet) else {
            throw ValidationError("--log-level and \(verbose ? "-v" : "-q") contradict each other")
        }
    }

    var verbosity: Verbosity {
        Verbosity(
            level: logLevel ?? (quiet ? .error : verbose ? .info : nil), format: logFormat)
    }
}

/// How much a command that runs stages says on stderr, and in which form.
struct Verbosity {
    /// What is shown; nil for more where a person may be watching.
    var level: LogLevel?
    var format = LogFormat.text

    func level(isInteractive: Bool) -> LogLevel { level ?? (isInteractive ? .info : .warning) }
}

/// The form of what a run says on stderr.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// How much a run says on stderr.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    /// Why it failed.
    case error
    /// What may be wrong, too.
    case warning
    /// What each stage did, too.
    case info
}

/// What `run`, `plan` and `seed` take: a spec, and how it is to be run.
struct LaunchFlags: ParsableArguments {
    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @OptionGroup var parameters: SetFlags

    @OptionGroup var limits: RunLimits
    @OptionGroup var verbosity: VerbosityFlags

    @Option(help: "Show a progress bar on stderr: auto, always or never.")
    var progress = ProgressMode.auto

    /// Runs the spec.
    ///
    /// - Parameter configure: sets options beyond those of every run.
    func run(_ configure: (inout RunOptions) -> Void = { _ in }) -> RunOutcome {
        Launch(
            sets: parameters.sets, verbosity: verbosity.verbosity, progress: progress
        ).show(
            { options in
                limits.apply(to: &options)
                configure(&options)
            }, { $0.run(spec) })
    }
}
