import Diagnostics
import Files
import FoundationEssentials
import GraphStore
import RecordStreams

/// The exports and rejects of a run whose store takes its place at the end: they get their names
/// with it.
///
/// ```
/// tasks.csv                         .tasks.csv.20261121T030000Z-4711.ready
/// rejects/nightly-20261121T…-4711   rejects/.nightly-20261121T…-4711.ready
/// ```
/// Until then they wait under hidden names in the same folders. Before such a file is made, a plan
/// next to the store says which name it is to get. Whoever is killed behind the swap leaves the plan,
/// and the next run on the store does as it says, as often as it takes. If the new store is given up,
/// the files of the plan are removed.
struct Publication: Sendable {
    private static let ending = ".ready"

    /// What the files wait for.
    private struct Waiting {
        let runID: String
        let store: String
        /// The store that is to take its place.
        let work: String
    }

    /// Nil where each file gets its name as soon as it is whole.
    private let waiting: Waiting?

    /// Files get their names at once.
    static let immediate = Publication(waiting: nil)

    private init(waiting: Waiting?) {
        self.waiting = waiting
    }

    init(_ target: StoreTarget, runID: String) {
        self.init(
            waiting: target.way.isBeside && !target.way.isDry
                ? Waiting(runID: runID, store: target.path, work: target.workPath) : nil)
    }

    /// Whether what the run makes is to get its name at the end.
    var isWaiting: Bool { waiting != nil }

    /// Where a file is to be written, which the plan knows from now on; nil where it gets its name
    /// at once.
    func place(ofExport path: FileName) throws -> FileName? {
        guard let waiting, path != "-" else { return nil }
        let target = FileSystem.resolved(path) ?? path
        let place = target.folder.joining(
            OutputFile.hiddenName(of: target.lastComponent, ".\(waiting.runID)\(Self.ending)"))
        try note(Move(from: place, to: target))
        return place
    }

    /// Removes files that what the run makes takes the place of; as soon as all of that has its name.
    func remove(_ paths: [FileName]) throws {
        guard !paths.isEmpty else { return }
        guard waiting != nil else { return try paths.forEach(Self.removeEarlier) }
        try note { plan in
            plan.removals = (plan.removals ?? []) + paths.map { FileSystem.resolved($0) ?? $0 }
        }
    }

    private static func removeEarlier(_ path: FileName) throws {
        do throws(SystemFault) {
            try FileSystem.remove(path)
        } catch {
            guard !error.isNoEntry else { return }
            throw RunFailure(
                Fault(.output, error.kind(else: .notCreated)), code: "output.earlier-part",
                "\(path.displayText) is a part of an earlier export, and cannot be removed: "
                    + error.text,
                fix: "remove it, since a pattern for all parts would read it, too")
        }
    }

    /// Where the rejects of a run are written.
    ///
    /// - Parameter folder: where they belong.
    func place(ofRejects folder: String) -> String {
        guard waiting != nil else { return folder }
        return PathText.join(
            PathText.folder(of: folder), ".\(PathText.lastComponent(folder))\(Self.ending)")
    }

    /// Lets the plan know of rejects, before their folder is made.
    func noteRejects(in folder: String) throws {
        guard waiting != nil else { return }
        try note(Move(from: FileName(place(ofRejects: folder)), to: FileName(folder)))
    }

    /// The run whose rejects a folder holds, or whose they wait in; nil of any other name.
    static func run(ofRejects folder: String, _ pipeline: String) -> Substring? {
        let name = FileName(folder)
        let ending = FileName(Self.ending)
        let isWaiting = name.bytes.first == UInt8(ascii: ".") && name.hasSuffix(ending)
        let shown =
            isWaiting ? folder.utf8.dropFirst().dropLast(ending.bytes.count) : folder.utf8[...]
        let start = Array((pipeline + "-").utf8)
        guard shown.starts(with: start) else { return nil }
        return Substring(shown.dropFirst(start.count))
    }

    // MARK: The plan

    /// A file, or a folder, and the name that it is to get.
    private struct Move: Decodable, Hashable {
        var from: FileName
        var to: FileName

        var json: JSONTree { .fields(["from": from, "to": to]) }

        func mapping(_ map: (FileName) -> FileName) -> Move {
            Move(from: map(from), to: map(to))
        }
    }

    private func note(_ move: Move) throws {
        try note { plan in
            if !plan.moves.contains(move) { plan.moves.append(move) }
        }
    }

    private func note(_ change: (inout Plan) -> Void) throws {
        guard let waiting else { return }
        let file = try Self.fileNumber(waiting.work)
        var plan = try Plan(besideStoreAt: waiting.store) ?? Plan(file: file, moves: [])
        if plan.file != file {
            Self.discard(plan.moves)
            plan = Plan(file: file, moves: [])
        }
        let before = plan
        change(&plan)
        guard plan != before else { return }
        try plan.write(besideStoreAt: waiting.store)
    }

    /// Does as a plan says, if there is one whose store has taken its place.
    ///
    /// A plan stays while the store that it is of still waits for its place.
    ///
    /// - Throws: `RunFailure` (73) where a file cannot get its name.
    static func recover(besideStoreAt path: String) throws {
        guard let plan = try Plan(besideStoreAt: path) else { return }
        if plan.file == (try fileNumber(path)) {
            try publish(plan)
        } else {
            let waiting = try [CompanionFile.work, .new].map { try fileNumber($0.path(of: path)) }
            guard !waiting.contains(plan.file) else { return }
            // A loss of power must not bring back a store whose files are gone.
            try PersistentContainer.synchronizeFolder(ofStoreAt: path)
            discard(plan.moves)
        }
        FileDescriptor.remove(Plan.path(path))
    }

    /// Gives the files their names, although the store stays as it is.
    static func publishAll(besideStoreAt path: String) throws {
        guard let plan = try Plan(besideStoreAt: path) else { return }
        try publish(plan)
        FileDescriptor.remove(Plan.path(path))
    }

    /// Removes a plan with its files, since the store that it is of has been removed.
    ///
    /// - Parameter keepsRejects: those get their name all the same.
    static func giveUp(besideStoreAt path: String, keepsRejects: Bool = false) {
        // Whatever fails here is left to the next run, as the failure that led here is told already.
        try? giveUp(Plan(besideStoreAt: path), besideStoreAt: path, keepsRejects: keepsRejects)
    }

    private static func giveUp(
        _ plan: Plan?, besideStoreAt path: String, keepsRejects: Bool
    ) throws {
        if let plan {
            try publish(plan.moves.filter { keepsRejects && FileSystem.isFolder($0.from) })
            // A loss of power must not bring back a store whose files are gone.
            try PersistentContainer.synchronizeFolder(ofStoreAt: path)
            discard(plan.moves)
        }
        FileDescriptor.remove(Plan.path(path))
    }

    private static func publish(_ plan: Plan) throws {
        try publish(plan.moves)
        try plan.removals?.forEach(removeEarlier)
    }

    private static func publish(_ moves: [Move]) throws {
        for move in moves where FileDescriptor.size(move.from) != nil { try publish(move) }
        // Those that an earlier attempt has moved, too: it may have ended before this.
        for folder in Set(moves.map(\.to.folder)) where FileSystem.isFolder(folder) {
            try FileDescriptor.synchronizeFolder(folder)
        }
    }

    private static func publish(_ move: Move) throws {
        let failure: SystemFault
        do throws(SystemFault) {
            return try FileSystem.rename(move.from, to: move.to)
        } catch {
            failure = error
        }
        // Other stages of the run have files there already.
        let names = FileDescriptor.names(in: move.from)
        if !names.isEmpty, FileSystem.isFolder(move.to) {
            for name in names {
                try publish(Move(from: move.from.joining(name), to: move.to.joining(name)))
            }
            FileDescriptor.removeFolder(move.from)
            return try FileDescriptor.synchronizeFolder(move.to)
        }
        throw RunFailure(
            Fault(.output, failure.kind(else: .notCreated)), code: "output.name",
            "\(move.to.displayText) is written, and cannot get its name: \(failure.text)",
            fix: "make room for the name, and run it again")
    }

    /// Removes the files of a plan for good: the plan is removed next, and nothing else names a file
    /// that a loss of power brings back.
    private static func discard(_ moves: [Move]) {
        for move in moves {
            guard FileSystem.isFolder(move.from) else {
                FileDescriptor.remove(move.from)
                continue
            }
            for name in FileDescriptor.names(in: move.from) {
                FileDescriptor.remove(move.from.joining(name))
            }
            FileDescriptor.removeFolder(move.from)
        }
        for folder in Set(moves.map(\.from.folder)) {
            // Where the disk cannot do that, a hidden file may come back, which is in nobody's way.
            try? FileDescriptor.synchronizeFolder(folder)
        }
    }

    /// What a file keeps under another name, and whatever is written to it; empty where there is none.
    static func fileNumber(_ path: String) throws(RunFailure) -> String {
        do throws(SystemFault) {
            return String(try FileStatus(of: path).inode)
        } catch {
            if error.isNoEntry { return "" }
            throw RunFailure(
                Fault(.store, error.kind(else: .inputOutput)), code: "store.input-output",
                "\(path) cannot be inspected: \(error.text)",
                fix: "check that disk, and run it again")
        }
    }

    private struct Plan: Decodable, Equatable {
        /// Which file the store is that takes its place.
        var file: String
        /// In the file, as seen from the store, so that a project that is moved finds its files.
        var moves: [Move]
        /// Files that go once these have their names; nil where there are none.
        var removals: [FileName]?

        static func path(_ storePath: String) -> String {
            CompanionFile.files.path(of: storePath)
        }

        init(file: String, moves: [Move]) {
            (self.file, self.moves) = (file, moves)
        }

        /// Nil where there is none; one that is damaged was never whole, so that nothing waits by it.
        ///
        /// - Throws: `RunFailure` (71, 74, or 77) if it cannot be read.
        init?(besideStoreAt path: String) throws(RunFailure) {
            let file = FileName(Self.path(path))
            guard let data = try WholeFile.readIfThere(file),
                var plan = try? JSONDecoder().decode(Plan.self, from: data)
            else { return nil }
            let folder = FileName(PathText.folder(of: path))
            plan.moves = plan.moves.map { $0.mapping(folder.joining) }
            plan.removals = plan.removals?.map(folder.joining)
            self = plan
        }

        func write(besideStoreAt path: String) throws {
            let folder = FileName(PathText.folder(of: path))
            let moves = moves.map { move in
                move.mapping { Self.relative($0, to: folder) }.json
            }
            let removals = removals?.map { Self.relative($0, to: folder) }
            let json = JSONTree.fields([
                "file": file, "moves": JSONTree.list(moves), "removals": removals,
            ])
            try WholeFile.write(Array(json.exact.utf8), to: Self.path(path))
        }

        private static func relative(_ name: FileName, to folder: FileName) -> FileName {
            let working = WorkingFolder.name
            return working.joining(name).relative(to: working.joining(folder)) ?? name
        }
    }
}
