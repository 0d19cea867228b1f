import ArgumentParser
import Pipelines

/// The flags for the amount and the format of messages on stderr.
struct VerbosityFlags: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show a line for each stage.")
    var verbose = false

    @Flag(name: .shortAndLong, help: "Print only errors and the requested output.")
    var quiet = false

    @Option(help: "The format of stderr: text, or json with one object per line.")
    var logFormat = TextFormat.text

    @Option(
        help: ArgumentHelp(
            "Print error (as -q), warning, or info (as -v) and above; by default, info on a terminal.",
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

/// The amount and the format of messages on stderr.
struct Verbosity {
    /// The lowest level that is printed; `nil` for info on a terminal, else warning.
    var level: LogLevel?
    var format = TextFormat.text

    func level(isInteractive: Bool) -> LogLevel { level ?? (isInteractive ? .info : .warning) }
}

/// The format of messages, or of a status.
enum TextFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// The levels of messages on stderr.
enum LogLevel: String, ExpressibleByArgument, CaseIterable {
    /// Errors that end the run.
    case error
    /// Warnings, too.
    case warning
    /// The results of each stage, too.
    case info
}

/// The arguments of `run`, `plan`, and `seed`: a spec, and options of its run.
struct LaunchFlags: ParsableArguments {
    @Argument(help: "The spec, a YAML file.", completion: .file(extensions: ["yaml", "yml"]))
    var spec: String

    @OptionGroup var parameters: SetFlags

    @OptionGroup var limits: RunLimits
    @OptionGroup var verbosity: VerbosityFlags

    @Option(help: "Show a progress bar on stderr: auto, always, or never.")
    var progress = ProgressMode.auto

    /// Runs the spec.
    ///
    /// - Parameter configure: sets options that not every run has.
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
