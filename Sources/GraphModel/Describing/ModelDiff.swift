/// The differences between two models, by entity and property, and the migration they need.
public struct ModelDiff: Sendable, Hashable {
    /// The effect of a change on migration.
    public enum Effect: String, Sendable, Hashable, CaseIterable {
        /// Stores of both models have the same structure.
        case none
        /// Lightweight migration rebuilds the store without further input.
        case lightweight
        /// A mapping must define the source of the values.
        case mapping
    }

    /// A difference between two models.
    public struct Change: Sendable, Hashable {
        /// `Entity` or `Entity.property`; empty for the model itself.
        public var subject: String
        /// A description in one sentence.
        public var text: String
        /// The effect on a migration from the first model to the second.
        public var effect: Effect
        /// Whether the subject was removed, added, or changed.
        public var kind: Kind

        /// The kind of a change.
        public enum Kind: String, Sendable, Hashable {
            /// The subject exists only in the first model.
            case removed = "-"
            /// The subject exists only in the second model.
            case added = "+"
            /// The subject exists in both models, but differs.
            case changed = "~"
        }
    }

    /// All differences, in the order of the entities' names.
    public let changes: [Change]
    /// The entities with different version hashes, sorted; a store of one model does not match the
    /// other.
    public let entitiesWithOtherHashes: [String]

    /// Whether there are no differences.
    public var isEmpty: Bool { changes.isEmpty }

    /// The highest requirement of all changes for a migration.
    public var effect: Effect {
        let effects = Set(changes.map(\.effect))
        if effects.contains(.mapping) { return .mapping }
        return effects.contains(.lightweight) || !entitiesWithOtherHashes.isEmpty
            ? .lightweight : .none
    }

    /// Compares a model with its successor, following the successor's renaming identifiers.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.init(ModelPairing(from: old, to: new))
    }

    /// Compares two models that are already paired.
    package init(_ pairing: ModelPairing) {
        var comparison = ModelComparison(pairing)
        changes = comparison.changes()
        let (before, after) = (pairing.old.versionHashes, pairing.new.versionHashes)
        entitiesWithOtherHashes = Set(before.keys).union(after.keys)
            .filter { before[$0] != after[$0] }.sorted()
    }

    /// The differences as readable text; empty if the models do not differ.
    public var text: String {
        guard !isEmpty else { return "" }
        var lines: [String] = []
        for change in changes {
            let needs = change.effect == .mapping ? "  [needs a mapping]" : ""
            let subject = change.subject.isEmpty ? "" : "\(change.subject): "
            lines.append("\(change.kind.rawValue) \(subject)\(change.text)\(needs)")
        }
        switch effect {
        case .none: lines.append("\nBoth models can open the same stores. No migration is needed.")
        case .lightweight: lines.append("\nA lightweight migration is sufficient.")
        case .mapping:
            lines.append(
                "\nA lightweight migration would not do: the marked changes need a mapping.")
        }
        if !entitiesWithOtherHashes.isEmpty {
            lines.append(
                "Version hashes differ: " + entitiesWithOtherHashes.joined(separator: ", "))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
