import Diagnostics
import Files
import GraphModel
import GraphStore

/// The store of a run, and the way in which stages work on it.
struct StoreTarget {
    /// The way in which the stages of a run access its store.
    indirect enum Way: Hashable, Sendable {
        /// An app's store is only read, and no file is created next to it.
        case readOnly
        /// Each save goes to the store itself.
        case inPlace
        /// Stages change a clone, which replaces the store.
        ///
        /// An app's store is kept as a backup.
        case workingCopy(ReplacementTime)
        /// Stages fill a new store, which replaces the old one at the end of the run.
        case replacement
        /// A dry run works on a clone of the store, which is then deleted.
        ///
        /// The associated value is the way in which a real run would work.
        case snapshot(of: Way)

        /// The time when a clone replaces the store.
        enum ReplacementTime: Hashable, Sendable {
            case afterEachStage, atTheEnd
        }

        /// Chooses the way in which a run works on its store.
        ///
        /// - Parameters:
        ///   - isOnlyRead: whether no stage writes.
        ///   - isOfApp: whether the store is an app's, or will be created as a copy of one.
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

        /// Whether the stages that write work on another file, which later replaces the store.
        var usesWorkingCopy: Bool {
            switch self {
            case .readOnly, .inPlace: false
            case .workingCopy, .replacement, .snapshot: true
            }
        }

        var isDry: Bool { if case .snapshot = self { true } else { false } }

        /// The way itself; for a dry run, the way of the real run.
        var real: Way { if case .snapshot(let way) = self { way } else { self } }
    }

    /// How a run makes sure that its clone does not replace a store that another process has
    /// changed since.
    private enum Watch {
        case none
        /// The store is an app's and is locked, so that no other process can change it.
        case appStoreLock(AppStoreLock)
        /// The store is not locked; writes of other processes are detected before it is replaced.
        /// The values are the state and the digest of its files when this began.
        case detector(ForeignWriteDetector, fileState: String, digest: String?)
    }

    let path: String
    let way: Way
    let opening: StoreSpec.OpenMode
    /// The store to copy if a store must be created; `nil` for an empty store.
    var template: String?
    /// The history option of the store; `nil` keeps the store's setting.
    var history: StoreSpec.History?
    /// Whether the store keeps all digits of decimals; `nil` keeps the store's setting.
    var keepsExactDecimals: Bool?
    /// The limits for the page caches of connections.
    var memory = MemoryLimits(BudgetSpec().memory)
    /// The file with the model, or the spec, to suggest for a migration of the store.
    var modelFile = ""

    /// Whether the store is an app's, or will be created as a copy of one.
    var isOfApp = false
    /// Whether to write to an app's store even if it is mirrored to CloudKit.
    var allowsCloudKit = false
    /// Whether a stage deletes objects without clearing the links to them.
    var leavesLooseLinks = false
    /// How long to wait for locks of other processes.
    var patience: LockPatience?
    /// The name of a run whose unfinished working copy was found next to the store.
    ///
    /// It is set even if this run resumes that work.
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

    /// Opens the store itself, and creates it if it does not exist and may be created.
    func openStore(model: ManagedObjectModel?) throws -> PersistentContainer {
        let isCopied =
            opening == .create && !way.usesWorkingCopy ? try copyTemplate(to: path) : false
        do {
            return try container(
                model, at: path,
                opening: opening == .existing || way.usesWorkingCopy ? .existing : .create)
        } catch {
            // A copy of the wrong template must not remain as the store.
            if isCopied { try? PersistentContainer.destroy(at: path) }
            throw error
        }
    }

    /// Whether a working copy next to the store exists that has not replaced the store.
    var hasWorkingCopy: Bool { way.usesWorkingCopy && (FileDescriptor.size(workPath) ?? 0) > 0 }

    /// Whether the store exists.
    var isThere: Bool { (FileDescriptor.size(path) ?? 0) > 0 }

    /// Whether stages that run after a failure have a store: the existing one, or an empty one if
    /// it may be created and replaces no other store.
    var isOpenAfterFailure: Bool { isThere || (opening == .create && !isOfApp) }

    /// Opens the store for stages that run after a failure.
    func openAfterFailure(model: ManagedObjectModel?) throws -> PersistentContainer {
        isThere || opening != .create
            ? try openStore(model: model) : try makeStore(model, at: path)
    }

    /// Copies the template to the path if there is a template and no store exists at the path.
    ///
    /// - Returns: whether it was copied.
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

    /// Creates an empty store or a copy of the template.
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
        // The source of a copy must stay unchanged.
        options.history =
            switch isOriginal || isOfApp ? nil : history {
            case nil: nil
            case .off: .off
            case .days(let days): HistoryOptions(keeping: .days(days))
            }
        options.keepsExactDecimals = isOfApp ? nil : keepsExactDecimals
        // A page that several batches change is checkpointed once. More pages gain little, and the
        // WAL must not fill a disk with little free space.
        let free = FileSystem.freeBytes(in: PathText.folder(of: path)) ?? .max
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
            // The user knows the store, not the copy that the run writes.
            let error = error.naming(self.path, insteadOf: path)
            guard error.code == .modelMismatch, !modelFile.isEmpty else { throw error }
            var failure = RunFailure(error)
            failure.diagnostics[0].fix =
                ModelVersions.advice(forStoreAt: path, bundle: modelFile, key: "model: ")
                ?? "bring the store to this model: "
                + ModelVersions.migration(of: self.path, to: modelFile)
            throw failure
        }
    }

    /// Opens the work that an earlier attempt left next to the store; `nil` if the store has
    /// changed since then.
    mutating func openUnfinished(
        model: ManagedObjectModel?, _ owner: String, _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard way.usesWorkingCopy, !way.isDry,
            let (container, saved) = try openNoted(workPath, model, owner, paths)
        else { return nil }
        givenUpRun = saved.run.runID
        try watch()
        return saved.run.base == baseDigest ? (container, saved) : nil
    }

    /// Opens the store itself if a killed run has already replaced it but has not removed its
    /// notes.
    func openReplaced(
        model: ManagedObjectModel?, _ owner: String, _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        way == .replacement ? try openNoted(path, model, owner, paths) : nil
    }

    /// Opens a store with notes of a run.
    ///
    /// Any other file is recreated, unless it is locked or cannot be read because of a temporary
    /// failure.
    private func openNoted(
        _ path: String, _ model: ManagedObjectModel?, _ owner: String,
        _ paths: NotedPaths
    ) throws -> (container: PersistentContainer, saved: RunJournal.Saved)? {
        guard FileDescriptor.size(path) ?? 0 > 0 else { return nil }
        do {
            let container = try container(model, at: path)
            return try RunJournal.saved(by: owner, paths, in: container).map { (container, $0) }
        } catch {
            // If this user lacks permission to read, the next attempt fails, too.
            let mayPass = error.isPassing && FileSystem.allows(path, .read)
            guard !error.isStoreInUse, !mayPass else { throw error }
            return nil
        }
    }

    /// Checks that no process is writing to the store, if the run writes to it only at its end.
    ///
    /// - Throws: an error if another process is writing.
    func checkIsUnlocked() throws(StoreError) {
        guard way.usesWorkingCopy, !way.isDry, !isOfApp, isThere else { return }
        try PersistentContainer.checkIsUnlocked(at: path, waiting: patience)
    }

    /// Creates a new store or a clone of the store to work on, next to the store.
    mutating func openWorkingCopy(model: ManagedObjectModel?) throws -> PersistentContainer {
        try PersistentContainer.destroy(at: workPath)
        guard way.real != .replacement else {
            // An error at the end of the run would be too late.
            try PersistentContainer.checkReplaceable(at: path)
            return try makeStore(model, at: workPath)
        }
        guard isThere else {
            return try makeStore(model, at: workPath)
        }
        let original = try container(model, at: path, isOriginal: true)
        // After any writes of opening the store.
        try watch()
        try original.copyStore(to: workPath)
        try NotesFile(nextToStoreAt: path).copyNotes(into: workPath)
        if isOfApp { try InputMemory.recall(ofStoreAt: path, into: workPath) }
        return try container(model, at: workPath)
    }

    /// The digest of the store that a working copy is cloned from; `nil` if there is no store or no
    /// working copy.
    ///
    /// Size and time are not enough: a restored backup can have the same ones and other content.
    var baseDigest: String? {
        guard case .workingCopy = way, isThere else { return nil }
        return FileDescriptor.digest([path, path + "-wal"], ignoring: Self.headerOfWrites)
    }

    /// The header bytes that describe how SQLite wrote the file, not its content: the versions for
    /// the journal mode, and the counters with the library version
    /// (https://www.sqlite.org/fileformat2.html).
    private static let headerOfWrites = [18..<20, 24..<28, 92..<100]

    private var fileState: String { FileDescriptor.state(ofStore: path) }

    /// Starts to detect writes to a store that a clone will replace.
    ///
    /// For an app's store, other processes are already locked out.
    private mutating func watch() throws(StoreError) {
        guard case .workingCopy = way, !isOfApp else { return }
        guard isThere else { return watched = .none }
        // Reading the file for its digest releases the locks of this process on it, so another
        // process may remove the log, although this one has the store open.
        let detector = try ForeignWriteDetector(at: path, mergingLog: true, waiting: patience)
        watched = .detector(detector, fileState: fileState, digest: baseDigest)
    }

    /// Locks an existing app's store, so that no other process writes to it until the run ends.
    ///
    /// - Throws: an error if another process has it open.
    mutating func lockAppStore() throws(StoreError) {
        guard isOfApp, case .workingCopy = way, appStoreLock == nil, isThere else { return }
        watched = .appStoreLock(try AppStoreLock(at: path, workPath: workPath, waiting: patience))
    }

    /// The lock of an app's store; `nil` if there is none.
    var appStoreLock: AppStoreLock? {
        if case .appStoreLock(let lock) = watched { lock } else { nil }
    }

    /// Replaces the store with the closed working copy.
    ///
    /// - Throws: an error if another process has written to the store since it was cloned, because
    ///   its changes would be lost.
    mutating func complete() throws {
        defer { endWatch() }
        var detector: ForeignWriteDetector?
        switch watched {
        case .detector(let seen, let state, let digest):
            guard state == fileState || digest == baseDigest else {
                throw StoreError(writtenMeanwhile: path)
            }
            detector = seen
        // Another process may have created a store where none existed.
        case .none where way != .replacement && !isOfApp && isThere:
            throw StoreError(writtenMeanwhile: path)
        case .none, .appStoreLock: break
        }
        try PersistentContainer.replace(
            at: path, with: workPath, waiting: patience, unlessSeenBy: detector)
        try NotesFile(nextToStoreAt: path).remove()
    }

    /// Ends the detection of writes, because this run will not replace the store.
    mutating func endWatch() { watched = .none }

    /// Removes the work next to the store after a failure that cannot be resumed.
    mutating func abandon() {
        endWatch()
        // The failure is already reported, and the next run would also remove the rest.
        if way.usesWorkingCopy { try? PersistentContainer.destroy(at: workPath) }
        if way.isDry { DryRun.removeRejects(of: workPath) }
    }
}
