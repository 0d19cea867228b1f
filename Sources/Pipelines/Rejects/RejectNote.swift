import Diagnostics
import Files
import FoundationEssentials
import RecordStreams

/// A description of the run that created a reject folder, which a replay needs.
///
/// In the file, paths are relative to the folder, so that a moved project can be replayed.
struct RejectNote: Decodable, JSONWritable, Sendable, Hashable {
    /// One file of records; its reasons are in a file next to it.
    struct File: Decodable, JSONWritable, Sendable, Hashable {
        var name: FileName
        /// The import that rejected the records.
        var stage: String
        /// The input of the records.
        var source: FileName
        /// Whether its records are the elements of a JSON array.
        var isArray: Bool?
        /// The format of its records; `nil` in notes of earlier versions.
        var format: String?
        /// Whether a lone CR ends a record of a table; `nil` if not.
        var endsAtReturn: Bool?
        /// The number of its records that replays have saved; `nil` if none.
        var replayed: Int?
        /// The length of the file after the last replay, without the end of an array.
        var recordsLength: Int?
        /// The length of the reasons file after the last replay.
        var reasonsLength: Int?

        /// The format in which the records were read, and are read again.
        var form: RejectForm? {
            format.flatMap { RecordFormat(rawValue: $0) }.map {
                RejectForm(format: $0, endsAtReturn: endsAtReturn ?? false)
            }
        }

        /// Whether the numbers can be those of files, so that calculating with them cannot
        /// overflow.
        var hasPossibleCounts: Bool {
            [replayed, recordsLength, reasonsLength].allSatisfy { Self.counts.contains($0 ?? 0) }
        }

        /// The counts that a note may have.
        private static let counts = 0...1 << 53

        /// Adds to the number of records that replays have saved.
        ///
        /// - Parameter count: It is negative if the user has removed lines of the reasons.
        mutating func addReplayed(_ count: Int) {
            replayed = min(max((replayed ?? 0) + count, 0), Self.counts.upperBound)
        }

        var json: JSONTree {
            .fields([
                "name": name, "source": source, "stage": stage, "isArray": isArray,
                "format": format, "endsAtReturn": endsAtReturn,
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
    /// The path of the spec, independent of the folder in which the run was started.
    var spec: FileName
    /// The text of the spec if it is not in a file, as for `etl import`.
    var specText: String?
    /// The `name=value` pairs from the command line.
    var sets: [String]
    /// The folder to which the paths in `sets` are relative.
    var workingFolder: FileName
    var files: [File] = []

    /// Reads the note of a folder.
    ///
    /// - Returns: The note; `nil` if it does not exist or has another format version.
    /// - Throws: `RunFailure` (65) if it is damaged.
    static func read(in folder: String) throws -> RejectNote? {
        let path = PathText.join(folder, name)
        guard FileDescriptor.size(path) != nil else { return nil }
        let data = try WholeFile.read(FileName(path))
        let note: RejectNote
        do {
            note = try JSONDecoder().decode(RejectNote.self, from: data)
            // The names must refer to files in this folder.
            guard
                note.files.allSatisfy({
                    $0.name.components.count == 1 && !$0.name.isAbsolute && $0.hasPossibleCounts
                })
            else { throw CocoaError(.fileReadCorruptFile) }
        } catch {
            throw RunFailure(
                .dataError, code: "rejects.note",
                "\(path) is damaged, so the run of these rejects is unknown",
                fix: "restore the file, or import the records of this folder with a separate spec"
            )
        }
        guard note.format == currentFormat else { return nil }
        let base = Self.base(folder)
        return note.mappingPaths { base.joining($0).normalized }
    }

    /// Replaces the folder's note atomically.
    ///
    /// - Parameter file: Another path to write to.
    func write(in folder: String, to file: String? = nil) throws {
        let base = Self.base(folder)
        var note = mappingPaths { $0.relative(to: base) ?? $0 }
        for place in note.files.indices {
            // The source is for display only, so it can be masked.
            let source = note.files[place].source.displayText
            let masked = OutputText.masked(source)
            if masked != source { note.files[place].source = FileName(masked) }
        }
        try WholeFile.write(
            Array(note.json.exact.utf8) + [10], to: file ?? PathText.join(folder, Self.name))
    }

    private static func base(_ folder: String) -> FileName {
        FileSystem.resolved(FileName(folder)) ?? FileName(folder)
    }

    var json: JSONTree {
        .fields([
            "files": files, "format": format, "pipeline": pipeline, "run": run, "sets": sets,
            "spec": spec, "specText": specText, "workingFolder": workingFolder,
        ])
    }
}

extension RejectNote: PathNote {
    mutating func mapPaths(_ map: (FileName) -> FileName) {
        spec.mapPaths(map)
        workingFolder.mapPaths(map)
        for place in files.indices where files[place].source != "-" {
            files[place].source.mapPaths(map)
        }
    }
}

/// Reads and atomically replaces small files, durably.
enum WholeFile {
    /// Returns the bytes of a file that a run has written.
    ///
    /// - Throws: `RunFailure` if it cannot be read: 71, 74, or 77.
    static func read(_ path: FileName) throws(RunFailure) -> Data {
        if let data = try readIfThere(path) { return data }
        throw failure(path, .noEntry)
    }

    /// Returns the bytes of a file that a run has written; `nil` if it does not exist.
    static func readIfThere(_ path: FileName) throws(RunFailure) -> Data? {
        // Reading a named pipe would block.
        if let kind = try? FileStatus(of: path).kind, kind != .file {
            throw RunFailure(
                .dataError, code: "rejects.note", "\(path.displayText) is not a regular file",
                fix: "restore the file, or remove it")
        }
        do throws(SystemFault) {
            return Data(try FileSystem.contents(path))
        } catch {
            if error.isNoEntry { return nil }
            throw failure(path, error)
        }
    }

    private static func failure(_ path: FileName, _ fault: SystemFault) -> RunFailure {
        // A name that cannot be a file means that the content of the disk is wrong.
        RunFailure(
            Fault(.store, fault.kind(else: .inputOutput)), code: "rejects.note",
            "\(path.displayText) cannot be read: \(fault.text)",
            fix: "check the disk and the file's permissions")
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try write(bytes, to: FileName(path))
    }

    /// Replaces a file atomically and durably.
    ///
    /// - Parameter stored: The temporary name of the file until it is renamed.
    static func write(
        _ bytes: [UInt8], to path: FileName, storedAs stored: FileName? = nil
    ) throws {
        let output = try OutputFile(at: path, storedAs: stored)
        do {
            try bytes.withUnsafeBytes { try output.write($0) }
            _ = try output.finish(rowCount: 1)
        } catch {
            output.abandon()
            throw error
        }
    }
}
