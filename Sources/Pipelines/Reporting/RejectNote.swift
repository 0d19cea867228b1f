import Files
import FoundationEssentials
import RecordStreams

/// What a folder of rejects says of the run that made it, so that they can be replayed.
///
/// In the file, paths are relative to the folder, so that a project that is moved can be replayed.
struct RejectNote: Decodable, JSONWritable, Sendable, Hashable {
    /// One file of records, beside which are their reasons.
    struct File: Decodable, JSONWritable, Sendable, Hashable {
        var name: String
        /// The import that refused them.
        var stage: String
        /// The input that they came from.
        var source: String
        /// Whether its records are the elements of a JSON array.
        var isArray: Bool?
        /// How many of its records replays have saved; nil where there are none.
        var replayed: Int?
        /// How long the file was after the last replay, without the end of an array.
        var recordsLength: Int?
        /// How long the file of reasons was then.
        var reasonsLength: Int?

        var json: JSONTree {
            .fields([
                "name": name, "source": source, "stage": stage, "isArray": isArray,
                "replayed": replayed, "recordsLength": recordsLength,
                "reasonsLength": reasonsLength,
            ])
        }
    }

    static let currentFormat = 1
    static let name = ".run.json"

    var format = RejectNote.currentFormat
    var pipeline: String
    var run: String
    /// The spec's file, wherever the run was started.
    var spec: String
    /// `name=value`, as given on the command line.
    var sets: [String]
    /// Where relative paths of `sets` start.
    var workingFolder: String
    var files: [File] = []

    /// - Returns: nil where the folder has no such note.
    /// - Throws: `RunFailure` (65) if it is damaged.
    static func read(in folder: String) throws -> RejectNote? {
        let path = PathText.join(folder, name)
        guard FileDescriptor.size(path) != nil else { return nil }
        let note: RejectNote
        do {
            note = try JSONDecoder().decode(
                RejectNote.self, from: Data(FileSystem.contents(path)))
        } catch {
            throw RunFailure(
                .dataError, code: "rejects.note",
                "\(path) is damaged, so nobody can tell which run these rejects are of",
                fix: "restore the file, or import the records of this folder by a spec of their own"
            )
        }
        guard note.format == currentFormat else { return nil }
        let base = FileDescriptor.resolved(folder) ?? folder
        return note.mappingPaths { PathText.normalized(PathText.join(base, $0)) }
    }

    /// Replaces the folder's note as a whole.
    ///
    /// - Parameter file: another place where it is written.
    func write(in folder: String, to file: String? = nil) throws {
        let base = FileDescriptor.resolved(folder) ?? folder
        let note = mappingPaths { RelativePath.path(from: base, to: $0) ?? $0 }
        try WholeFile.write(
            Array(note.json.compact.utf8) + [10], to: file ?? PathText.join(folder, Self.name))
    }

    private func mappingPaths(_ map: (String) -> String) -> RejectNote {
        var note = self
        note.spec = map(spec)
        note.workingFolder = map(workingFolder)
        for place in note.files.indices where note.files[place].source != "-" {
            note.files[place].source = map(note.files[place].source)
        }
        return note
    }

    var json: JSONTree {
        .fields([
            "files": files, "format": format, "pipeline": pipeline, "run": run, "sets": sets,
            "spec": spec, "workingFolder": workingFolder,
        ])
    }
}

/// Small files that appear as a whole, and are durable then.
enum WholeFile {
    /// - Parameter isDurable: waits until the file would outlast a loss of power.
    static func write(_ bytes: [UInt8], to path: String, isDurable: Bool = true) throws {
        let output = try OutputFile(path: path)
        do {
            try bytes.withUnsafeBytes { try output.write($0) }
            _ = try output.finish(rowCount: 1, isDurable: isDurable)
        } catch {
            output.abandon()
            throw error
        }
    }
}
