package import Files

/// The origin of a failure.
package enum FaultOrigin: Sendable, Hashable, CaseIterable {
    /// The content of an input.
    case inputData
    /// Opening or reading an input.
    case input
    /// An output, a reject file, a report, or another file that a run writes.
    case output
    /// The store and the files next to it.
    case store
    /// The spec, its parameters, the model, or a flag.
    case spec
    /// etl itself, or the system resources that it needs.
    case program
}

/// The origin and the kind of a failure, which determine the exit status.
package struct Fault: Sendable, Hashable {
    /// The origin of the failure.
    package var origin: FaultOrigin
    /// The kind of the failure.
    package var kind: FaultKind

    /// Creates a fault.
    package init(_ origin: FaultOrigin, _ kind: FaultKind) {
        self.origin = origin
        self.kind = kind
    }

    /// Returns the fault among several ones that determines the exit status.
    ///
    /// Only faults that the user cannot correct in a file count.
    ///
    /// Permissions come first, then resources, then input and output. Returns `nil` if there is no
    /// such fault.
    package static func deciding(among faults: [Fault]) -> Fault? {
        let order: [FaultKind] = [.permission, .resources, .inputOutput]
        return order.lazy.compactMap { kind in faults.first { $0.kind == kind } }.first
    }
}

extension SystemFault {
    /// The diagnostic code if this failure occurs while a file is read, such as `file.missing`.
    package var code: String {
        switch kind {
        case .missing: "file.missing"
        case .permission: "file.permission"
        case .resources: "file.resources"
        default: "file.unreadable"
        }
    }

    /// Returns the diagnostic for a file that a spec names and that cannot be read.
    package func diagnostic(reading path: String) -> Diagnostic {
        Diagnostic(
            code: code,
            kind == .missing
                ? "The file does not exist" : "The file cannot be read: \(text)",
            at: .file(path), fault: Fault(.spec, kind))
    }
}
