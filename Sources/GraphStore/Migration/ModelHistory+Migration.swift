import GraphModel

extension ModelHistory {
    /// One migration of a chain.
    public struct Stage: Sendable {
        /// The places of both versions in the history, counted from 0.
        public let from: Int
        /// The version that the stage ends with.
        public let to: Int
    }

    /// Brings a store of any version to the newest one, a stage at a time.
    ///
    /// Before each stage the store is asked anew which version it is of, so that a chain that was
    /// stopped goes on where it was. Only the first stage's old store is kept.
    ///
    /// - Parameters:
    ///   - mapping: what becomes of objects where two versions do not tell.
    ///   - cancellation: stops it, behind the last stage that was done.
    ///   - willMigrate: called before a stage; the store is of the old version.
    ///   - didMigrate: called behind a stage; the store is of the new version.
    ///   - report: told how far a stage has come.
    /// - Returns: where the old store is now; nil where the store was of the newest version.
    @discardableResult
    public func migrate(
        storeAt path: String, mapping: (Stage) -> MappingModel = { _ in MappingModel() },
        cancellation: MigrationCancellation = MigrationCancellation(),
        willMigrate: (Stage) throws -> Void = { _ in },
        didMigrate: (Stage) throws -> Void = { _ in },
        report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws -> String? {
        var kept: String?
        while true {
            guard let index = try versionIndex(ofStoreAt: path) else {
                throw StoreError(
                    .modelMismatch, "\(path) was made with none of the \(versions.count) versions")
            }
            guard index < versions.count - 1 else { return kept }
            let stage = Stage(from: index, to: index + 1)
            try willMigrate(stage)
            var manager = MigrationManager(
                storeAt: path, to: versions[stage.to], mapping: mapping(stage))
            manager.versions = versions
            let result = try manager.migrate(cancellation: cancellation, report: report)
            if kept == nil {
                kept = result.backupPath
            } else if let between = result.backupPath {
                try MigrationManager.removeBackup(between)
            }
            try didMigrate(stage)
            guard try versionIndex(ofStoreAt: path) ?? 0 > index else {
                throw StoreError(
                    .internalError, "\(path) is no newer than before its migration")
            }
        }
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

    /// Takes away what a stage between two others has kept.
    package static func removeBackup(_ backup: String) throws(StoreError) {
        try StoreFiles.remove(backup)
        try StoreFiles.removeFolder(StoreFiles.supportFolder(of: backup))
    }
}
