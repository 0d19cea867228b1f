package import Diagnostics
import Files

extension ExitStatus {
    /// Creates the exit status of a fault.
    ///
    /// All commands use this mapping.
    package init(_ fault: Fault) {
        self =
            switch (fault.origin, fault.kind) {
            case (_, .usage): .usage
            case (_, .resources): .osError
            case (_, .busy): .temporaryFailure
            // All faults that keep an output from being created have one status.
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

/// The common faults, each named after its exit status.
extension Fault {
    /// A flag or an argument is not valid.
    package static let usage = Fault(.spec, .usage)
    /// The data is damaged, or a guard rejected it.
    package static let dataError = Fault(.inputData, .invalid)
    /// An input is missing.
    package static let noInput = Fault(.input, .missing)
    /// An output cannot be created.
    package static let cannotCreate = Fault(.output, .notCreated)
    /// Reading or writing a file of the run failed.
    package static let ioError = Fault(.output, .inputOutput)
    /// Memory, threads, or file descriptors ran out.
    package static let osError = Fault(.program, .resources)
    /// The store is in use.
    package static let temporaryFailure = Fault(.store, .busy)
    /// The process has no permission to use the store.
    package static let noPermission = Fault(.store, .permission)
    /// The spec, its parameters, or the model is invalid.
    package static let configuration = Fault(.spec, .invalid)
    /// An error in etl.
    package static let software = Fault(.program, .invalid)
}
