import Files
import FoundationEssentials
import GraphModel

/// Tries the migrations of an app's models, from every version to the newest, on stores that it makes
/// of a seed.
///
/// ```swift
/// let tester = MigrationTester(history, mappings: mappings)
/// for trial in tester.trials() {
///     #expect(trial.problems == [], "\(trial)")
///     #expect(trial.after["Task"]?.count == trial.before["Task"]?.count)
/// }
/// ```
/// The objects are drawn by the model alone: their ranges, lengths, unique values and required links
/// are met, some optional values are missing, and some large values have files of their own. One
/// seed makes one store, whenever and wherever, so that a trial's text can be kept and compared.
/// Stores stand in a folder for temporary files, and go when their trial is over.
public struct MigrationTester: Sendable {
    /// All versions of the model, oldest first.
    public let history: ModelHistory
    /// What becomes of objects where two versions do not tell.
    public let mappings: [ModelHistory.Stage: MappingModel]
    /// Each makes another store of each version.
    public var seeds: ClosedRange<UInt64>
    /// How many objects an entity gets that `counts` does not name.
    public var objectsPerEntity: Int
    /// How many objects an entity gets, by its name in the version that the store is made of.
    public var counts: [String: Int] = [:]
    /// Versions that no stage may leave out, as in `ModelHistory.migrate`.
    public var stops: Set<Int> = []
    /// Gives a new object what a pattern or a rule over the object asks for.
    ///
    /// The number counts the objects of the entity from 0.
    public var complete: (@Sendable (_ object: ManagedObject, _ number: Int) throws -> Void)?

    /// Prepares trials; nothing is made yet.
    public init(
        _ history: ModelHistory, mappings: [ModelHistory.Stage: MappingModel] = [:],
        objectsPerEntity: Int = 20, seeds: ClosedRange<UInt64> = 1...1
    ) {
        self.history = history
        self.mappings = mappings
        self.objectsPerEntity = objectsPerEntity
        self.seeds = seeds
    }

    /// Tries every version with every seed, the newest too, which is to stay as it is.
    public func trials() -> [MigrationTrial] {
        history.versions.indices.flatMap { version in
            seeds.map { trial(from: version, seed: $0) }
        }
    }

    /// Makes a store of a version, counted from 0, and migrates it to the newest.
    public func trial(from version: Int, seed: UInt64) -> MigrationTrial {
        run(MigrationTrial(history, from: version, seed: seed)) { path in
            try makeStore(at: path, version: version, seed: seed)
        }
    }

    /// Migrates a copy of a store that is kept for tests, such as one that an earlier release has
    /// left; the store itself stays as it is.
    public func trial(ofCopyOf path: String) -> MigrationTrial {
        run(MigrationTrial(history, from: nil, seed: nil)) { copy in
            try PersistentContainer.copyTemplate(at: path, to: copy)
        }
    }

    /// Makes a store of a version, counted from 0, as a trial of that seed does.
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
        // What was wrong with a store that is kept is none of the migration's.
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
                "the store's hashes are not those of the newest version, in: "
                    + differing.joined(separator: ", "))
        }
        let found = try PersistentContainer.verify(at: path, .full, model: newest)
        trial.problems += found.problems.filter { !known.contains($0) }
    }
}
