public import GraphModel
import SQLite

/// Brings a store to another version of its model.
///
/// ```swift
/// let manager = MigrationManager(storeAt: path, to: newModel)
/// print(try manager.plan().text)
/// let result = try manager.migrate()
/// ```
/// The new store is built beside the old one, in `<store>.migrating`, and looked at as
/// `verify(at:)` does; then it takes the old one's name, all at once, and the old one stays as
/// `<store>.bak-v1` and so on. A migration that is killed leaves the old store or the new one;
/// the next begins anew. Objects keep their keys and versions, the store its identity.
///
/// Readers may go on until the swap, at which nobody else may have the store open.
///
/// A store that an app made stays one: no table of ours comes in, its metadata keeps what the app
/// has written there, and its triggers come along where they can. If it carries its model, it
/// carries the new one afterwards.
public struct MigrationManager: Sendable {
    /// The store's file.
    public let path: String
    /// The model that it shall have.
    public let model: ManagedObjectModel
    /// What becomes of objects where the models do not tell.
    public let mapping: MappingModel
    /// Versions that an app's store may be of; where it is of none of them, the model that it
    /// carries is taken.
    public var versions: [ManagedObjectModel] = []
    /// Versions between that of the store and the new one, oldest first, by which renames are
    /// followed.
    package var between: [ManagedObjectModel] = []
    /// The new model's entities that the store is to have; nil follows those that it has.
    var holding: Set<String>?
    /// Migrates an app's store also where the app mirrors it to CloudKit.
    public var allowsCloudKit = false
    /// Says how long others may keep the store locked; nil leaves that to fixed times.
    package var lockPatience: LockPatience?

    /// Prepares a migration; nothing is read yet.
    public init(
        storeAt path: String, to model: ManagedObjectModel,
        mapping: MappingModel = MappingModel()
    ) {
        // The file itself changes its place, not a link to it.
        self.path = StoreFiles.resolved(path)
        self.model = model
        self.mapping = mapping
    }

    /// What `migrate` would do, worked out without a change.
    public func plan() throws(StoreError) -> MigrationPlan {
        let source = try MigrationSource(lookingAt: self)
        return try MigrationPlanner(source: source, model: model).plan(
            source.script(to: model, by: mapping))
    }

    /// Migrates the store.
    ///
    /// - Parameters:
    ///   - cancellation: stops it; the store is as it was then.
    ///   - planned: told the plan before anything is written.
    ///   - report: told how far it has come, often.
    /// - Throws: `.needsMapping` and `.migrationRefused` where the plan says so, `.busy` where the
    ///   store is in use, `.cancelled`; the store is as it was then. `.inputOutput` if the store is
    ///   migrated, and a loss of power may still bring the old one back.
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
            // Completes what a load has put off.
            var options = StoreOptions()
            options.lockPatience = lockPatience
            _ = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        }
        let file = MigrationFile(storePath: path)
        let swap = StoreSwap(path: path, newPath: file.path, patience: lockPatience)
        let guarded = try swap.begin()
        var isBegun = false
        do throws(StoreError) {
            let plan = try build(file, cancellation, planned, report, isBegun: &isBegun)
            guard !plan.isEmpty else {
                // An earlier migration may have ended before it did this.
                try StoreFiles.synchronizeFolder(of: path)
                return MigrationResult(plan: plan)
            }
            report(
                MigrationProgress(
                    phase: .swapping, completed: plan.objectCount, total: plan.objectCount))
            let backup = try swap.run(guarded)
            // Values of attributes that are gone. The store is migrated whatever comes of it, and
            // `verify` tells of files that stay.
            if isOfApp {
                try? removeExternalFiles(onlyIn: backup)
            } else {
                _ = try? PersistentContainer(model: nil, at: path).sweepExternalFiles()
            }
            try StoreFiles.synchronizeFolder(of: path)
            return MigrationResult(plan: plan, backupPath: backup)
        } catch {
            // The error that led here is the one to tell; the next migration takes the rest away.
            if isBegun { try? file.remove() }
            throw error
        }
    }

    /// Builds the new store, whole and durable; nobody has either one open at the end.
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
        try file.clear(storeUUID: source.metadata.uuid)
        isBegun = true
        let journal = try reader.text("PRAGMA journal_mode") ?? "wal"
        try MigrationWriter(
            source: source, script: script, file: file, cancellation: cancellation, report: report
        ).write(plan)
        report(
            MigrationProgress(
                phase: .verifying, completed: plan.objectCount, total: plan.objectCount))
        try verify(file, source, script, cancellation)
        // Statements of a small store are over before they look.
        guard !cancellation.flag.isRaised else {
            throw StoreError(
                .cancelled, "The migration of \(path) was cancelled; the store is unchanged")
        }
        try file.finish(journalMode: journal)
        return plan
    }

    /// Makes sure that the new store is as sound as the old one, and has the links that its model
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
        // The large values are where the store is.
        var verifier = StoreVerifier(connection, path, isOfApp: isOfApp)
        try verifier.run(.full, isOfApp ? model : nil)
        let found = verifier.findings.filter { $0.kind != .externalOrphan }
        guard !found.isEmpty else { return }
        var known: [StoreFinding.Kind: Int] = [:]
        let before = try PersistentContainer.verify(
            at: path, .full, model: isOfApp ? source.model : nil)
        for finding in before.findings {
            known[finding.kind, default: 0] += finding.count
        }
        for finding in found {
            known[finding.kind, default: 0] -= finding.count
            guard known[finding.kind] ?? 0 >= 0 else {
                throw StoreError(
                    .migrationRefused,
                    "\(path) is unchanged, because the new store would not be valid: \(finding)")
            }
        }
    }
}

/// What a migration did.
public struct MigrationResult: Sendable, Hashable {
    /// What was to be done, and was; an empty plan where there was nothing.
    public let plan: MigrationPlan
    /// Where the old store is now; nil where nothing was done.
    public let backupPath: String?

    init(plan: MigrationPlan, backupPath: String? = nil) {
        self.plan = plan
        self.backupPath = backupPath
    }
}
