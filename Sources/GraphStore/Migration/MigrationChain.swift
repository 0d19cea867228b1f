import GraphModel

/// A store on its way through the versions of its model, a stage at a time.
///
/// Before each stage the store is asked which version it is of, so that a chain that was stopped
/// goes on where it was. Only the first stage's old store is kept.
package struct MigrationChain {
    private let path: String
    private let history: ModelHistory
    private let mappings: [ModelHistory.Stage: MappingModel]
    private let stops: Set<Int>
    private let allowsCloudKit: Bool
    /// Says how long others may keep the store locked; nil leaves that to fixed times.
    package var lockPatience: LockPatience?
    /// The newest version's entities that the store is to have; nil follows those that it has.
    var holding: Set<String>?
    /// The version that the last stage has brought the store to.
    private var place: Int?
    /// Where the store is as it was before the first stage.
    package private(set) var backupPath: String?

    /// - Parameters:
    ///   - mappings: what becomes of objects where two versions do not tell.
    ///   - stops: places of versions that no stage may leave out.
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

    /// The next stage; nil where the store is of the newest version.
    package func next() throws(StoreError) -> ModelHistory.Stage? {
        guard var index = try history.versionIndex(ofStoreAt: path) else {
            throw StoreError(
                .modelMismatch,
                "\(path) was made with none of the \(history.versions.count) versions")
        }
        if let place {
            guard index >= place else {
                throw StoreError(.internalError, "\(path) is no newer than before its migration")
            }
            // The store cannot tell apart versions that differ only in what hashes leave out.
            index = place
        }
        return history.stages(
            from: index, mapped: Set(mappings.keys), stoppingAt: stops
        ).first
    }

    /// What does a stage.
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

    /// Does all stages that are left.
    ///
    /// - Parameters:
    ///   - willMigrate: called before a stage.
    ///   - didMigrate: called behind a stage.
    /// - Returns: where the old store is now; nil where the store was of the newest version.
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

    /// Does a stage.
    package mutating func migrate(
        _ stage: ModelHistory.Stage, cancellation: MigrationCancellation,
        planned: (MigrationPlan) -> Void = { _ in },
        report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        let result = try manager(for: stage).migrate(
            cancellation: cancellation, planned: planned, report: report)
        place = stage.to
        guard let backup = result.backupPath else { return }
        guard backupPath != nil else {
            backupPath = backup
            return
        }
        // The store is migrated, whatever comes of what it was in between.
        _ = try? StoreFiles.remove(backup)
        _ = try? StoreFiles.removeFolder(StoreFiles.supportFolder(of: backup))
    }
}
