import Diagnostics
import Files
import FoundationEssentials
import GraphStore
import RecordStreams

/// The exports and rejects of a run that replaces its store at the end; they get their final names
/// together with the store.
///
/// ```
/// tasks.csv                         .tasks.csv.20261121T030000Z-4711.ready
/// rejects/nightly-20261121T…-4711   rejects/.nightly-20261121T…-4711.ready
/// ```
/// Until then, they have hidden names in the same folders. Before such a file is created, its final
/// name is written to a plan next to the store. If the run is killed after it has replaced the
/// store, the next run on the store carries out the plan. This can be repeated any number of times.
/// If the new store is discarded, the files of the plan are removed.
struct Publication: Sendable {
    private static let ending = ".ready"

    /// The names of a store and of the new file that will replace it at the end of the run.
    private struct PendingReplacement {
        let runID: String
        let store: String
        /// The file that will replace the store.
        let work: String
    }

    /// The replacement of the store for which the finished files wait.
    ///
    /// It is `nil` if the run works on the store itself; each file then gets its name as soon as it
    /// is complete.
    private let replacement: PendingReplacement?

    /// A publication that gives files their names immediately.
    static let immediate = Publication(replacement: nil)

    private init(replacement: PendingReplacement?) {
        self.replacement = replacement
    }

    init(_ target: StoreTarget, runID: String) {
        self.init(
            replacement: target.way.usesWorkingCopy && !target.way.isDry
                ? PendingReplacement(runID: runID, store: target.path, work: target.workPath) : nil)
    }

    /// Whether files keep hidden names until the run replaces its store.
    var isDeferred: Bool { replacement != nil }

    /// Adds an export to the plan.
    ///
    /// - Returns: The hidden path to write to; `nil` if the file gets its name immediately.
    func place(ofExport path: FileName) throws -> FileName? {
        guard let replacement, path != "-" else { return nil }
        let target = FileSystem.resolved(path) ?? path
        let place = target.folder.joining(
            OutputFile.hiddenName(of: target.lastComponent, ".\(replacement.runID)\(Self.ending)"))
        try note(Move(from: place, to: target))
        return place
    }

    /// Removes files of earlier exports once all files of this run have their final names.
    func remove(_ paths: [FileName]) throws {
        guard !paths.isEmpty else { return }
        guard replacement != nil else { return try paths.forEach(Self.removeEarlier) }
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

    /// Returns the folder to which the rejects of a run are written.
    ///
    /// - Parameter folder: the final folder.
    func place(ofRejects folder: String) -> String {
        guard replacement != nil else { return folder }
        return PathText.join(
            PathText.folder(of: folder), ".\(PathText.lastComponent(folder))\(Self.ending)")
    }

    /// Adds a folder of rejects to the plan before the folder is created.
    func noteRejects(in folder: String) throws {
        guard replacement != nil else { return }
        try note(Move(from: FileName(place(ofRejects: folder)), to: FileName(folder)))
    }

    /// Returns the run whose rejects the folder holds, under its final or hidden name; `nil` for
    /// any other name.
    static func run(ofRejects folder: String, _ pipeline: String) -> Substring? {
        let name = FileName(folder)
        let ending = FileName(Self.ending)
        let isDeferred = name.bytes.first == UInt8(ascii: ".") && name.hasSuffix(ending)
        let shown =
            isDeferred ? folder.utf8.dropFirst().dropLast(ending.bytes.count) : folder.utf8[...]
        let start = Array((pipeline + "-").utf8)
        guard shown.starts(with: start) else { return nil }
        return Substring(shown.dropFirst(start.count))
    }

    // MARK: The plan

    /// A file or folder with its hidden name until the end of the run, and its final name.
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
        guard let replacement else { return }
        let file = try Self.fileNumber(replacement.work)
        var plan = try Plan(nextToStoreAt: replacement.store) ?? Plan(file: file, moves: [])
        if plan.file != file {
            Self.discard(plan.moves)
            plan = Plan(file: file, moves: [])
        }
        let before = plan
        change(&plan)
        guard plan != before else { return }
        try plan.write(nextToStoreAt: replacement.store)
    }

    /// Carries out the plan if its store has replaced the old one.
    ///
    /// Keeps the plan as long as the new store still exists under its working name.
    ///
    /// - Throws: `RunFailure` (73) if a file cannot get its name.
    static func recover(nextToStoreAt path: String) throws {
        guard let plan = try Plan(nextToStoreAt: path) else { return }
        if plan.file == (try fileNumber(path)) {
            try publish(plan)
        } else {
            let replacement = try [CompanionFile.work, .new].map {
                try fileNumber($0.path(of: path))
            }
            guard !replacement.contains(plan.file) else { return }
            // A power failure must not restore a store whose files are deleted.
            try PersistentContainer.synchronizeFolder(ofStoreAt: path)
            discard(plan.moves)
        }
        FileDescriptor.remove(Plan.path(path))
    }

    /// Gives the files their names, although the store is unchanged.
    static func publishAll(nextToStoreAt path: String) throws {
        guard let plan = try Plan(nextToStoreAt: path) else { return }
        try publish(plan)
        FileDescriptor.remove(Plan.path(path))
    }

    /// Removes a plan with its files, because its store has been removed.
    ///
    /// - Parameter keepsRejects: whether the rejects still get their names.
    static func giveUp(nextToStoreAt path: String, keepsRejects: Bool = false) {
        // The next run repeats what fails here; the failure that led here is already reported.
        try? giveUp(Plan(nextToStoreAt: path), nextToStoreAt: path, keepsRejects: keepsRejects)
    }

    private static func giveUp(
        _ plan: Plan?, nextToStoreAt path: String, keepsRejects: Bool
    ) throws {
        if let plan {
            try publish(plan.moves.filter { keepsRejects && FileSystem.isFolder($0.from) })
            // A loss of power must not restore a store whose files have been deleted.
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
        // Includes the folders of files that an earlier attempt moved, since it may have ended
        // before this step.
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
        // The folder already has files of other stages of the run.
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
            "\(move.to.displayText) is written but cannot be renamed to its final name: \(failure.text)",
            fix:
                "check the folder's permissions, and that nothing else has the name, and run it again"
        )
    }

    /// Removes the files of a plan durably.
    ///
    /// The plan is removed next, and nothing else names a file that reappears after a power
    /// failure.
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
            // If the disk does not support this, a hidden file may reappear, which is harmless.
            try? FileDescriptor.synchronizeFolder(folder)
        }
    }

    /// Returns the inode of a file, which does not change if the file is renamed or written to;
    /// empty if the file does not exist.
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
        /// The inode of the new store, by which the plan recognizes that it has replaced the old
        /// one.
        var file: String
        /// The moves.
        ///
        /// In the file, the paths are relative to the store, so a moved project finds its files.
        var moves: [Move]
        /// The files to remove after the moves; `nil` if there are none.
        var removals: [FileName]?

        static func path(_ storePath: String) -> String {
            CompanionFile.files.path(of: storePath)
        }

        init(file: String, moves: [Move]) {
            (self.file, self.moves) = (file, moves)
        }

        /// Reads the plan; `nil` if it is missing or damaged.
        ///
        /// A damaged plan was never complete, so no file depends on it.
        ///
        /// - Throws: `RunFailure` (71, 74, or 77) if it cannot be read.
        init?(nextToStoreAt path: String) throws(RunFailure) {
            let file = FileName(Self.path(path))
            guard let data = try WholeFile.readIfThere(file),
                // A plan that cannot be decoded was never complete.
                var plan = try? JSONDecoder().decode(Plan.self, from: data)
            else { return nil }
            let folder = FileName(PathText.folder(of: path))
            plan.moves = plan.moves.map { $0.mapping(folder.joining) }
            plan.removals = plan.removals?.map(folder.joining)
            self = plan
        }

        func write(nextToStoreAt path: String) throws {
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
