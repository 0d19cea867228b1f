package import Files

/// Where a failure comes from.
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
    /// etl itself, or the resources that the system gives it.
    case program
}

/// The origin and the kind of a failure, from which the exit status follows.
package struct Fault: Sendable, Hashable {
    /// Where it comes from.
    package var origin: FaultOrigin
    /// What kind of failure it is.
    package var kind: FaultKind

    /// Makes a fault.
    package init(_ origin: FaultOrigin, _ kind: FaultKind) {
        self.origin = origin
        self.kind = kind
    }

    /// The fault that decides how a command ends, whatever else is wrong: one that the user cannot
    /// correct in a file; nil if there is none.
    package static func deciding(among faults: [Fault]) -> Fault? {
        let order: [FaultKind] = [.permission, .resources, .inputOutput]
        return order.lazy.compactMap { kind in faults.first { $0.kind == kind } }.first
    }
}

extension SystemFault {
    /// The stable code for a file that cannot be read.
    package var code: String {
        switch kind {
        case .missing: "file.missing"
        case .permission: "file.permission"
        case .resources: "file.resources"
        default: "file.unreadable"
        }
    }

    /// What is said of a file of the spec that cannot be read.
    package func diagnostic(reading path: String) -> Diagnostic {
        Diagnostic(
            code: code,
            kind == .missing
                ? "The file does not exist" : "The file cannot be read: \(text)",
            at: .file(path), fault: Fault(.spec, kind))
    }
}
