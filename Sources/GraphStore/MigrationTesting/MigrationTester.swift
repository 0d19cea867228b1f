import Files
import FoundationEssentials
import GraphModel

/// A test of an app's migrations, from every version to the newest, on generated stores.
///
/// ```swift
/// let tester = MigrationTester(history, mappings: mappings)
/// for trial in tester.trials() {
///     #expect(trial.problems == [], "\(trial)")
///     #expect(trial.after["Task"]?.count == trial.before["Task"]?.count)
/// }
/// ```
/// Objects are generated from the model and a seed. Their ranges, lengths, unique values, and
/// required links are valid, some optional values are missing, and some large values are in files.
/// A seed always generates the same store, so that a trial's text can be saved and compared. Stores
/// are in a temporary folder and are deleted after their trial.
public struct MigrationTester: Sendable {
    /// All versions of the model, oldest first.
    public let history: ModelHistory
    /// The mappings for the stages that need them.
    public let mappings: [ModelHistory.Stage: MappingModel]
    /// The seeds; each generates another store of each version.
    public var seeds: ClosedRange<UInt64>
    /// The number of objects of each entity that `counts` does not name.
    public var objectsPerEntity: Int
    /// The number of objects by entity name, for the version of the store.
    public var counts: [String: Int] = [:]
    /// Indexes of versions that no stage may skip, as in `ModelHistory.migrate`.
    public var stops: Set<Int> = []
    /// A closure that sets values required by a pattern or by a rule over the object.
    ///
    /// The number counts the objects of the entity from 0.
    public var complete: (@Sendable (_ object: ManagedObject, _ number: Int) throws -> Void)?

    /// Prepares trials without generating any store.
    public init(
        _ history: ModelHistory, mappings: [ModelHistory.Stage: MappingModel] = [:],
        objectsPerEntity: Int = 20, seeds: ClosedRange<UInt64> = 1...1
    ) {
        self.history = history
        self.mappings = mappings
        self.objectsPerEntity = objectsPerEntity
        self.seeds = seeds
    }

    /// Tries every version with every seed; the newest version must remain unchanged.
    public func trials() -> [MigrationTrial] {
        history.versions.indices.flatMap { version in
            seeds.map { trial(from: version, seed: $0) }
        }
    }

    /// Generates a store of a version, counted from 0, and migrates it to the newest.
    public func trial(from version: Int, seed: UInt64) -> MigrationTrial {
        run(MigrationTrial(history, from: version, seed: seed)) { path in
            try makeStore(at: path, version: version, seed: seed)
        }
    }

    /// Migrates a copy of an existing store, such as one from an earlier release.
    ///
    /// The store itself is unchanged.
    public func trial(ofCopyOf path: String) -> MigrationTrial {
        run(MigrationTrial(history, from: nil, seed: nil)) { copy in
            try PersistentContainer.copyTemplate(at: path, to: copy)
        }
    }

    /// Generates a store of a version, counted from 0, as a trial with that seed does.
    public func makeStore(at path: String, version: Int, seed: UInt64) throws {
        guard history.versions.indices.contains(version) else {
            throw StoreError(
                .invalidRequest,
                "There is no version at \(version); there are \(history.versions.count)")
        }
        let objects = SeededObjects(history.versions[version], seed: seed)
        try objects.fill(path, complete: complete) { counts[$0] ?? objectsPerEntity }
    }

    // MARK: A trial

    private func run(
        _ begun: MigrationTrial, make: (_ path: String) throws -> Void
    ) -> MigrationTrial {
        var trial = begun
        let folder =
            FileManager.default.temporaryDirectory.path + "/migration-trial-\(UUID().uuidString)"
        do {
            try FileSystem.makeFolders(folder)
            // The system removes what remains in a folder for temporary files.
            defer { try? FileSystem.removeAll(folder) }
            let path = folder + "/store.sqlite"
            try make(path)
            try migrate(path, &trial)
        } catch {
            trial.problems.append("\(error)".replacing(folder + "/", with: ""))
        }
        return trial
    }

    private func migrate(_ path: String, _ trial: inout MigrationTrial) throws {
        guard let newest = history.current else { return }
        trial.setVersion(try history.versionIndex(ofStoreAt: path), in: history)
        trial.before = try EntityDigest.all(
            ofStoreAt: path, by: try history.model(ofStoreAt: path))
        // Problems that an existing store already had are not caused by the migration.
        let known =
            trial.seed == nil
            ? try PersistentContainer.verify(
                at: path, .full, model: try history.model(ofStoreAt: path)
            ).problems : []
        var stages: [ModelHistory.Stage] = []
        do {
            try history.migrate(
                storeAt: path, mappings: mappings, stoppingAt: stops,
                didMigrate: { stages.append($0) })
        } catch {
            trial.stages = stages
            throw error
        }
        trial.stages = stages
        trial.after = try EntityDigest.all(ofStoreAt: path, by: newest)
        let differing = try newest.entitiesThatDiffer(fromStoreAt: path)
        if !differing.isEmpty {
            trial.problems.append(
                "the store's hashes differ from the newest version, in: "
                    + differing.joined(separator: ", "))
        }
        let found = try PersistentContainer.verify(at: path, .full, model: newest)
        trial.problems += found.problems.filter { !known.contains($0) }
    }
}
