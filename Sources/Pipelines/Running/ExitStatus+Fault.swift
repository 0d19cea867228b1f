package import Diagnostics
import Files

extension ExitStatus {
    /// How a command ends for a fault: the one place where that is decided.
    package init(_ fault: Fault) {
        self =
            switch (fault.origin, fault.kind) {
            case (_, .usage): .usage
            case (_, .resources): .osError
            case (_, .busy): .temporaryFailure
            // What a run writes has one status for everything that keeps the file from being made.
            case (.output, .permission), (.output, .notCreated), (.output, .missing),
                (.output, .invalid):
                .cannotCreate
            case (_, .permission): .noPermission
            case (_, .inputOutput): .ioError
            case (_, .notCreated): .cannotCreate
            case (.input, .missing), (.store, .missing): .noInput
            case (.input, .invalid): .ioError
            case (.inputData, _): .dataError
            case (.spec, _), (.store, _): .configuration
            case (.program, _): .software
            }
    }
}

/// The common faults, each named as the status that it leads to.
extension Fault {
    /// A flag or an argument is wrong.
    package static let usage = Fault(.spec, .usage)
    /// The data is damaged, or a guard refused it.
    package static let dataError = Fault(.inputData, .invalid)
    /// An input is missing.
    package static let noInput = Fault(.input, .missing)
    /// An output cannot be made.
    package static let cannotCreate = Fault(.output, .notCreated)
    /// Reading or writing a file of the run failed.
    package static let ioError = Fault(.output, .inputOutput)
    /// Memory, threads, or descriptors ran out.
    package static let osError = Fault(.program, .resources)
    /// The store is in use.
    package static let temporaryFailure = Fault(.store, .busy)
    /// The store may not be used.
    package static let noPermission = Fault(.store, .permission)
    /// The spec, its parameters, or the model are wrong.
    package static let configuration = Fault(.spec, .invalid)
    /// A mistake of etl.
    package static let software = Fault(.program, .invalid)
}
