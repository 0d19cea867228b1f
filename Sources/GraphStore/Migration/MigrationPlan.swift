public import GraphModel
import SQLite

/// What a migration of a store would do, worked out without a change.
public struct MigrationPlan: Sendable, Hashable {
    /// One difference of the models, and how much of the store it is about.
    public struct Step: Sendable, Hashable {
        /// The difference.
        public var change: ModelDiff.Change
        /// Objects, values or links that it touches; nil where it touches none.
        public var count: Int?
    }

    /// The differences that the store will feel, entities in the order of their names.
    public internal(set) var steps: [Step] = []
    /// The objects of each entity in the new store, without those of its sub-entities.
    public internal(set) var objects: [String: Int] = [:]
    /// The objects of each old entity that go nowhere, since they meet the condition of no mapping;
    /// only entities that have such.
    public internal(set) var leftBehind: [String: Int] = [:]
    /// Differences of which nobody can tell what becomes of the data, unless a mapping says so.
    public internal(set) var unclear: [String] = []
    /// What the new model forbids and the store has, such as required values that are missing.
    public internal(set) var obstacles: [String] = []
    /// What is left behind beside the model's objects, or not as it was.
    public internal(set) var notes: [String] = []
    /// Whether the new model is that of the store already, in every word.
    public internal(set) var isEmpty = false

    /// Whether the migration can be done, as far as the old store tells.
    ///
    /// Numbers of links, and what lookups and closures make, are checked in the finished store.
    public var isPossible: Bool { unclear.isEmpty && obstacles.isEmpty }

    /// All objects of the new store.
    public var objectCount: Int { objects.values.reduce(0, +) }

    /// Whether only the finished store tells that the migration can be done: objects that are
    /// looked up, values that closures set, and counts of links are not known before.
    package internal(set) var needsTrial = false

    /// Why the migration cannot be done; nil if it can.
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

    /// The plan for people: a line for each difference, then the objects that are kept, then why it
    /// cannot be done.
    public var text: String {
        outline
            + (unclear.map { "Needs a mapping: \($0)\n" } + obstacles.map { "Refused: \($0)\n" })
            .joined()
    }

    /// The text without the reasons of a refusal, for those who report that besides.
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
            lines.append("\(name): \(count) \(count == 1 ? "object" : "objects")")
        }
        for (name, count) in leftBehind.sorted(by: { $0.key < $1.key }) {
            lines.append(
                "Left behind: \(count) \(count == 1 ? "object" : "objects") of '\(name)', by the"
                    + " `where` of the mapping")
        }
        lines += notes.map { "Note: \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Whether a store may be opened with a model, and what it needs if not.
public enum ModelCompatibility: Sendable, Hashable {
    /// It may.
    case same
    /// It may once it is migrated, which needs no word from anybody.
    case lightweight(MigrationPlan)
    /// Somebody must say what becomes of some of its data; the reasons say of which.
    case needsMapping(entities: [String], reasons: [String])
}

extension ManagedObjectModel {
    /// Compares the model with the version hashes of a store, and plans a migration where they
    /// differ.
    ///
    /// - Throws: where the store cannot be read, or says nothing of its own model.
    public func compatibility(withStoreAt path: String) throws(StoreError) -> ModelCompatibility {
        let differing = try entitiesThatDiffer(fromStoreAt: path)
        guard !differing.isEmpty else { return .same }
        let plan = try MigrationManager(storeAt: path, to: self).plan()
        guard plan.isPossible else {
            return .needsMapping(entities: differing, reasons: plan.unclear + plan.obstacles)
        }
        return .lightweight(plan)
    }

    /// The entities whose hashes a store says otherwise.
    func entitiesThatDiffer(fromStoreAt path: String) throws(StoreError) -> [String] {
        let snapshot = try StoreSnapshot(of: path, copiesOurs: false)
        let connection = snapshot.connection
        guard let metadata = try StoreMetadata(readingFrom: connection) else {
            throw PersistentStore.notAStore(path)
        }
        guard !snapshot.isOfApp else {
            let found = try FoundTables(on: connection)
            return AppStoreModel.differing(metadata, self, found)
        }
        let stored = try PersistentStore.storedModel(connection)
        // A store of a configuration has its own entities only.
        let isPart = stored?.versionHashes == versionHashes
        return metadata.entitiesThatDiffer(
            from: self, holding: isPart ? metadata.entities(heldOf: self) : nil)
    }
}
