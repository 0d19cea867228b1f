import Diagnostics
import GraphModel
import GraphStore

/// The store that stages work on: the one the spec names, or one beside it that takes its place
/// when everything went well.
///
/// - `open: replace` fills an empty store beside the old one.
/// - `commit: run` and `commit: stage` work on a clone.
/// - A dry run works on a clone of its own, which takes no place.
/// - An app's store is worked on as by `commit: run`, and is kept beside the one that replaces it.
struct StoreTarget {
    let path: String
    let mode: StoreSpec.OpenMode
    let commit: StoreSpec.CommitMode
    /// The store whose copy is taken where one is to be made; nil for an empty one.
    var template: String?
    /// Whether the store keeps what changed; nil leaves it to the store.
    var history: StoreSpec.History?
    /// Whether the store keeps all digits of decimals; nil leaves it to the store.
    var keepsExactDecimals: Bool?
    /// How much of their pages connections keep in memory.
    var memory = MemoryShares(BudgetSpec().memory)
    var isDry = false
    /// No stage writes.
    var isOnlyRead = false
    /// The file with the model, or else the spec, by which the store could be migrated.
    var modelFile = ""

    /// The store is an app's, or is to be made as a copy of one.
    var isOfApp = false
    /// An app's store is written although it is mirrored to CloudKit.
    var allowsCloudKit = false
    /// A stage deletes objects and leaves links to them where they are.
    var leavesLooseLinks = false
    /// How long others may take to let go of the store.
    var patience: LockPatience?
    /// Keeps others away from an app's store while its clone is worked on.
    var turn: AppStoreTurn?
    /// Sees whether others write to another store while its clone is.
    private(set) var witness: StoreWitness?
    /// The store's files when that began; locks may be lost without a word, but a write leaves them
    /// otherwise.
    private(set) var watchedIdentity = ""

    /// Whether the store is an app's, and stays as it is, with everything in its folder.
    var isLeftAlone: Bool { isOnlyRead && !isDry && PersistentContainer.isAppStore(at: path) }

    /// Whether the work is done on another file first.
    var worksBeside: Bool {
        isDry || mode == .replace || commit != .batch || (isOfApp && !isOnlyRead)
    }

    var workPath: String {
        guard !isDry else { return DryRun.storePath(for: path) }
        return (mode == .replace ? CompanionFile.new : .work).path(of: path)
    }

    /// The store's own container, which stands there already or is to be made.
    func openStore(model: ManagedObjectModel?) throws -> PersistentContainer {
        let isCopied = mode == .create && !worksBeside ? try copyTemplate(to: path) : false
        do {
            return try container(
                model, at: path,
                opening: mode == .existing || worksBeside ? .existing : .create)
        } catch {
            // A copy of the wrong template must not be the store from now on.
            if isCopied { try? PersistentContainer.destroy(at: path) }
            throw error
        }
    }

    /// What was begun beside the store is there, and not in its place.
    var hasWorkBeside: Bool { worksBeside && (FileDescriptor.size(workPath) ?? 0) > 0 }

    /// A store stands in its place.
    var isThere: Bool { (FileDescriptor.size(path) ?? 0) > 0 }

    /// Whether stages that run after a failure, too, have a store: the one that is there, or an
    /// empty one, where one is to be made that does not replace another.
    var isOpenAfterFailure: Bool { isThere || (mode == .create && !isOfApp) }

    /// The store for stages that run after a failure, too.
    func openAfterFailure(model: ManagedObjectModel?) throws -> PersistentContainer {
        isThere || mode != .create
            ? try openStore(model: model) : try makeStore(model, at: path)
    }

    /// Copies the template to where no store is yet; nothing where none is wanted.
    ///
    /// - Returns: whether it did.
    @discardableResult
    private func copyTemplate(to path: String) throws -> Bool {
        guard let template, FileDescriptor.size(path) ?? 0 == 0 else { return false }
        FileDescriptor.remove(path)
        do throws(StoreError) {
            try PersistentContainer.copyTemplate(at: template, to: path, inPlaceOf: self.path)
            return true
        } catch {
            throw TemplateProblem(error, template).map { RunFailure($0) } ?? RunFailure(error)
        }
    }

    /// An empty store, or a copy of the template.
    private func makeStore(_ model: ManagedObjectModel?, at path: String) throws
        -> PersistentContainer
    {
        try copyTemplate(to: path)
        if path != self.path {
            try PersistentContainer.makeFile(at: path, inPlaceOf: self.path)
        }
        return try container(model, at: path, opening: .create)
    }

    private func container(
        _ model: ManagedObjectModel?, at path: String, opening: StoreOpening = .existing,
        isOriginal: Bool = false
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        // What a copy is taken of stays as it is.
        options.history =
            switch isOriginal || isOfApp ? nil : history {
            case nil: nil
            case .off: .off
            case .days(let days): HistoryOptions(keeping: .days(days))
            }
        options.keepsExactDecimals = isOfApp ? nil : keepsExactDecimals
        // A page that several batches change is folded in once; more brings little, and the log is
        // not to fill a disk that has little room.
        let free = FileDescriptor.freeBytes(in: PathText.folder(of: path)) ?? .max
        options.checkpointPages = Int(max(1_000, min(16_000, free / 8 / 4096)))
        options.cacheKibibytes = memory.pages >> 10
        options.readerCacheKibibytes = memory.readerPages >> 10
        options.lockPatience = patience
        options.isReadOnly = isLeftAlone || (isOfApp && path != workPath)
        if isOfApp, !options.isReadOnly {
            options.appStores = .writingCopy
            options.appStores.allowsCloudKit = allowsCloudKit
        }
        do throws(StoreError) {
            return try PersistentContainer(
                model: model, .sqlite(at: path, opening: opening, options: options))
        } catch {
            // The user knows the store, and not the copy that the run writes.
            let error = error.naming(self.path, insteadOf: path)
            guard error.code == .modelMismatch, !modelFile.isEmpty else { throw error }
            var failure = RunFailure(error)
            failure.diagnostics[0].fix =
                ModelVersions.advice(forStoreAt: path, bundle: modelFile, key: "model: ")
                ?? "bring the store to this model: "
                + StoreMigration.command(store: self.path, to: modelFile)
            throw failure
        }
    }

    /// What an earlier attempt left beside the store, as long as the store is what it was then.
    mutating func openUnfinished(
        model: ManagedObjectModel?, _ owner: String, _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard worksBeside, !isDry,
            let (container, saved) = try openNoted(workPath, model, owner, paths)
        else { return nil }
        try watch()
        return saved.run.base == baseIdentity ? (container, saved) : nil
    }

    /// The store itself, where a run has replaced it already and was killed before it could take
    /// its notes away.
    func openReplaced(
        model: ManagedObjectModel?, _ owner: String, _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        mode == .replace && !isDry ? try openNoted(path, model, owner, paths) : nil
    }

    /// A store with notes of a run; whatever is wrong with any other, it is made anew, but not one
    /// that others have locked.
    private func openNoted(
        _ path: String, _ model: ManagedObjectModel?, _ owner: String,
        _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard FileDescriptor.size(path) ?? 0 > 0 else { return nil }
        do {
            let container = try container(model, at: path)
            return try RunJournal.saved(by: owner, paths, in: container).map { (container, $0) }
        } catch {
            guard !error.isStoreInUse else { throw error }
            return nil
        }
    }

    /// Makes sure that nobody is in the middle of writing to the store, where the run itself comes
    /// to write to it at its end alone.
    ///
    /// - Throws: where another process is.
    func checkIsUnlocked() throws(StoreError) {
        guard worksBeside, !isDry, !isOfApp, isThere else { return }
        try PersistentContainer.checkIsUnlocked(at: path, waiting: patience)
    }

    /// A new store to work on beside the one that is to be replaced, or a clone of it.
    mutating func openBeside(model: ManagedObjectModel?) throws -> PersistentContainer {
        try PersistentContainer.destroy(at: workPath)
        guard mode != .replace else {
            // At the end this would be told too late.
            try PersistentContainer.checkReplaceable(at: path)
            return try makeStore(model, at: workPath)
        }
        guard isThere else {
            return try makeStore(model, at: workPath)
        }
        let original = try container(model, at: path, isOriginal: true)
        // Behind what the opening itself may write.
        try watch()
        try original.copyStore(to: workPath)
        if isOfApp { try PersistentContainer.recallInputs(ofStoreAt: path, into: workPath) }
        return try container(model, at: workPath)
    }

    /// What tells whether anybody has written to the store since.
    var baseIdentity: String {
        guard mode != .replace else { return "" }
        return FileDescriptor.state(path) + " " + FileDescriptor.state(path + "-wal")
    }

    /// Begins to see who writes to a store of which a clone is to take the place; that of an app is
    /// kept from others.
    private mutating func watch() throws(StoreError) {
        witness =
            mode == .replace || isOfApp || isDry || !isThere
            ? nil : try StoreWitness(at: path, waiting: patience)
        watchedIdentity = baseIdentity
    }

    /// Puts a store that was built beside, and that nobody has open any more, into its place.
    ///
    /// - Throws: where somebody has written to the one that it is a clone of, who would lose that.
    mutating func complete() throws {
        guard worksBeside, !isDry else { return }
        // Where there was none, somebody may have made one.
        guard
            mode == .replace || isOfApp
                || (witness == nil ? !isThere : watchedIdentity == baseIdentity)
        else {
            throw StoreError(writtenMeanwhile: path)
        }
        defer { witness = nil }
        try PersistentContainer.replace(
            at: path, with: workPath, waiting: patience, unlessSeenBy: witness)
    }

    /// Nothing of this run takes the store's place any more.
    mutating func endWatch() { witness = nil }

    /// Takes away what was built beside, after a failure that nothing can be made of.
    mutating func abandon() {
        witness = nil
        // The failure is told already, and the next run would take the rest away too.
        if worksBeside { try? PersistentContainer.destroy(at: workPath) }
        if isDry { DryRun.removeRejects(of: workPath) }
    }
}
