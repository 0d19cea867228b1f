import ArgumentParser
import FoundationEssentials
import Pipelines

/// The flag that sets parameters of a spec.
struct SetFlags: ParsableArguments {
    @Option(
        name: .customLong("set"), parsing: .singleValue,
        help: ArgumentHelp(
            "Set a parameter of the spec; may be repeated.", valueName: "name=value"),
        completion: Completion.parameters)
    var sets: [String] = []

    func validate() throws { try Self.validate(sets) }

    /// Checks that each `--set` value has the form `name=value`.
    ///
    /// - Throws: a usage error if one of them is not `name=value`.
    static func validate(_ sets: [String]) throws {
        for set in sets where Assignment(set) == nil {
            throw ValidationError("--set needs name=value, not '\(set)'")
        }
    }

    /// Returns the sources of parameter values for a command that reads a spec without running it.
    ///
    /// They are the flags, the environment, the current time, and the working folder.
    static func context(_ sets: [String] = []) -> ParameterValues.Context {
        ParameterValues.Context(
            sets: sets, environment: ProcessInfo.processInfo.environment, now: Date(),
            workingFolder: WorkingFolder.path)
    }
}
