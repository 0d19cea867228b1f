import Diagnostics
import FoundationEssentials
import GraphStore
import RecordStreams

/// The records that a stage refused, in their own format, beside the reasons.
///
/// ```
/// rejects/nightly-20261121T030000Z-4711/tasks.tasks.csv             the records as they were
/// rejects/nightly-20261121T030000Z-4711/tasks.tasks.csv.why.ndjson  one line for each: why
/// ```
/// Nothing is made before the first reject. `synchronize()` makes what was added durable; the
/// rows of the same batch are saved after it.
struct RejectFiles {
    /// Where the files of this run are.
    let folder: String
    private let isDry: Bool
    private let stage: Stage
    private let inputs: ImportInputs
    private let runID: String
    private let origin: RejectNote
    private var files: [String: RejectFile] = [:]
    private var shown: [String: [Diagnostic]] = [:]
    private static let shownMax = 5

    init(_ environment: StageEnvironment, stage: Stage, inputs: ImportInputs) {
        let dir =
            environment.isDry
            ? DryRun.rejectsFolder(for: environment.container.path)
            : environment.values.path(environment.spec.rejects.folder)
        folder = PathText.join(dir, "\(environment.spec.name)-\(environment.runID)")
        isDry = environment.isDry
        self.stage = stage
        self.inputs = inputs
        runID = environment.runID
        let file = environment.spec.file
        origin = RejectNote(
            pipeline: environment.spec.name, run: environment.runID,
            spec: FileDescriptor.resolved(file) ?? file, sets: environment.sets,
            workingFolder: environment.workingFolder)
    }

    /// Goes on with the files of an earlier attempt: what they got after its last save is cut off,
    /// since these records are read again.
    ///
    /// - Returns: false where one of them is gone or shorter than it was.
    mutating func resume(_ notes: [RejectFileNote]) throws -> Bool {
        // A dry run leaves those of the real one alone.
        guard !isDry else { return true }
        for note in notes {
            guard let file = try RejectFile(resuming: note) else { return false }
            files[note.source] = file
        }
        removeLeftovers()
        return true
    }

    /// Removes files of this stage that an earlier attempt made and never saved anything with.
    func removeLeftovers() {
        for input in inputs.files where files[input.path] == nil {
            let path = path(of: input.path)
            for name in [path, path + RejectFile.reasonsSuffix] { FileDescriptor.remove(name) }
        }
    }

    /// How long the files are; after `synchronize()`.
    var notes: [RejectFileNote] {
        files.sorted { $0.key < $1.key }.map { $0.value.note(source: $0.key) }
    }

    /// The first rejects of each code, to be shown.
    var firstOfEachCode: [Diagnostic] {
        shown.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// Adds a record with its reason.
    mutating func add(
        _ reject: RejectedRecord, format: RecordFormat?, columnNames: [String]?
    ) throws {
        let source = reject.location.source
        if files[source] == nil {
            try OutputFolder.make(folder)
            let format = format ?? RecordFormat(fileName: source)
            try noteFile(of: source)
            files[source] = try RejectFile(
                path: path(of: source), isArray: format == .json,
                header: header(columnNames, format))
            // The names must be as durable as what the files hold.
            FileDescriptor.synchronizeFolder(folder)
            FileDescriptor.synchronizeFolder(PathText.folder(of: folder))
        }
        try files[source]?.add(reject, runID: runID)
        if shown[reject.code, default: []].count < Self.shownMax {
            shown[reject.code, default: []].append(reject.diagnostic)
        }
    }

    /// Notes the file before it is there, so that none is without a note.
    private func noteFile(of source: String) throws {
        guard !isDry else { return }
        var note = try RejectNote.read(in: folder) ?? origin
        let file = RejectNote.File(
            name: PathText.lastComponent(path(of: source)), stage: stage.name, source: source)
        guard !note.files.contains(file) else { return }
        note.files.append(file)
        note.files.sort { ($0.stage, $0.name) < ($1.stage, $1.name) }
        try note.write(in: folder)
    }

    /// A first line that the stage reads as that of its input; empty where there is none.
    private func header(_ columnNames: [String]?, _ format: RecordFormat?) -> [UInt8] {
        guard let columnNames, inputs.options.header else { return [] }
        let delimiter = inputs.options.delimiter ?? UInt8(ascii: format == .tsv ? "\t" : ",")
        var line: [UInt8] = []
        for (index, name) in columnNames.enumerated() {
            if index > 0 { line.append(delimiter) }
            guard case .byte(let quote) = inputs.options.quote,
                name.utf8.contains(where: { [quote, delimiter, 10, 13].contains($0) })
            else {
                line += name.utf8
                continue
            }
            line.append(quote)
            for byte in name.utf8 { line += byte == quote ? [quote, quote] : [byte] }
            line.append(quote)
        }
        return line + [10]
    }

    private func path(of source: String) -> String {
        var name = source == "-" ? "stdin" : PathText.lastComponent(source)
        if name.hasSuffix(".gz") { name = String(name.dropLast(3)) }
        // Inputs of one name in several folders must not share a file.
        let same = inputs.files.filter {
            PathText.lastComponent($0.path) == PathText.lastComponent(source)
        }
        if same.count > 1, let place = same.firstIndex(where: { $0.path == source }) {
            name = "\(place + 1).\(name)"
        }
        return PathText.join(folder, "\(stage.name).\(name)")
    }

    /// Makes what was added so far durable.
    mutating func synchronize() throws {
        for file in files.values { try file.synchronize() }
    }

    /// Ends the files.
    mutating func close() throws {
        for file in files.values { try file.close() }
        files = [:]
    }
}

/// The refused records of one input, and their reasons.
final class RejectFile {
    static let reasonsSuffix = ".why.ndjson"

    private let records: AppendedFile
    private let reasons: AppendedFile
    private let isArray: Bool
    private var isFirst = true

    init(path: String, isArray: Bool, header: [UInt8]) throws {
        records = try AppendedFile(path, keeping: 0)
        reasons = try AppendedFile(path + Self.reasonsSuffix, keeping: 0)
        self.isArray = isArray
        try records.write(isArray ? Array("[\n".utf8) : header)
    }

    /// Goes on with the files of an earlier attempt; nil where they do not hold what they held.
    init?(resuming note: RejectFileNote) throws {
        let reasonsPath = note.path + Self.reasonsSuffix
        guard FileDescriptor.size(note.path) ?? -1 >= note.recordsLength,
            FileDescriptor.size(reasonsPath) ?? -1 >= note.reasonsLength
        else { return nil }
        records = try AppendedFile(note.path, keeping: note.recordsLength)
        reasons = try AppendedFile(reasonsPath, keeping: note.reasonsLength)
        isArray = note.isArray
        isFirst = note.isFirst
    }

    func note(source: String) -> RejectFileNote {
        RejectFileNote(
            source: source, path: records.path, recordsLength: records.length,
            reasonsLength: reasons.length, isArray: isArray, isFirst: isFirst)
    }

    func add(_ reject: RejectedRecord, runID: String) throws {
        if isArray, !isFirst { try records.write(Array(",\n".utf8)) }
        isFirst = false
        try records.write(reject.raw)
        if !isArray { try records.write([10]) }
        try reasons.write(RejectReason(reject, runID: runID).text)
    }

    func synchronize() throws {
        try records.synchronize()
        try reasons.synchronize()
    }

    func close() throws {
        if isArray { try records.write(Array("\n]\n".utf8)) }
        try synchronize()
    }
}

/// A file that grows at its end and is made durable on request.
private final class AppendedFile {
    let path: String
    /// Bytes written, those that wait to be included.
    private(set) var length: Int
    private let handle: Int32
    private var buffer: [UInt8] = []
    private var isDurable = true
    private static let bufferMax = 1 << 20

    /// - Parameter keeping: bytes of the file that stay, where it is there already.
    init(_ path: String, keeping: Int) throws {
        self.path = path
        length = keeping
        handle = FileDescriptor.createForAppending(path)
        guard handle >= 0 else {
            let failure = FileDescriptor.failure(else: .cannotCreate)
            // Reject files that may not be made are an output that cannot be created.
            throw RunFailure(
                failure.status == .osError ? .osError : .cannotCreate, code: "rejects.file",
                "The reject file \(path) cannot be made: \(failure.text)",
                fix: "check the folder's permissions, or set `rejects.dir`")
        }
        guard FileDescriptor.cut(handle, to: keeping) else { throw failure }
    }

    deinit {
        FileDescriptor.close(handle)
    }

    func write(_ bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        length += bytes.count
        isDurable = false
        if buffer.count >= Self.bufferMax { try flush() }
    }

    func synchronize() throws {
        guard !isDurable else { return }
        try flush()
        guard FileDescriptor.synchronize(handle) else { throw failure }
        isDurable = true
    }

    private func flush() throws {
        guard FileDescriptor.writeAll(buffer, to: handle) else { throw failure }
        buffer.removeAll(keepingCapacity: true)
    }

    private var failure: RunFailure {
        RunFailure(
            .cannotCreate, code: "rejects.file", "The reject file \(path) cannot be written",
            fix: "make room on the disk, or set `rejects.dir`")
    }
}
