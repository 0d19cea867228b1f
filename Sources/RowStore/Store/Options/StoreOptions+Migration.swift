extension StoreOptions {
    /// The migration of a store that was created with another version of the model.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// options.migration = .automatic
    /// ```
    /// The store is migrated as with ``MigrationManager``. The old store is kept as
    /// `<store>.bak-v1` and so on, and a killed process leaves either the old or the new store. If
    /// several processes open the store at once, one migrates it and the others wait, for at most
    /// `busyTimeoutMilliseconds`. No other process may have the store open.
    ///
    /// Only SQLite files that are opened for writing with a given model are migrated.
    public struct Migration: Sendable, Hashable {
        /// The migration's details; `nil` if stores are not migrated.
        let way: Way?
        /// The number of old stores to keep; at least 1.
        ///
        /// A migration adds one, and removes the oldest ones after the new store has opened.
        public var backupsKept = StoreBackups.keepDefault

        /// Disables migration: opening throws `.modelMismatch` and changes nothing.
        public static let off = Migration(way: nil)

        /// Migrates whatever can be inferred from the models.
        ///
        /// Opening throws `.needsMapping` or `.migrationRefused` with the reasons if this is not
        /// enough. A store of a later version is migrated back, without the data that only that
        /// version has. A migration through a history does not allow this.
        public static let automatic = Migration(way: Way(Details()))

        /// Migrates the store through the versions of the model, as ``ModelHistory`` does.
        ///
        /// - Parameters:
        ///   - history: The released versions, oldest first. The program's model may be the last of
        ///     them or missing. Opening a store of any other version fails. `nil` migrates in one
        ///     step from the model in the store.
        ///   - mappings: The mappings for stages that cannot be inferred from two versions.
        ///   - stops: The indexes of versions that no stage may skip.
        ///   - cancellation: Cancels the migration after the current stage.
        ///   - willMigrate: Called before a stage, when the store has the old version.
        ///   - didMigrate: Called after a stage, when the store has the new version.
        ///   - report: Called often with the progress of a stage, on the thread that opens the
        ///     store.
        public static func automatic(
            through history: ModelHistory? = nil,
            mappings: [ModelHistory.Stage: MappingModel] = [:],
            stoppingAt stops: Set<Int> = [],
            cancellation: MigrationCancellation = MigrationCancellation(),
            willMigrate: @escaping @Sendable (ModelHistory.Stage) throws -> Void = { _ in },
            didMigrate: @escaping @Sendable (ModelHistory.Stage) throws -> Void = { _ in },
            report: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
        ) -> Migration {
            var details = Details()
            details.history = history
            details.mappings = mappings
            details.stops = stops
            details.cancellation = cancellation
            details.willMigrate = willMigrate
            details.didMigrate = didMigrate
            details.report = report
            return Migration(way: Way(details))
        }

        private init(way: Way?) {
            self.way = way
        }

        /// The details of a migration.
        struct Details: Sendable {
            var history: ModelHistory?
            var mappings: [ModelHistory.Stage: MappingModel] = [:]
            var stops: Set<Int> = []
            var cancellation = MigrationCancellation()
            var willMigrate: @Sendable (ModelHistory.Stage) throws -> Void = { _ in }
            var didMigrate: @Sendable (ModelHistory.Stage) throws -> Void = { _ in }
            var report: @Sendable (MigrationProgress) -> Void = { _ in }
        }

        /// The details of an enabled migration; equal only to itself, because closures cannot be
        /// compared.
        final class Way: Sendable, Hashable {
            let details: Details

            init(_ details: Details) {
                self.details = details
            }

            static func == (left: Way, right: Way) -> Bool { left === right }

            func hash(into hasher: inout Hasher) {
                hasher.combine(ObjectIdentifier(self))
            }
        }
    }
}
