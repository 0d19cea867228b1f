extension ModelHistory {
    /// Migrates a store of any version to the newest one, in the fewest stages.
    ///
    /// Each stage first reads the store's version, so an interrupted chain resumes where it
    /// stopped. Only the old store of the first stage is kept. For the choice of stages, see
    /// `stages(from:mapped:stoppingAt:)`.
    ///
    /// - Parameters:
    ///   - path: The path of the store's file.
    ///   - mappings: Mappings for the stages that need them.
    ///   - stops: Indexes of versions that no stage may skip, because a closure uses the store
    ///     there.
    ///   - allowsCloudKit: Whether to migrate an app's store that the app mirrors to CloudKit.
    ///   - cancellation: Cancels the migration; the store keeps the version of the last completed
    ///     stage.
    ///   - willMigrate: Called before a stage, when the store has the old version.
    ///   - didMigrate: Called after a stage, when the store has the new version.
    ///   - report: Called with the progress of a stage.
    /// - Returns: The path of the old store; `nil` if the store already had the newest version.
    @discardableResult
    public func migrate(
        storeAt path: String, mappings: [Stage: MappingModel] = [:],
        stoppingAt stops: Set<Int> = [], allowsCloudKit: Bool = false,
        cancellation: MigrationCancellation = MigrationCancellation(),
        willMigrate: (Stage) throws -> Void = { _ in },
        didMigrate: (Stage) throws -> Void = { _ in },
        report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws -> String? {
        var chain = MigrationChain(
            ofStoreAt: path, through: self, mappings: mappings, stoppingAt: stops,
            allowsCloudKit: allowsCloudKit)
        return try chain.run(
            cancellation: cancellation, willMigrate: willMigrate, didMigrate: didMigrate,
            report: report)
    }
}

extension MigrationManager {
    /// Migrates the store in a separate task and returns a stream of its progress.
    ///
    /// Ending the task that reads the stream cancels the migration.
    public func progress() -> AsyncThrowingStream<MigrationProgress, any Error> {
        let (manager, cancellation) = (self, MigrationCancellation())
        return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            continuation.onTermination = { _ in cancellation.cancel() }
            Task.detached {
                do {
                    try manager.migrate(
                        cancellation: cancellation, report: { continuation.yield($0) })
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }
}
