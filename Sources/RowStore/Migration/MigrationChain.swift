import GraphModel

/// A migration of a store through the versions of its model, one stage at a time.
///
/// Each stage first reads the store's version, so an interrupted chain resumes where it stopped.
/// Only the old store of the first stage is kept.
package struct MigrationChain {
    private let path: String
    private let history: ModelHistory
    private let mappings: [ModelHistory.Stage: MappingModel]
    private let stops: Set<Int>
    private let allowsCloudKit: Bool
    /// How long to wait for a locked store; `nil` uses the default timeouts.
    package var lockPatience: LockPatience?
    /// The newest version's entities in the store; `nil` derives them from the current ones.
    var holding: Set<String>?
    /// The index of the version that the last stage migrated to.
    private var place: Int?
    /// The path of the backup from before the first stage.
    package private(set) var backupPath: String?

    /// Creates a chain of migrations.
    ///
    /// - Parameters:
    ///   - mappings: Mappings for the stages that need them.
    ///   - stops: Indexes of versions that no stage may skip.
    package init(
        ofStoreAt path: String, through history: ModelHistory,
        mappings: [ModelHistory.Stage: MappingModel], stoppingAt stops: Set<Int> = [],
        allowsCloudKit: Bool
    ) {
        self.path = path
        self.history = history
        self.mappings = mappings
        self.stops = stops
        self.allowsCloudKit = allowsCloudKit
    }

    /// Returns the next stage; `nil` if the store has the newest version.
    package func next() throws(StoreError) -> ModelHistory.Stage? {
        guard var index = try history.versionIndex(ofStoreAt: path) else {
            throw StoreError(
                .modelMismatch,
                "\(path) was created with none of the \(history.versions.count) versions")
        }
        if let place {
            guard index >= place else {
                throw StoreError(.internalError, "\(path) is not newer than before its migration")
            }
            // Versions that differ only in properties outside the hashes look the same in the
            // store.
            index = place
        }
        return history.stages(
            from: index, mapped: Set(mappings.keys), stoppingAt: stops
        ).first
    }

    /// Returns the manager that performs a stage.
    package func manager(for stage: ModelHistory.Stage) -> MigrationManager {
        var manager = MigrationManager(
            storeAt: path, to: history.versions[stage.to],
            mapping: mappings[stage] ?? MappingModel())
        manager.versions = history.versions
        manager.allowsCloudKit = allowsCloudKit
        manager.lockPatience = lockPatience
        if stage.to == history.versions.count - 1 { manager.holding = holding }
        if mappings[stage] == nil {
            manager.between = Array(history.versions[(stage.from + 1)..<stage.to])
        }
        return manager
    }

    /// Runs all remaining stages.
    ///
    /// - Parameters:
    ///   - willMigrate: Called before each stage.
    ///   - didMigrate: Called after each stage.
    /// - Returns: The path of the old store; `nil` if the store already had the newest version.
    mutating func run(
        cancellation: MigrationCancellation,
        willMigrate: (ModelHistory.Stage) throws -> Void,
        didMigrate: (ModelHistory.Stage) throws -> Void,
        report: @escaping (MigrationProgress) -> Void
    ) throws -> String? {
        while let stage = try next() {
            try willMigrate(stage)
            try migrate(stage, cancellation: cancellation, report: report)
            try didMigrate(stage)
        }
        return backupPath
    }

    /// Runs one stage.
    package mutating func migrate(
        _ stage: ModelHistory.Stage, cancellation: MigrationCancellation,
        planned: (MigrationPlan) -> Void = { _ in },
        report: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) {
        let result = try manager(for: stage).migrate(
            cancellation: cancellation, planned: planned, report: report)
        place = stage.to
        guard let backup = result.backupPath else { return }
        guard backupPath != nil else {
            backupPath = backup
            return
        }
        // Best effort: the store is migrated even if its intermediate version cannot be removed.
        _ = try? StoreFiles.remove(backup)
        _ = try? StoreFiles.removeFolder(StoreFiles.supportFolder(of: backup))
    }
}
