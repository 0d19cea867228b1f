public import GraphModel

/// The expected effects of a migration on a store.
public struct MigrationPlan: Sendable, Hashable {
    /// A difference between the models, and how much of the store it affects.
    public struct Step: Sendable, Hashable {
        /// The difference.
        public var change: ModelDiff.Change
        /// The number of affected objects, values, or links; `nil` if it affects none.
        public var count: Int?
    }

    /// The differences that affect the store, sorted by entity name.
    public internal(set) var steps: [Step] = []
    /// The number of objects of each entity in the new store, excluding its sub-entities.
    public internal(set) var objects: [String: Int] = [:]
    /// The number of dropped objects of each old entity.
    ///
    /// Objects are dropped if they meet the condition of no mapping. Entities without dropped
    /// objects are omitted.
    public internal(set) var leftBehind: [String: Int] = [:]
    /// Differences whose effect on the data is ambiguous without a mapping.
    public internal(set) var unclear: [String] = []
    /// Violations of the new model by the store, such as missing required values.
    public internal(set) var obstacles: [String] = []
    /// Contents of the store other than its objects that are dropped or changed.
    public internal(set) var notes: [String] = []
    /// Whether the store already has the new model.
    ///
    /// For an app's store, equal version hashes suffice.
    public internal(set) var isEmpty = false

    /// Whether the migration is possible, judging from the old store.
    ///
    /// Link counts and the results of lookups and closures are checked in the finished store.
    public var isPossible: Bool { unclear.isEmpty && obstacles.isEmpty }

    /// The number of objects in the new store.
    public var objectCount: Int { objects.values.reduce(0, +) }

    /// Whether only the finished store shows that the migration is possible.
    ///
    /// The results of lookups and closures, and link counts, are not known before.
    package internal(set) var needsTrial = false

    /// Returns why the migration is not possible; `nil` if it is possible.
    package func refusal(ofStoreAt path: String) -> StoreError? {
        guard unclear.isEmpty else {
            return StoreError(
                .needsMapping,
                "\(path) cannot be migrated without a mapping: " + unclear.joined(separator: "; "))
        }
        return Self.refusal(ofStoreAt: path, obstacles)
    }

    static func refusal(ofStoreAt path: String, _ obstacles: [String]) -> StoreError? {
        guard !obstacles.isEmpty else { return nil }
        return StoreError(
            .migrationRefused,
            "\(path) cannot be migrated: " + obstacles.joined(separator: "; "))
    }

    /// The plan as readable text.
    ///
    /// It has one line for each difference, then the number of objects, then the reasons why the
    /// migration is not possible.
    public var text: String {
        outline
            + (unclear.map { "Needs a mapping: \($0)\n" } + obstacles.map { "Refused: \($0)\n" })
            .joined()
    }

    /// The text without the reasons why the migration is unclear or refused.
    ///
    /// For callers that report the reasons separately.
    package var outline: String {
        guard !isEmpty else { return "The store already has this model. No action needed.\n" }
        var lines = steps.map { step in
            let subject = step.change.subject.isEmpty ? "" : "\(step.change.subject): "
            let count = step.count.map { " [\($0)]" } ?? ""
            return "\(step.change.kind.rawValue) \(subject)\(step.change.text)\(count)"
        }
        if lines.isEmpty { lines = ["No difference changes an object."] }
        lines.append("")
        for (name, count) in objects.sorted(by: { $0.key < $1.key }) {
            lines.append("\(name): \(count.counting("object", "objects"))")
        }
        for (name, count) in leftBehind.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "Not migrated: \(count.counting("object", "objects")) of '\(name)', by the "
                    + "`where` of the mapping")
        }
        lines += notes.map { "Note: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Whether a store can be opened with a model, and what it needs if not.
public enum ModelCompatibility: Sendable, Hashable {
    /// The store can be opened.
    case same
    /// The store can be opened after a migration without a mapping.
    case lightweight(MigrationPlan)
    /// The store cannot be migrated without a mapping, for the given reasons.
    case needsMapping(entities: [String], reasons: [String])
}

extension ManagedObjectModel {
    /// Compares the model with a store's version hashes, and plans a migration if they differ.
    ///
    /// - Throws: An error if the store cannot be read or does not identify its model.
    public func compatibility(withStoreAt path: String) throws(StoreError) -> ModelCompatibility {
        let differing = try entitiesThatDiffer(fromStoreAt: path)
        guard !differing.isEmpty else { return .same }
        let plan = try MigrationManager(storeAt: path, to: self).plan()
        guard plan.isPossible else {
            return .needsMapping(entities: differing, reasons: plan.unclear + plan.obstacles)
        }
        return .lightweight(plan)
    }

    /// Returns the entities whose hashes differ in the store.
    package func entitiesThatDiffer(fromStoreAt path: String) throws(StoreError) -> [String] {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        let connection = snapshot.connection
        let metadata = try StoreMetadata(ofStoreAt: path, on: connection)
        guard !snapshot.isOfApp else {
            let found = try FoundTables(on: connection)
            return AppStoreModel.differing(metadata, self, found)
        }
        let stored = try PersistentStore.storedModel(connection)
        // A store of one configuration contains only its own entities.
        let isPart = stored?.versionHashes == versionHashes
        return metadata.entitiesThatDiffer(
            from: self, holding: isPart ? metadata.entities(heldOf: self) : nil)
    }
}
