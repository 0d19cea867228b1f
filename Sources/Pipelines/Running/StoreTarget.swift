import Diagnostics
import Files
import GraphModel
import GraphStore

/// The store of a run, and the way in which stages work on it.
struct StoreTarget {
    /// How the stages of a run reach its store.
    indirect enum Way: Hashable, Sendable {
        /// An app's store is only read, and nothing is made next to it.
        case readOnly
        /// Each save goes to the store itself.
        case inPlace
        /// Stages change a clone, which takes the place of the store.
        ///
        /// That of an app's store is kept as a backup.
        case workingCopy(Swap)
        /// Stages fill a new store, which takes the place of the old one at the end of the run.
        case replacement
        /// A dry run works on a clone of its own, which takes no place.
        ///
        /// - of: how the run itself would go.
        case snapshot(of: Way)

        /// When a clone takes the place of the store.
        enum Swap: Hashable, Sendable {
            case afterEachStage, atTheEnd
        }

        /// - Parameters:
        ///   - isOnlyRead: no stage writes.
        ///   - isOfApp: the store is an app's, or is to be made as a copy of one.
        init(
            _ open: StoreSpec.OpenMode, _ commit: StoreSpec.CommitMode, isOnlyRead: Bool,
            isOfApp: Bool
        ) {
            self =
                switch (open, commit) {
                case _ where isOnlyRead: isOfApp ? .readOnly : .inPlace
                case (.replace, _): .replacement
                case _ where isOfApp: .workingCopy(.atTheEnd)
                case (_, .stage): .workingCopy(.afterEachStage)
                case (_, .run): .workingCopy(.atTheEnd)
                case (_, .batch): .inPlace
                }
        }

        /// Whether stages that write work on another file first.
        var isBeside: Bool {
            switch self {
            case .readOnly, .inPlace: false
            case .workingCopy, .replacement, .snapshot: true
            }
        }

        var isDry: Bool { if case .snapshot = self { true } else { false } }

        /// The way of the run itself.
        var real: Way { if case .snapshot(let way) = self { way } else { self } }
    }

    /// Keeps what others write from being lost when a clone takes the place of the store.
    private enum Watch {
        case none
        /// Keeps others away from an app's store.
        case turn(AppStoreTurn)
        /// Sees whether others write, and how the files were when that began; locks may be lost
        /// without a word, but a write leaves the files otherwise.
        case witness(StoreWitness, fileState: String, digest: String?)
    }

    let path: String
    let way: Way
    let opening: StoreSpec.OpenMode
    /// The store whose copy is taken where one is to be made; nil for an empty one.
    var template: String?
    /// Whether the store keeps what changed; nil leaves it to the store.
    var history: StoreSpec.History?
    /// Whether the store keeps all digits of decimals; nil leaves it to the store.
    var keepsExactDecimals: Bool?
    /// How much of their pages connections keep in memory.
    var memory = MemoryShares(BudgetSpec().memory)
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
    /// The run that has left work beside the store, which may be gone on with or not.
    private(set) var givenUpRun: String?
    private var watched = Watch.none

    init(_ path: String, _ way: Way, opening: StoreSpec.OpenMode) {
        self.path = path
        self.way = way
        self.opening = opening
    }

    var workPath: String {
        guard !way.isDry else { return DryRun.storePath(for: path) }
        return (way == .replacement ? CompanionFile.new : .work).path(of: path)
    }

    /// The store's own container, which stands there already or is to be made.
    func openStore(model: ManagedObjectModel?) throws -> PersistentContainer {
        let isCopied =
            opening == .create && !way.isBeside ? try copyTemplate(to: path) : false
        do {
            return try container(
                model, at: path,
                opening: opening == .existing || way.isBeside ? .existing : .create)
        } catch {
            // A copy of the wrong template must not be the store from now on.
            if isCopied { try? PersistentContainer.destroy(at: path) }
            throw error
        }
    }

    /// What was begun beside the store is there, and not in its place.
    var hasWorkBeside: Bool { way.isBeside && (FileDescriptor.size(workPath) ?? 0) > 0 }

    /// A store stands in its place.
    var isThere: Bool { (FileDescriptor.size(path) ?? 0) > 0 }

    /// Whether stages that run after a failure, too, have a store: the one that is there, or an
    /// empty one, where one is to be made that does not replace another.
    var isOpenAfterFailure: Bool { isThere || (opening == .create && !isOfApp) }

    /// The store for stages that run after a failure, too.
    func openAfterFailure(model: ManagedObjectModel?) throws -> PersistentContainer {
        isThere || opening != .create
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
        options.isReadOnly = way == .readOnly || (isOfApp && path != workPath)
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
        guard way.isBeside, !way.isDry,
            let (container, saved) = try openNoted(workPath, model, owner, paths)
        else { return nil }
        givenUpRun = saved.run.runID
        try watch()
        return saved.run.base == baseDigest ? (container, saved) : nil
    }

    /// The store itself, where a run has replaced it already and was killed before it could take
    /// its notes away.
    func openReplaced(
        model: ManagedObjectModel?, _ owner: String, _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        way == .replacement ? try openNoted(path, model, owner, paths) : nil
    }

    /// A store with notes of a run; whatever is wrong with any other, it is made anew, but not one
    /// that others have locked, or that cannot be read for a reason that passes.
    private func openNoted(
        _ path: String, _ model: ManagedObjectModel?, _ owner: String,
        _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard FileDescriptor.size(path) ?? 0 > 0 else { return nil }
        do {
            let container = try container(model, at: path)
            return try RunJournal.saved(by: owner, paths, in: container).map { (container, $0) }
        } catch {
            // What this user may not read is not read next time either.
            let mayPass = error.isPassing && FileSystem.allows(path, .read)
            guard !error.isStoreInUse, !mayPass else { throw error }
            return nil
        }
    }

    /// Makes sure that nobody is in the middle of writing to the store, where the run itself comes
    /// to write to it at its end alone.
    ///
    /// - Throws: where another process is.
    func checkIsUnlocked() throws(StoreError) {
        guard way.isBeside, !way.isDry, !isOfApp, isThere else { return }
        try PersistentContainer.checkIsUnlocked(at: path, waiting: patience)
    }

    /// A new store to work on beside the one that is to be replaced, or a clone of it.
    mutating func openBeside(model: ManagedObjectModel?) throws -> PersistentContainer {
        try PersistentContainer.destroy(at: workPath)
        guard way.real != .replacement else {
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
        try PersistentContainer.copyProgressNotes(besideStoreAt: path, into: workPath)
        if isOfApp { try PersistentContainer.recallInputs(ofStoreAt: path, into: workPath) }
        return try container(model, at: workPath)
    }

    /// What the store holds that a working copy is taken of; nil where there is none, or none is
    /// taken.
    ///
    /// Neither size nor time tells: a backup that is put back may have those of another content.
    var baseDigest: String? {
        guard case .workingCopy = way, isThere else { return nil }
        return FileDescriptor.digest([path, path + "-wal"], ignoring: Self.headerOfWrites)
    }

    /// What SQLite's header says of how the file was written, and not of its content: the versions
    /// for the kind of log, and the counters with the version of the library
    /// (https://www.sqlite.org/fileformat2.html).
    private static let headerOfWrites = [18..<20, 24..<28, 92..<100]

    /// What changes when somebody writes to the store's files; cheap, but it changes too often.
    private var fileState: String {
        FileDescriptor.state(path) + " " + FileDescriptor.state(path + "-wal")
    }

    /// Begins to see who writes to a store whose clone is to take its place; others are kept away
    /// from that of an app already.
    private mutating func watch() throws(StoreError) {
        guard case .workingCopy = way, !isOfApp else { return }
        watched =
            isThere
            ? .witness(
                try StoreWitness(at: path, waiting: patience), fileState: fileState,
                digest: baseDigest)
            : .none
    }

    /// Takes the turn on an app's store that is there, so that nobody writes to it until the run is
    /// at its end.
    ///
    /// - Throws: where another process has it open.
    mutating func takeTurn() throws(StoreError) {
        guard isOfApp, case .workingCopy = way, turn == nil, isThere else { return }
        watched = .turn(try AppStoreTurn(at: path, workPath: workPath, waiting: patience))
    }

    /// The turn on an app's store, where there is one.
    var turn: AppStoreTurn? { if case .turn(let turn) = watched { turn } else { nil } }

    /// Puts a store that was built beside, and that nobody has open any more, into its place.
    ///
    /// - Throws: where somebody has written to the one that it is a clone of, who would lose that.
    mutating func complete() throws {
        defer { endWatch() }
        var witness: StoreWitness?
        switch watched {
        case .witness(let seen, let state, let digest):
            guard state == fileState || digest == baseDigest else {
                throw StoreError(writtenMeanwhile: path)
            }
            witness = seen
        // Where there was none, somebody may have made one.
        case .none where way != .replacement && !isOfApp && isThere:
            throw StoreError(writtenMeanwhile: path)
        case .none, .turn: break
        }
        try PersistentContainer.replace(
            at: path, with: workPath, waiting: patience, unlessSeenBy: witness)
        try PersistentContainer.removeProgressFile(besideStoreAt: path)
    }

    /// Nothing of this run takes the store's place any more.
    mutating func endWatch() { watched = .none }

    /// Takes away what was built beside, after a failure that nothing can be made of.
    mutating func abandon() {
        endWatch()
        // The failure is told already, and the next run would take the rest away too.
        if way.isBeside { try? PersistentContainer.destroy(at: workPath) }
        if way.isDry { DryRun.removeRejects(of: workPath) }
    }
}
