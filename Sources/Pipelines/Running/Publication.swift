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
/// Until then they wait under hidden names in the same folders. Before the store is swapped, a plan
/// next to it says which file gets which name. Whoever is killed behind the swap leaves the plan, and
/// the next run on the store does as it says, as often as it takes. A plan of a swap that never came
/// is removed.
struct Publication: Sendable {
    private static let ending = ".ready"

    /// Nil where each file gets its name as soon as it is whole.
    private let runID: String?

    /// Files get their names at once.
    static let immediate = Publication(runID: nil)

    private init(runID: String?) {
        self.runID = runID
    }

    init(_ way: StoreTarget.Way, runID: String) {
        self.init(runID: way.namesFilesWithStore ? runID : nil)
    }

    /// Where a file is written; nil where it gets its name at once.
    func place(ofExport path: FileName) -> FileName? {
        guard let runID, path != "-" else { return nil }
        let target = FileDescriptor.resolved(path) ?? path
        return target.folder.joining(
            OutputFile.hiddenName(of: target.lastComponent, ".\(runID)\(Self.ending)"))
    }

    /// Where the rejects of a run are written.
    ///
    /// - Parameter folder: where they belong.
    func place(ofRejects folder: String) -> String {
        guard runID != nil else { return folder }
        return PathText.join(
            PathText.folder(of: folder), ".\(PathText.lastComponent(folder))\(Self.ending)")
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
    struct Move: Decodable, Hashable {
        var from: FileName
        var to: FileName

        var json: JSONTree { .fields(["from": from, "to": to]) }
    }

    /// What waits to be named.
    ///
    /// - Parameter stages: those whose work gets its place now.
    func moves(
        of stages: [Stage], _ spec: PipelineSpec, _ values: ParameterValues
    ) -> [Move] {
        guard runID != nil else { return [] }
        var moves: [Move] = []
        for case .export(let export) in stages.map(\.kind) {
            let path = FileName(values.path(export.to))
            for path in [path] + (export.hasManifest ? [ExportManifest.path(of: path)] : []) {
                guard let place = place(ofExport: path) else { continue }
                moves.append(Move(from: place, to: FileDescriptor.resolved(path) ?? path))
            }
        }
        moves += rejectMoves(spec, values)
        return moves.filter { FileDescriptor.size($0.from) != nil }
    }

    /// What waits to be named of the rejects alone.
    func rejectMoves(_ spec: PipelineSpec, _ values: ParameterValues) -> [Move] {
        guard let runID else { return [] }
        let rejects = RejectFolders.folder(of: spec, values, runID: runID)
        return [Move(from: FileName(place(ofRejects: rejects)), to: FileName(rejects))]
    }

    /// Writes the plan, before the finished store takes its place.
    ///
    /// - Parameter workPath: the finished store.
    static func write(_ moves: [Move], for workPath: String, besideStoreAt path: String) throws {
        guard !moves.isEmpty else { return }
        let folder = FileName(PathText.folder(of: path))
        let plan = Plan(
            file: CompletionNote.fileNumber(workPath),
            moves: moves.map { $0.mapping { Self.relative($0, to: folder) } })
        try WholeFile.write(Array(plan.json.compact.utf8), to: Self.path(path))
    }

    /// Does as a plan says, if there is one whose store has taken its place.
    ///
    /// A plan stays while the store that it is of still waits for its place.
    ///
    /// - Throws: `RunFailure` (73) where a file cannot get its name.
    static func recover(besideStoreAt path: String) throws {
        guard let plan = Plan(besideStoreAt: path) else { return }
        if plan.file == CompletionNote.fileNumber(path) {
            try publish(plan.moves)
        } else {
            let waiting = [CompanionFile.work, .new].map {
                CompletionNote.fileNumber($0.path(of: path))
            }
            guard !waiting.contains(plan.file) else { return }
            discard(plan.moves)
        }
        FileDescriptor.remove(self.path(path))
    }

    /// Removes a plan with its files, since the store that it is of is given up.
    static func giveUp(besideStoreAt path: String) {
        if let plan = Plan(besideStoreAt: path) { discard(plan.moves) }
        FileDescriptor.remove(self.path(path))
    }

    /// Gives files their names.
    ///
    /// - Throws: `RunFailure` (73).
    static func publish(_ moves: [Move]) throws {
        for move in moves where FileDescriptor.size(move.from) != nil {
            try publish(move)
            FileDescriptor.synchronizeFolder(move.to.folder)
        }
    }

    private static func publish(_ move: Move) throws {
        let failure: SystemFault
        do throws(SystemFault) {
            return try FileDescriptor.rename(move.from, to: move.to)
        } catch {
            failure = error
        }
        // Other stages of the run have files there already.
        let names = FileDescriptor.names(in: move.from)
        if !names.isEmpty, FileDescriptor.isFolder(move.to) {
            for name in names {
                try publish(Move(from: move.from.joining(name), to: move.to.joining(name)))
            }
            FileDescriptor.removeFolder(move.from)
            return FileDescriptor.synchronizeFolder(move.to)
        }
        throw RunFailure(
            Fault(.output, failure.kind(else: .notCreated)), code: "output.name",
            "\(move.from.displayText) cannot get its name \(move.to.displayText): \(failure.text)",
            fix: "make room for the name, and run it again")
    }

    /// Removes what waits, since the store that it belongs to is gone.
    static func discard(_ moves: [Move]) {
        for move in moves {
            FileDescriptor.remove(move.from)
            for name in FileDescriptor.names(in: move.from) {
                FileDescriptor.remove(move.from.joining(name))
            }
            FileDescriptor.removeFolder(move.from)
        }
    }

    private struct Plan: Decodable {
        /// Which file the store is that takes its place.
        var file: String
        /// In the file, as seen from the store, so that a project that is moved finds its files.
        var moves: [Move]

        init(file: String, moves: [Move]) {
            (self.file, self.moves) = (file, moves)
        }

        /// Nil where there is none; one that is damaged was never whole, so that no swap came behind it.
        init?(besideStoreAt path: String) {
            guard let bytes = FileDescriptor.contents(FileName(Publication.path(path))),
                var plan = try? JSONDecoder().decode(Plan.self, from: Data(bytes))
            else { return nil }
            let folder = FileName(PathText.folder(of: path))
            plan.moves = plan.moves.map { $0.mapping(folder.joining) }
            self = plan
        }

        var json: JSONTree { .fields(["file": file, "moves": JSONTree.list(moves.map(\.json))]) }
    }

    private static func path(_ storePath: String) -> String {
        CompanionFile.files.path(of: storePath)
    }

    private static func relative(_ name: FileName, to folder: FileName) -> FileName {
        let working = WorkingFolder.name
        return working.joining(name).relative(to: working.joining(folder)) ?? name
    }
}

extension Publication.Move {
    func mapping(_ map: (FileName) -> FileName) -> Self {
        Self(from: map(from), to: map(to))
    }
}

extension StoreTarget.Way {
    /// Whether what stages make waits for the swap.
    var namesFilesWithStore: Bool {
        switch self {
        case .workingCopy, .replacement: true
        case .readOnly, .inPlace, .snapshot: false
        }
    }
}
