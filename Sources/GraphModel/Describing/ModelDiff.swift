/// What differs between two models, by entity and property, and what a migration would need.
public struct ModelDiff: Sendable, Hashable {
    /// What lightweight migration makes of a change.
    public enum Effect: String, Sendable, Hashable, CaseIterable {
        /// Stores of both models are alike.
        case none
        /// The store is rebuilt without a word from anybody.
        case lightweight
        /// Somebody must say where the values come from.
        case mapping
    }

    /// One difference.
    public struct Change: Sendable, Hashable {
        /// `Entity` or `Entity.property`; empty for the model as a whole.
        public var subject: String
        /// One sentence.
        public var text: String
        /// What a migration from the first model to the second makes of it.
        public var effect: Effect
        /// Whether something is gone, new, or different.
        public var kind: Kind

        /// Gone, new, or different.
        public enum Kind: String, Sendable, Hashable {
            /// It is gone.
            case removed = "-"
            /// It is new.
            case added = "+"
            /// It is there, and not as it was.
            case changed = "~"
        }
    }

    /// Every difference, entities in the order of their names.
    public let changes: [Change]
    /// The entities whose version hashes differ, so that a store of one is no store of the other.
    public let entitiesWithOtherHashes: [String]

    /// Whether the models say the same.
    public var isEmpty: Bool { changes.isEmpty }

    /// What a migration of a store needs at the most.
    public var effect: Effect {
        let effects = Set(changes.map(\.effect))
        if effects.contains(.mapping) { return .mapping }
        return effects.contains(.lightweight) || !entitiesWithOtherHashes.isEmpty
            ? .lightweight : .none
    }

    /// Compares a model with its successor; renaming identifiers of the second are followed.
    public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
        self.init(ModelPairing(from: old, to: new))
    }

    /// Compares two models that are paired already.
    package init(_ pairing: ModelPairing) {
        var comparison = ModelComparison(pairing)
        changes = comparison.changes()
        let (before, after) = (pairing.old.versionHashes, pairing.new.versionHashes)
        entitiesWithOtherHashes = Set(before.keys).union(after.keys)
            .filter { before[$0] != after[$0] }.sorted()
    }

    /// The differences for people; empty where there are none.
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
