import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The inputs of an import, found and sorted, and how far an earlier attempt has come with them.
struct ImportInputs: Sendable {
    /// More than that are better read at once, by several threads.
    private static let smallInputsMax = 32

    private(set) var files: [InputFile]
    /// Where the spec is, at which the paths in it begin.
    private let specFolder: String
    private(set) var options: ReadOptions
    /// Records to be read at most.
    private(set) var recordsMax: Int?
    private var done: Set<FileName> = []
    /// Where earlier attempts stopped, one place in an input.
    private var positions: [InputPosition] = []
    /// Such places in inputs that are not there.
    private(set) var absentPositions: [InputPosition] = []
    /// Where what comes next is to be cut, since an earlier attempt took it in another order up to there.
    private(set) var sectionEnd: InputPosition?
    /// They are rejects, with their reasons beside them.
    private let areRejects: Bool
    /// Streams that an earlier attempt has read to their ends, which are given again.
    private var known: [FileName: InputNote] = [:]

    init(_ read: ReadSpec, _ stage: Stage, _ environment: StageEnvironment) throws {
        try self.init(read, environment.spec, environment.values)
        recordsMax = environment.recordsMax
        options.chunkBytes = environment.decoding.chunkBytes ?? options.chunkBytes
        tellOfCommands(environment.warn)
        if read.isOnce { try leaveOutKnown(stage, environment) }
    }

    /// The inputs whose bytes come but once.
    var streams: [InputFile] { files.filter(\.isStream) }

    /// All inputs, whatever the store knows of them.
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
    }

    /// Shows what commands write to their standard error.
    mutating func tellOfCommands(_ tell: @escaping @Sendable (Diagnostic) -> Void) {
        options.tellOfCommand = files.lazy.compactMap(\.command).first?.telling(tell)
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

    /// Leaves out files that an earlier run has imported, as long as they are what they were.
    private mutating func leaveOutKnown(
        _ stage: Stage, _ environment: StageEnvironment
    ) throws {
        if let stream = streams.first {
            throw RunFailure(
                .configuration, code: "spec.rule",
                "\(stream.name) is not a regular file, so 'once' cannot tell whether it was imported before",
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
    /// - Parameter isCancelled: asked while a stream has nothing to be read.
    func reader(
        of file: InputFile, _ selection: FieldSelection,
        isCancelled: (@Sendable () -> Bool)? = nil
    ) throws -> RecordReader {
        var options = options
        options.isCancelled = isCancelled
        let reader: RecordReader
        do throws(RecordStreamError) {
            reader = try RecordReader(input: file, options: options, selection: selection)
        } catch {
            guard case .foreignFormat(let format, _, let inner) = error.kind else { throw error }
            // The message shows what to write in the spec.
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
                fix: "leave out `at`, or read these files in a stage of their own")
        }
        return reader
    }

    /// The row keys that the records of a file of rejects had when they were refused, by their
    /// numbers; none where records were taken out of it or added.
    func knownRowKeys(_ file: InputFile) throws -> [String?] {
        guard areRejects else { return [] }
        let keys = try RejectReason.read(RejectFile.reasons(of: file.path)).map(\.rowKey)
        guard keys.contains(where: { $0 != nil }) else { return [] }
        let reader = try reader(of: file, FieldSelection([]))
        let batch = RecordBatch()
        while try reader.next(batch) {}
        return reader.recordsRead == keys.count ? keys : []
    }

    /// What is to be said of tables that lack a column which the spec names, of all at once.
    ///
    /// Only their headers are read. Whatever else is wrong with an input is told at its turn.
    func headerProblems(_ selection: FieldSelection) -> [Diagnostic] {
        filesLeft.flatMap { file, _ -> [Diagnostic] in
            guard !file.isStream, file.byteCount > 0, file.generatedRows == nil,
                [.csv, .tsv].contains(options.format ?? RecordFormat(fileName: file.path))
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

    /// The same inputs without what an earlier attempt has saved.
    ///
    /// Of a stream that it has read something of, all comes again, and none of it a third time. An
    /// import that may be repeated takes all of it, whatever it is now. Any other reads over what
    /// is saved, which shows on the way whether it is the same.
    ///
    /// - Parameter isRepeatable: whether the import may be repeated.
    /// - Throws: `CannotResume` where an input is not what it was, as far as shows before its
    ///   records are read.
    func resuming(
        _ note: ResumePoint, isRepeatable: Bool, _ environment: StageEnvironment
    ) throws -> ImportInputs {
        if isRepeatable, let stream = stream(among: note.finished, note.position) {
            throw stream.command == nil
                ? CannotResume("what was read of \(stream.name) cannot be read again")
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
            // What was read to its end and taken away since is in the store all the same.
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
        // The place waits until the input is back, unless it may just be read again.
        if isRepeatable, let position = note.positions.first(where: { !paths.contains($0.path) }) {
            throw CannotResume("\(position.name) is not among the inputs any more")
        }
        // Whether they are what they were shows before anything else is saved. Streams may be given
        // one after another, in the order in which they were read.
        let first = files.filter { rest.known[$0.path] != nil }
        let next = files.filter { file in
            rest.positions.contains { $0.path == file.path } && rest.known[file.path] == nil
        }
        let others = files.filter { !first.contains($0) && !next.contains($0) }
        rest.files = first + next + others
        return rest
    }

    /// A stream of which something was read, as notes tell.
    func stream(among finished: [InputNote], _ position: InputPosition?) -> InputFile? {
        streams.first { stream in
            stream.path == position?.path || finished.contains { $0.path == stream.path }
        }
    }

    /// What an earlier attempt has read of a stream that is read over.
    func knownStream(_ file: InputFile) -> InputNote? { known[file.path] }

    /// Whether an earlier attempt has read the file to its end.
    func isDone(_ file: InputFile) -> Bool { done.contains(file.path) }

    /// Where an earlier attempt stopped in the file.
    func start(in file: InputFile) -> InputPosition? {
        positions.first { $0.path == file.path }
    }

    /// The place, if its input is there.
    func start(at position: InputPosition) -> InputPosition? {
        positions.first { $0.path == position.path }
    }

    /// All places where earlier attempts stopped, but in inputs that cannot be known again.
    var allPositions: [InputPosition] { positions + absentPositions }

    /// Whether some of an input that is there was read by an earlier attempt.
    var hasPositions: Bool { !positions.isEmpty }

    /// The notes of an earlier attempt with the paths of today's inputs, as they were given.
    func naming(
        _ note: ResumePoint, _ paths: NotedPaths
    ) -> ResumePoint {
        let given = Dictionary(
            files.map { (paths.noted($0.path), $0.path) }, uniquingKeysWith: { first, _ in first })
        func path(_ noted: FileName) -> FileName { given[paths.noted(noted)] ?? noted }
        return note.mappingPaths(path)
    }

    /// The place with the new names of inputs that were renamed while the import was stopped, as
    /// what was read of them tells.
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
                // What cannot be read is another one.
                let digest = try? Self.digest(
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

    /// Where what comes next of the file is to be cut.
    func sectionEnd(in file: InputFile) -> InputPosition? {
        sectionEnd?.path == file.path ? sectionEnd : nil
    }

    /// Whether inputs may be opened before their turn: of several at once none would know how many
    /// records the others leave it, and what turns out to have changed is read again from its
    /// first byte, which nothing that was opened meanwhile may have lost by then.
    var mayBeReadAtOnce: Bool { recordsMax == nil && positions.isEmpty && known.isEmpty }

    /// Whether the inputs that are to be read have that size in the mean, or sizes nobody knows.
    func areLarge(_ byteCount: Int) -> Bool {
        let files = filesLeft.map(\.file)
        let total = files.reduce(0) { $0 + $1.byteCount }
        return !files.isEmpty
            && (total >= byteCount * files.count || total == 0
                || files.contains(where: \.isStream))
    }

    /// Whether the inputs that are to be read are few, and have no more bytes than that together,
    /// stored.
    func areSmall(_ byteCount: Int) -> Bool {
        let files = filesLeft.map(\.file)
        // Nobody knows what comes from a pipe.
        return files.count <= Self.smallInputsMax
            && files.allSatisfy { $0.byteCount > 0 && $0.generatedRows == nil }
            && files.reduce(0) { $0 + $1.byteCount } <= byteCount
    }

    /// The files that are to be read, each with the bytes of all that are done when it begins.
    var filesLeft: [(file: InputFile, bytesBefore: Int)] {
        var bytes = files.filter(isDone).reduce(0) { $0 + $1.byteCount }
        return files.filter { !isDone($0) }.map { file in
            defer { bytes += file.byteCount }
            return (file, bytes)
        }
    }

    private func digest(of file: InputFile, _ environment: StageEnvironment) throws -> [UInt8] {
        try Self.digest(of: file, options, environment.interruption)
    }

    /// The digest of the bytes of a file as an import reads them: inflated, and in UTF-8.
    ///
    /// - Parameter limit: how many of them; nil for all.
    static func digest(
        of file: InputFile, _ options: ReadOptions, _ interruption: Interruption,
        upTo limit: Int? = nil
    ) throws -> [UInt8] {
        let source = try ByteSource(
            file, compression: options.compression, maxRatio: options.maxRatio,
            encoding: options.encoding)
        let digest = InputDigest(expected: [])
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        while true {
            let wanted = min(1 << 18, limit.map { $0 - digest.byteCount } ?? .max)
            let count = wanted > 0 ? try source.read(into: room, count: wanted) : 0
            guard count > 0 else { return digest.value }
            digest.add(UnsafeRawBufferPointer(start: room, count: count))
            try interruption.check()
        }
    }
}

extension ReadOptions {
    /// What a spec says of its inputs.
    init(_ read: ReadSpec) {
        self.init()
        format = read.format
        at = read.arrayPath
        compression = InputCompression(rawValue: read.compression.rawValue) ?? .auto
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

/// Why an import cannot go on where an earlier attempt stopped.
struct CannotResume: Error {
    var reason: String
    /// The stage is another one, and its inputs may be what they were.
    var isOfStage = false
    /// Nobody has to give anything again.
    var isOfCommand = false

    init(_ reason: String) {
        self.reason = reason
    }

    /// The stage is another one.
    static let changedStage: CannotResume = {
        var obstacle = CannotResume("the stage has changed")
        obstacle.isOfStage = true
        return obstacle
    }()

    /// A command runs again, and the import takes whatever it writes.
    static let command: CannotResume = {
        var obstacle = CannotResume(
            "its command runs again, and the records update the objects that are saved")
        obstacle.isOfCommand = true
        return obstacle
    }()

    init(changed file: InputFile) {
        reason = "\(file.name) has changed"
    }
}
