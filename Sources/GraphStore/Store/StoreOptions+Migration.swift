extension StoreOptions {
    /// What opening does with a store that was made with another version of the model.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// options.migration = .automatic
    /// ```
    /// A migration is that of ``MigrationManager``: the old store stays as `<store>.bak-v1` and so
    /// on, and whoever is killed leaves the old store or the new one. One of several that open the
    /// store at once migrates it, and the others wait for it, as long as
    /// `busyTimeoutMilliseconds` says. Nobody else may have the store open.
    ///
    /// Only SQLite files that are opened for writing are migrated, to a model that is given.
    public struct Migration: Sendable, Hashable {
        /// What the caller says of the way to the model; nil where nothing is migrated.
        let way: Way?
        /// How many old stores are kept; at least one.
        ///
        /// A migration adds one, and removes the oldest once the new store is open.
        public var backupsKept = StoreBackups.keepDefault

        /// Opening throws `.modelMismatch`, and changes nothing.
        public static let off = Migration(way: nil)

        /// Whatever the models tell is done; opening throws `.needsMapping` or `.migrationRefused`
        /// with the reasons where that does not suffice.
        ///
        /// A store of a later version is brought back, too, without what only that version has; a
        /// migration through a history refuses it.
        public static let automatic = Migration(way: Way())

        /// The store is brought through the versions of the model, as ``ModelHistory`` does.
        ///
        /// - Parameters:
        ///   - history: the versions that were ever released, oldest first; the model of the program
        ///     may be the last of them, or missing. A store of any other version is refused. nil is
        ///     the one step from whatever model the store carries.
        ///   - mappings: what becomes of objects where two versions do not tell.
        ///   - stops: places of versions that no stage may leave out.
        ///   - cancellation: stops it, behind the last stage that was done.
        ///   - willMigrate: called before a stage; the store is of the old version.
        ///   - didMigrate: called behind a stage; the store is of the new version.
        ///   - report: told how far a stage has come, often, on the thread that opens the store.
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

        /// What is said of a migration, besides that it is to be.
        struct Details: Sendable {
            var history: ModelHistory?
            var mappings: [ModelHistory.Stage: MappingModel] = [:]
            var stops: Set<Int> = []
            var cancellation = MigrationCancellation()
            var willMigrate: @Sendable (ModelHistory.Stage) throws -> Void = { _ in }
            var didMigrate: @Sendable (ModelHistory.Stage) throws -> Void = { _ in }
            var report: @Sendable (MigrationProgress) -> Void = { _ in }
        }

        /// Equal to itself alone where it has closures, which cannot be compared.
        final class Way: Sendable, Hashable {
            let details: Details
            private let isPlain: Bool

            init() {
                details = Details()
                isPlain = true
            }

            init(_ details: Details) {
                self.details = details
                isPlain = false
            }

            static func == (left: Way, right: Way) -> Bool {
                left === right || left.isPlain && right.isPlain
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(isPlain)
                if !isPlain { hasher.combine(ObjectIdentifier(self)) }
            }
        }
    }
}
