import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The inputs of an import in order, with the progress of earlier attempts.
struct ImportInputs: Sendable {
    /// The maximum number of inputs for the small path; more inputs are read faster by several
    /// threads.
    private static let smallInputsMax = 32

    private(set) var files: [InputFile]
    /// The folder of the spec, for relative paths in messages.
    private let specFolder: String
    private(set) var options: ReadOptions
    /// The maximum number of records to read.
    private(set) var recordsMax: Int?
    private var done: Set<FileName> = []
    /// The positions at which earlier attempts of this import stopped, at most one for each input.
    private var positions: [InputPosition] = []
    /// The positions in files that are no longer inputs.
    private(set) var absentPositions: [InputPosition] = []
    /// The position at which a batch must end, because a section of an earlier attempt ended there.
    ///
    /// A section is a group of records that is written in the order of rows.
    private(set) var sectionEnd: InputPosition?
    /// Whether the inputs are reject files, with a file of reasons next to each.
    private let areRejects: Bool
    /// The formats in which reject files were written, by their names.
    private let rejectForms: [FileName: RejectForm]
    /// The notes about streams that an earlier attempt has read completely, by path.
    ///
    /// They are read again, and the records that were saved are skipped.
    private var known: [FileName: InputNote] = [:]

    init(_ read: ReadSpec, _ stage: Stage, _ environment: StageEnvironment) throws {
        try self.init(read, environment.spec, environment.values)
        recordsMax = environment.recordsMax
        options.chunkBytes = environment.decoding.chunkBytes ?? options.chunkBytes
        showCommandLines(environment.warn)
        if read.isOnce { try leaveOutKnown(stage, environment) }
    }

    /// The inputs that can be read only once.
    var streams: [InputFile] { files.filter(\.isStream) }

    /// Finds all inputs, whether or not the store knows them from earlier runs.
    init(_ read: ReadSpec, _ spec: PipelineSpec, _ values: ParameterValues) throws {
        specFolder = spec.folder
        if let generated = read.generated {
            let rows = try values.count(
                generated.rows, in: 0...Int64(GeneratedSpec.rowsMax), of: "records",
                key: "generate")
            files = [InputFile(generating: rows)]
        } else if let command = read.command {
            files = [InputFile(command: values.command(command))]
        } else {
            let patterns = read.files.map { values.path($0) }
            files = try InputFiles.expand(patterns: patterns, baseFolder: ".")
            guard files.count >= read.filesMin else { throw Self.tooFew(files, patterns, read) }
        }
        var options = ReadOptions(read)
        options.batchRecordsMax = min(options.batchRecordsMax, max(1, spec.budget.saveEvery))
        self.options = options
        areRejects = read.areRejects
        rejectForms = read.rejectForms
    }

    /// Returns the options for one of the files.
    ///
    /// A reject file is read as its input was: its first line may look like another format.
    private func options(for file: InputFile) -> ReadOptions {
        guard let form = rejectForms[file.path.lastComponent] else { return options }
        var options = options
        options.format = options.format ?? form.format
        options.endsAtReturn = form.endsAtReturn
        return options
    }

    /// Sets the function that reports the lines of commands on their standard error.
    mutating func showCommandLines(_ emit: @escaping @Sendable (Diagnostic) -> Void) {
        options.showCommandLine = files.lazy.compactMap(\.command).first?.reporting(emit)
    }

    private static func tooFew(
        _ files: [InputFile], _ patterns: [String], _ read: ReadSpec
    ) -> RunFailure {
        let names = patterns.joined(separator: ", ")
        return RunFailure(
            .noInput, code: "input.too-few",
            files.isEmpty
                ? "No file matches \(names)"
                : "\(files.count) files match \(names); `min-files` wants \(read.filesMin)",
            fix: files.isEmpty
                ? "check the pattern; a relative path starts at the spec's folder, one from --set"
                    + " at the working directory"
                : "wait for the others, or lower `min-files`")
    }

    /// Omits files that an earlier run has imported and that are unchanged since.
    private mutating func leaveOutKnown(
        _ stage: Stage, _ environment: StageEnvironment
    ) throws {
        if let stream = streams.first {
            throw RunFailure(
                .configuration, code: "spec.rule",
                "\(stream.name) is not a regular file, so 'once' cannot detect whether it was imported before",
                fix: "remove `once`, or use a regular file")
        }
        let known = try environment.container.knownInputs(
            pipeline: environment.spec.name, stage: stage.name)
        guard !known.isEmpty else { return }
        environment.progress.begin(stage: "compare \(stage.name)", bytesTotal: 0)
        files = try files.filter { file in
            guard let earlier = environment.paths.known(file, among: known),
                earlier.byteCount == file.byteCount
            else {
                return true
            }
            return try digest(of: file, environment) != earlier.digest
        }
    }

    /// Opens one of the files.
    ///
    /// - Parameter isCancelled: Called while a stream has no data to read.
    func reader(
        of file: InputFile, _ selection: FieldSelection,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> RecordReader {
        var options = options(for: file)
        options.isCancelled = isCancelled
        let reader: RecordReader
        do throws(RecordStreamError) {
            reader = try RecordReader(input: file, options: options, selection: selection)
        } catch {
            guard case .foreignFormat(let format, _, let inner) = error.kind else { throw error }
            // The message shows the path to write in the spec.
            let here = WorkingFolder.name
            let folder = here.joining(FileName(specFolder.isEmpty ? "." : specFolder))
            let path = here.joining(file.path).relative(to: folder) ?? file.path
            throw RecordStreamError(
                .foreignFormat(
                    format, path: path.displayText, inner: options.format ?? inner),
                at: error.location)
        }
        if options.at != "$", reader.format != .json {
            throw RunFailure(
                .configuration, code: "spec.rule",
                "\(file.name) is \(reader.format.rawValue), and 'read.at' is for json",
                fix: "leave out `at`, or read these files in a separate stage")
        }
        return reader
    }

    /// Returns the row keys of the records in a reject file, by record number.
    ///
    /// Returns no keys if records were removed from the file or added to it.
    func knownRowKeys(_ file: InputFile) throws -> [String?] {
        guard areRejects else { return [] }
        let keys = try RejectReason.read(RejectFile.reasons(of: file.path)).map(\.rowKey)
        guard keys.contains(where: { $0 != nil }) else { return [] }
        let reader = try reader(of: file, FieldSelection([]))
        let batch = RecordBatch()
        while try reader.next(batch) {}
        return reader.recordsRead == keys.count ? keys : []
    }

    /// Returns the problems of all tables that lack a column in the spec.
    ///
    /// This reads only their headers. Other faults of an input are reported when it is read.
    func headerProblems(_ selection: FieldSelection) -> [Diagnostic] {
        filesLeft.flatMap { file, _ -> [Diagnostic] in
            guard !file.isStream, file.byteCount > 0, file.generatedRows == nil,
                [.csv, .tsv].contains(
                    options(for: file).format ?? RecordFormat(fileName: file.path))
            else { return [] }
            do {
                _ = try reader(of: file, selection)
            } catch let error as RecordStreamError {
                switch error.kind {
                case .csvUnknownColumn, .csvNothingFits:
                    return RunFailure(error, stage: nil).diagnostics
                default: return []
                }
            } catch {
                return []
            }
            return []
        }
    }

    // MARK: Going on

    /// Returns the inputs without the records that an earlier attempt has saved.
    ///
    /// A stream that the earlier attempt has read must be provided again from its beginning. A
    /// repeatable import imports all of it again, whatever it contains. Any other import skips the
    /// saved records and checks that they are unchanged.
    ///
    /// - Parameter isRepeatable: Whether the import may be repeated.
    /// - Throws: `CannotResume` if an input has changed, unless only reading its records can show
    ///   that.
    func resuming(
        _ note: ResumePoint, isRepeatable: Bool, _ environment: StageEnvironment
    ) throws -> ImportInputs {
        if isRepeatable, let stream = stream(among: note.finished, note.position) {
            throw stream.command == nil
                ? CannotResume("the earlier part of \(stream.name) cannot be read again")
                : .command
        }
        var rest = self
        for input in note.finished {
            let file = files.first { $0.path == input.path }
            if file?.isStream == true {
                rest.known[input.path] = input
                continue
            }
            rest.done.insert(input.path)
            // A file that was read completely and then removed is still in the store.
            guard let file else { continue }
            guard file.byteCount == input.byteCount,
                try digest(of: file, environment) == input.digest
            else { throw CannotResume(changed: file) }
        }
        rest.recordsMax = recordsMax.map {
            max(0, $0 - note.counts.read + (note.section?.records ?? 0))
        }
        rest.sectionEnd = note.section?.end
        let paths = Set(files.map(\.path))
        rest.positions = note.positions.filter { paths.contains($0.path) }
        rest.absentPositions = note.positions.filter { !paths.contains($0.path) && !$0.isStream }
        // The position is kept until the input exists again, unless the import may be repeated.
        if isRepeatable, let position = note.positions.first(where: { !paths.contains($0.path) }) {
            throw CannotResume("\(position.name) is not among the inputs any longer")
        }
        // Read these inputs first, so that changes are found before anything is saved. Streams may
        // be provided consecutively, in the order in which they were read.
        let first = files.filter { rest.known[$0.path] != nil }
        let next = files.filter { file in
            rest.positions.contains { $0.path == file.path } && rest.known[file.path] == nil
        }
        let others = files.filter { !first.contains($0) && !next.contains($0) }
        rest.files = first + next + others
        return rest
    }

    /// Returns a stream that an earlier attempt has read, completely or in part.
    func stream(among finished: [InputNote], _ position: InputPosition?) -> InputFile? {
        streams.first { stream in
            stream.path == position?.path || finished.contains { $0.path == stream.path }
        }
    }

    /// Returns the note of an earlier attempt about a stream whose records are skipped.
    func knownStream(_ file: InputFile) -> InputNote? { known[file.path] }

    /// Returns whether an earlier attempt has read the file completely.
    func isDone(_ file: InputFile) -> Bool { done.contains(file.path) }

    /// Returns the position where an earlier attempt stopped in an existing input.
    func start(in input: FileName) -> InputPosition? {
        positions.first { $0.path == input }
    }

    /// All positions where earlier attempts stopped, except in inputs that cannot be identified
    /// again.
    var allPositions: [InputPosition] { positions + absentPositions }

    /// Whether an earlier attempt has read part of an existing input.
    var hasPositions: Bool { !positions.isEmpty }

    /// Returns the notes of an earlier attempt with each path spelled as in the current inputs.
    func naming(
        _ note: ResumePoint, _ paths: NotedPaths
    ) -> ResumePoint {
        let given = Dictionary(
            files.map { (paths.noted($0.path), $0.path) }, uniquingKeysWith: { first, _ in first })
        func path(_ noted: FileName) -> FileName { given[paths.noted(noted)] ?? noted }
        return note.mappingPaths(path)
    }

    /// Returns the notes with the new names of inputs that were renamed since the import stopped.
    ///
    /// An input is recognized by the digest of the bytes that were read.
    func followingRenames(
        _ point: ResumePoint, _ environment: StageEnvironment
    ) throws -> ResumePoint {
        let paths = Set(files.map(\.path))
        var known = Set(point.positions.map(\.path) + point.finished.map(\.path))
        var renamed: [FileName: FileName] = [:]
        for position in point.positions
        where !position.isStream && position.offset > 0 && !paths.contains(position.path) {
            let file = files.first { file in
                guard !file.isStream, file.generatedRows == nil, !known.contains(file.path) else {
                    return false
                }
                // A file that cannot be read does not match.
                let digest = try? InputDigest.value(
                    of: file, options, environment.interruption, upTo: position.offset)
                return digest == position.digest
            }
            try environment.interruption.check()
            guard let file else { continue }
            renamed[position.path] = file.path
            known.insert(file.path)
        }
        return renamed.isEmpty ? point : point.mappingPaths { renamed[$0] ?? $0 }
    }

    /// Returns the position in the file at which a batch must end.
    func sectionEnd(in file: InputFile) -> InputPosition? {
        sectionEnd?.path == file.path ? sectionEnd : nil
    }

    /// Whether inputs may be opened before the previous inputs are read.
    ///
    /// With a limit, parallel readers would not know how many records are left. An input that turns
    /// out to have changed is read again from its first byte, so no reader may have consumed the
    /// others by then.
    var mayBeReadAtOnce: Bool { recordsMax == nil && positions.isEmpty && known.isEmpty }

    /// Returns whether the remaining inputs are at least this large on average.
    ///
    /// Also returns `true` if their size is unknown, as for a stream.
    func areLarge(_ byteCount: Int) -> Bool {
        let files = filesLeft.map(\.file)
        let total = files.reduce(0) { $0 + $1.byteCount }
        return !files.isEmpty
            && (total >= byteCount * files.count || total == 0
                || files.contains(where: \.isStream))
    }

    /// Returns whether the remaining inputs are few and have at most this total size, as stored.
    func areSmall(_ byteCount: Int) -> Bool {
        let files = filesLeft.map(\.file)
        // The size of a pipe is unknown.
        return files.count <= Self.smallInputsMax
            && files.allSatisfy { $0.byteCount > 0 && $0.generatedRows == nil }
            && files.reduce(0) { $0 + $1.byteCount } <= byteCount
    }

    /// The remaining files, each with the total size of the inputs before it.
    var filesLeft: [(file: InputFile, bytesBefore: Int)] {
        var bytes = files.filter(isDone).reduce(0) { $0 + $1.byteCount }
        return files.filter { !isDone($0) }.map { file in
            defer { bytes += file.byteCount }
            return (file, bytes)
        }
    }

    private func digest(of file: InputFile, _ environment: StageEnvironment) throws -> [UInt8] {
        try InputDigest.value(of: file, options, environment.interruption)
    }
}

extension ReadOptions {
    /// Creates the options for reading files from the `read` key of a spec.
    init(_ read: ReadSpec) {
        self.init()
        format = read.format
        at = read.arrayPath
        compression = read.compression
        header = read.hasHeader
        columns = read.columns
        delimiter = read.delimiter
        linesSkipped = read.linesSkipped
        comment = read.comment
        escape = read.escape
        dropsTrailingDelimiter = read.dropsTrailingDelimiter
        quote = read.quote.map { .byte($0) } ?? .none
        nulls = read.nulls
        columnNulls = read.columnNulls
        padsShortRows = read.padsShortRows
        maxRecordBytes = read.maxRecordBytes
        maxRatio = read.maxRatio
        depthMax = read.depthMax
        encoding = read.encoding
    }
}
