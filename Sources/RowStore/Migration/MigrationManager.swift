public import GraphModel
import SQLite

/// Migrates a store to another version of its model.
///
/// ```swift
/// let manager = MigrationManager(storeAt: path, to: newModel)
/// print(try manager.plan().text)
/// let result = try manager.migrate()
/// ```
/// The new store is built next to the old one, in `<store>.migrating`, and verified like
/// `verify(at:)` does. It then replaces the old store atomically, and the old store is kept as
/// `<store>.bak-v1` and so on. A killed migration leaves either the old or the new store; the next
/// migration starts from scratch. Objects keep their primary keys and versions, and the store keeps
/// its identity.
///
/// Readers may continue until the replacement. At that moment, no other process may have the store
/// open.
///
/// A store that an app created remains an app's store: it gets no tables of ours, its metadata
/// keeps the app's entries, and its triggers are copied if possible. If it contained its model, it
/// contains the new model afterwards.
public struct MigrationManager: Sendable {
    /// The path of the store's file.
    public let path: String
    /// The model to migrate to.
    public let model: ManagedObjectModel
    /// The mapping of objects that the models do not match automatically.
    public let mapping: MappingModel
    /// The versions that an app's store may have.
    ///
    /// If the store has none of them, the model that it contains is used.
    public var versions: [ManagedObjectModel] = []
    /// Versions between the store's version and the new one, oldest first, for following renames.
    package var between: [ManagedObjectModel] = []
    /// The new model's entities in the store; `nil` derives them from the current ones.
    var holding: Set<String>?
    /// Whether to migrate an app's store that the app mirrors to CloudKit.
    public var allowsCloudKit = false
    /// How long to wait for a locked store; `nil` uses the default timeouts.
    package var lockPatience: LockPatience?

    /// Creates a migration manager without reading the store.
    public init(
        storeAt path: String, to model: ManagedObjectModel,
        mapping: MappingModel = MappingModel()
    ) {
        // Replace the file itself, not a symbolic link to it.
        self.path = StoreFiles.resolved(path)
        self.model = model
        self.mapping = mapping
    }

    /// Returns the plan of the migration without changing the store.
    public func plan() throws(StoreError) -> MigrationPlan {
        let source = try MigrationSource(lookingAt: self)
        return try MigrationPlanner(source: source, model: model).plan(
            source.script(to: model, by: mapping))
    }

    /// Migrates the store.
    ///
    /// - Parameters:
    ///   - cancellation: Cancels the migration; the store is unchanged.
    ///   - planned: Called with the plan before anything is written.
    ///   - report: Called with the progress, often.
    /// - Throws: `.needsMapping` or `.migrationRefused` if the plan is not possible, `.busy` if the
    ///   store is in use, or `.cancelled`; the store is unchanged. `.inputOutput` if the store is
    ///   migrated but a power loss could still restore the old one.
    @discardableResult
    public func migrate(
        cancellation: MigrationCancellation = MigrationCancellation(),
        planned: (MigrationPlan) -> Void = { _ in },
        report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) -> MigrationResult {
        report(MigrationProgress(phase: .planning, completed: 0, total: 0))
        let isOfApp = AppStore.isOne(path)
        if isOfApp {
            try StoreFiles.checkIsWritable(path)
        } else {
            // Opening completes the work that a load has deferred.
            var options = StoreOptions()
            options.lockPatience = lockPatience
            _ = try PersistentStore.open([.sqlite(at: path, options: options)], model: nil)
        }
        let file = MigrationFile(storePath: path)
        let replacement = StoreReplacement(path: path, newPath: file.path, patience: lockPatience)
        let guarded = try replacement.begin()
        var isBegun = false
        do throws(StoreError) {
            let plan = try build(file, cancellation, planned, report, isBegun: &isBegun)
            guard !plan.isEmpty else {
                // An earlier migration may have been killed before this step.
                try StoreFiles.synchronizeFolder(of: path)
                return MigrationResult(plan: plan)
            }
            report(
                MigrationProgress(
                    phase: .swapping, completed: plan.objectCount, total: plan.objectCount))
            let backup = try replacement.run(guarded)
            // Removes large values of dropped attributes. Best effort: the store is migrated, and
            // `verify` reports remaining files.
            if isOfApp {
                try? removeExternalFiles(onlyIn: backup)
            } else {
                try? sweepExternalFiles()
            }
            try StoreFiles.synchronizeFolder(of: path)
            return MigrationResult(plan: plan, backupPath: backup)
        } catch {
            // Report the original error; the next migration removes the remains.
            if isBegun { try? file.remove() }
            throw error
        }
    }

    /// Removes the files of large values that no row of the migrated store refers to.
    private func sweepExternalFiles() throws(StoreError) {
        let store = try PersistentStore.open([.sqlite(at: path)], model: nil)
        try store.connection.execute("BEGIN IMMEDIATE")
        defer { try? store.connection.execute("ROLLBACK") }
        _ = try ExternalFiles(storePath: path).sweep(store.schema, on: store.connection)
    }

    /// Builds the new store, complete and durable; no connection is open to it afterwards.
    private func build(
        _ file: MigrationFile, _ cancellation: MigrationCancellation,
        _ planned: (MigrationPlan) -> Void, _ report: @escaping (MigrationProgress) -> Void,
        isBegun: inout Bool
    ) throws(StoreError) -> MigrationPlan {
        let reader = try PersistentStore.readerOfStore(at: path)
        reader.watch(cancellation.flag)
        let source = try MigrationSource(self, reader)
        let script = try source.script(to: model, by: mapping)
        let plan = try MigrationPlanner(source: source, model: model).plan(script)
        planned(plan)
        guard !plan.isEmpty else { return plan }
        if let refusal = plan.refusal(ofStoreAt: path) { throw refusal }
        let usedLog = try file.clear(storeUUID: source.metadata.uuid)
        isBegun = true
        let journal = usedLog ? "wal" : try reader.text("PRAGMA journal_mode") ?? "wal"
        try MigrationWriter(
            source: source, script: script, file: file, cancellation: cancellation, report: report
        ).write(plan)
        report(
            MigrationProgress(
                phase: .verifying, completed: plan.objectCount, total: plan.objectCount))
        try verify(file, source, script, cancellation)
        // Statements on a small store finish before they check for cancellation.
        guard !cancellation.flag.isRaised else {
            throw StoreError(
                .cancelled, "The migration of \(path) was canceled; the store is unchanged")
        }
        try file.finish(journalMode: journal)
        return plan
    }

    /// Checks that the new store is as valid as the old one and has the links that its model
    /// requires.
    private func verify(
        _ file: MigrationFile, _ source: MigrationSource, _ script: MigrationScript,
        _ cancellation: MigrationCancellation
    ) throws(StoreError) {
        let isOfApp = !source.schema.isOurs
        let connection = try PersistentStore.readerOfStore(at: file.path)
        connection.watch(cancellation.flag)
        let obstacles = try LinkCounts(script).obstacles(in: connection, after: source)
        if let refusal = MigrationPlan.refusal(ofStoreAt: path, obstacles) { throw refusal }
        // The large values are in the old store's folder.
        var verifier = StoreVerifier(connection, path, isOfApp: isOfApp)
        try verifier.run(.full, isOfApp ? model : nil)
        let found = verifier.findings.filter { $0.kind != .externalOrphan }
        guard !found.isEmpty else { return }
        var known: [StoreFinding.Kind: Int] = [:]
        let before = try StoreVerification.verify(
            at: path, .full, model: isOfApp ? source.model : nil)
        for finding in before.findings {
            known[finding.kind, default: 0] += finding.count
        }
        for finding in found {
            let left = known[finding.kind, default: 0] - finding.count
            known[finding.kind] = left
            guard left >= 0 else {
                throw StoreError(
                    .migrationRefused,
                    "\(path) is unchanged, because the new store would not be valid: \(finding)")
            }
        }
    }
}

/// The result of a migration.
public struct MigrationResult: Sendable, Hashable {
    /// The plan that was carried out; it is empty if there was nothing to migrate.
    public let plan: MigrationPlan
    /// The path of the old store; `nil` if there was nothing to migrate.
    public let backupPath: String?

    init(plan: MigrationPlan, backupPath: String? = nil) {
        self.plan = plan
        self.backupPath = backupPath
    }
}
