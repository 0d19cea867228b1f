import GraphModel

extension ModelHistory {
    /// Brings a store of any version to the newest one, in the fewest stages; see
    /// `stages(from:mapped:stoppingAt:)`.
    ///
    /// Before each stage the store is asked anew which version it is of, so that a chain that was
    /// stopped goes on where it was. Only the first stage's old store is kept.
    ///
    /// - Parameters:
    ///   - path: the store's file.
    ///   - mappings: what becomes of objects where two versions do not tell.
    ///   - stops: places of versions that no stage may leave out, since a closure does something
    ///     with the store there.
    ///   - allowsCloudKit: also an app's store that the app mirrors to CloudKit.
    ///   - cancellation: stops it, behind the last stage that was done.
    ///   - willMigrate: called before a stage; the store is of the old version.
    ///   - didMigrate: called behind a stage; the store is of the new version.
    ///   - report: told how far a stage has come.
    /// - Returns: where the old store is now; nil where the store was of the newest version.
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
    /// Migrates the store elsewhere and tells how far it has come; ending the task that reads stops
    /// it.
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
