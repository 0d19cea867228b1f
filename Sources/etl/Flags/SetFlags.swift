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

    /// Checks the form of the parameters.
    ///
    /// - Throws: a usage error if one of them is not `name=value`.
    static func validate(_ sets: [String]) throws {
        for set in sets where Assignment(set) == nil {
            throw ValidationError("--set needs name=value, not '\(set)'")
        }
    }

    /// The sources of values for a command that only reads.
    static func context(_ sets: [String] = []) -> ParameterValues.Context {
        ParameterValues.Context(
            sets: sets, environment: ProcessInfo.processInfo.environment, now: Date(),
            workingFolder: WorkingFolder.path)
    }
}
