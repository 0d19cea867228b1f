import Diagnostics
import Files
import FoundationEssentials
import GraphStore
import RecordStreams

/// The records that a stage rejected, in their own format, with their reasons.
///
/// ```
/// rejects/nightly-20261121T030000Z-4711/tasks.tasks.csv             the original records
/// rejects/nightly-20261121T030000Z-4711/tasks.tasks.csv.why.ndjson  one line for each: why
/// rejects/nightly-20261121T030000Z-4711/tasks.tasks.csv.links.ndjson  links without a target
/// ```
/// No file is created before the first reject. Rejects are buffered in memory until `synchronize()`
/// makes them durable; the rows of the same batch are saved after it. No file stays open, because
/// thousands of inputs may have rejects.
struct RejectFiles {
    /// The final folder for the files of this run.
    let finalFolder: String
    /// The folder of the files until they are published.
    private let folder: String
    private let publication: Publication
    private let isDry: Bool
    private let stage: Stage
    private let inputs: ImportInputs
    /// The name of each input's reject file, by the input's path.
    private let names: [FileName: FileName]
    private let runID: String
    private let origin: RejectNote
    private var files: [FileName: RejectFile] = [:]
    /// Files of earlier attempts that this attempt does not continue: they belong to other runs, or
    /// were edited.
    private var others: [RejectFileNote] = []
    /// The number of records that replays have saved, by file name.
    private var replayed: [FileName: Int] = [:]
    /// Whether a file with records exists, from this attempt or an earlier one.
    private var hasFiles = false
    /// The paths of reject files that are already assigned to inputs of this stage.
    private var taken: Set<FileName> = []
    /// The inputs that have rejects but whose reject files have not been created yet.
    private var unmade: [FileName] = []
    /// The file of missed links of each input, if the spec requires these files.
    private var links: [FileName: AppendedFile] = [:]
    private var otherLinks: [LinkFileNote] = []
    private var unmadeLinks: [AppendedFile] = []
    private var shown: [String: [Diagnostic]] = [:]
    private static let shownMax = 5
    /// The number of buffered bytes of all files.
    private var bufferedBytes = 0
    private static let bufferedBytesMax = 4 << 20

    init(_ environment: StageEnvironment, stage: Stage, inputs: ImportInputs) {
        finalFolder =
            environment.isDry
            ? PathText.join(
                DryRun.rejectsFolder(for: environment.container.path),
                "\(environment.spec.name)-\(environment.runID)")
            : RejectFolders.folder(
                of: environment.spec, environment.values, runID: environment.runID)
        publication = environment.publication
        folder = publication.place(ofRejects: finalFolder)
        isDry = environment.isDry
        self.stage = stage
        self.inputs = inputs
        names = RejectFileName.names(of: inputs.files.map(\.path), stage: stage.name)
        runID = environment.runID
        let file = FileName(environment.spec.file)
        let workingFolder = FileName(environment.workingFolder)
        origin = RejectNote(
            pipeline: environment.spec.name, run: environment.runID,
            spec: FileSystem.resolved(file)
                ?? (FileSystem.resolved(file.folder) ?? file.folder)
                .joining(file.lastComponent),
            specText: environment.specText, sets: environment.sets,
            workingFolder: workingFolder.isAbsolute
                ? workingFolder : FileSystem.resolved(workingFolder) ?? workingFolder)
    }

    /// Resumes the files of an earlier attempt, truncated to their lengths at the last save.
    ///
    /// It closes files of another run. Missing files were drained by replays or removed.
    ///
    /// - Returns: The number of their records that replays have saved since. Records of inputs that
    ///   the import no longer has are not counted.
    /// - Throws: `RunFailure` (75) if a replay of this run's folder is unfinished, or (65) if the
    ///   notes name files that are not rejects of this pipeline.
    mutating func resume(
        _ notes: [RejectFileNote], links linkNotes: [LinkFileNote]
    ) throws -> Int {
        try resume(linkNotes)
        var saved = 0
        for itsFolder in Set(notes.map(\.path.folder)).sorted() {
            let folder = itsFolder.exactText ?? itsFolder.displayText
            guard
                try mayContinue(
                    notes.filter { $0.path.folder == itsFolder }
                        .flatMap { [$0.path, RejectFile.reasons(of: $0.path)] }, in: folder)
            else { continue }
            if !isDry { try Replay.recover(in: folder) }
            let known = try RejectNote.read(in: folder)?.files ?? []
            let isOwn = Self.areSame(folder, self.folder)
            let isReplaying = Replay.isBegun(in: folder)
            guard isDry || !isOwn || !isReplaying else { throw Replay.unfinished(folder) }
            if isOwn { replayed = Self.replayed(known) }
            for earlier in notes where earlier.path.folder == itsFolder {
                var note = earlier.replayed(in: known)
                if isOwn {
                    note.path = FileName(self.folder).joining(note.path.lastComponent)
                }
                let isLeft = note.isOfOtherRecords == true
                if !isLeft { saved += note.replayed - earlier.replayed }
                // A dry run must not change the files of the real run.
                guard !isDry else { continue }
                let file =
                    isReplaying
                    ? nil
                    : try RejectFile(
                        resuming: note, escape: inputs.options.escape)
                if isOwn, !isLeft, let file {
                    // An abandoned attempt may itself have followed an earlier one.
                    if let left = files[note.source] {
                        others.append(left.note(source: note.source))
                    }
                    files[note.source] = file
                    taken.insert(note.path)
                    hasFiles = true
                } else if FileDescriptor.size(note.path) != nil {
                    hasFiles = true
                    try file?.close()
                    others.append(note)
                    taken.insert(note.path)
                }
            }
        }
        guard !isDry else { return saved }
        try removeLeftovers()
        // Inputs that no longer exist may have rejects that no save includes.
        for file in try RejectNote.read(in: folder)?.files ?? [] where file.stage == stage.name {
            remove(FileName(folder).joining(file.name))
        }
        return saved
    }

    /// Closes and keeps the files of an earlier attempt whose records are not read again.
    mutating func leave(_ notes: [RejectFileNote], links linkNotes: [LinkFileNote]) throws {
        _ = try resume(notes, links: linkNotes)
        others = self.notes.map { note in
            var note = note
            note.isOfOtherRecords = true
            return note
        }
        otherLinks = self.linkNotes ?? []
        for file in files.values { try file.close() }
        (files, links) = ([:], [:])
    }

    /// Resumes the missed-link files of an earlier attempt, truncated to their lengths at the last
    /// save.
    ///
    /// A removed file is started again.
    private mutating func resume(_ notes: [LinkFileNote]) throws {
        guard !isDry else { return }
        for var note in notes {
            let itsFolder = note.path.folder.exactText ?? note.path.folder.displayText
            guard try mayContinue([note.path], in: itsFolder) else { continue }
            let isOwn = Self.areSame(itsFolder, folder)
            if isOwn { note.path = FileName(folder).joining(note.path.lastComponent) }
            guard let size = FileDescriptor.size(note.path) else { continue }
            let file = AppendedFile(note.path, length: min(size, note.length))
            try file.make()
            taken.insert(note.path)
            if isOwn { links[note.source] = file } else { otherLinks.append(note) }
        }
    }

    /// Returns whether files that the notes in the store name may be continued.
    ///
    /// The store may come from another person, so its notes are not trusted. The run reads,
    /// truncates, or removes only files in a folder that a run of this pipeline has created.
    ///
    /// - Returns: `false` if the folder belongs to another pipeline and has none of the files.
    /// - Throws: `RunFailure` (65) if it belongs to another pipeline and has one of the files.
    private func mayContinue(_ files: [FileName], in itsFolder: String) throws -> Bool {
        if Self.areSame(itsFolder, folder) { return true }
        if Publication.run(ofRejects: PathText.lastComponent(itsFolder), origin.pipeline) != nil,
            try RejectNote.read(in: itsFolder)?.pipeline == origin.pipeline
        {
            return true
        }
        guard !files.contains(where: { FileDescriptor.size($0) != nil }) else {
            throw RunFailure.damagedNotes
        }
        return false
    }

    /// Returns whether two paths lead to the same folder, which may not exist.
    private static func areSame(_ folder: String, _ other: String) -> Bool {
        (FileDescriptor.resolved(folder) ?? PathText.normalized(folder))
            == (FileDescriptor.resolved(other) ?? PathText.normalized(other))
    }

    private static func replayed(_ files: [RejectNote.File]) -> [FileName: Int] {
        Dictionary(files.map { ($0.name, $0.replayed ?? 0) }, uniquingKeysWith: max)
    }

    /// Removes files of this stage that an earlier attempt created without a save.
    ///
    /// The folder's note counts the replays of files that an attempt before them had. New files
    /// with their names begin with these counts, so the replays are not credited again.
    mutating func removeLeftovers() throws {
        guard FileDescriptor.size(folder) != nil else { return }
        if let known = try RejectNote.read(in: folder)?.files { replayed = Self.replayed(known) }
        for input in inputs.files {
            let path = FileName(folder).joining(name(of: input.path))
            if files[input.path] == nil { remove(path) }
            let linksPath = path.adding(RejectFile.linksSuffix)
            if links[input.path] == nil, !taken.contains(linksPath) {
                FileDescriptor.remove(linksPath)
            }
        }
    }

    /// Removes a file and its reasons, unless an input uses it.
    private func remove(_ path: FileName) {
        guard !taken.contains(path) else { return }
        for name in [path, RejectFile.reasons(of: path)] { FileDescriptor.remove(name) }
    }

    /// Whether all reject files so far were removed, or emptied by replays.
    var areRemoved: Bool { !hasFiles && !isDry }

    /// The notes about the lengths of the files; valid after `synchronize()`.
    var notes: [RejectFileNote] {
        others + files.sorted { $0.key < $1.key }.map { $0.value.note(source: $0.key) }
    }

    /// The lengths of the missed-link files, valid after `synchronize()`; `nil` if there are no
    /// files.
    var linkNotes: [LinkFileNote]? {
        let own = links.sorted { $0.key < $1.key }.map { source, file in
            LinkFileNote(source: source, path: file.path, length: file.length)
        }
        return own.isEmpty && otherLinks.isEmpty ? nil : otherLinks + own
    }

    /// The first rejects of each code, for display.
    var firstOfEachCode: [Diagnostic] {
        shown.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// Adds a record with its reason.
    mutating func add(
        _ reject: RejectedRecord, form: InputForm?
    ) throws {
        let source = reject.location.file
        if files[source] == nil {
            let format =
                form.flatMap { RecordFormat(rawValue: $0.format) }
                ?? RecordFormat(fileName: source) ?? .ndjson
            let rejectForm = RejectForm(
                format: format, endsAtReturn: form?.endsAtReturn ?? false)
            let path = freePath(of: source)
            files[source] = RejectFile(
                path: path, form: rejectForm,
                header: form?.columnNames.map { header($0, rejectForm) } ?? [],
                escape: inputs.options.escape,
                replayed: replayed[path.lastComponent] ?? 0)
            taken.insert(path)
            hasFiles = true
            unmade.append(source)
        }
        if let file = files[source] {
            bufferedBytes -= file.bufferedBytes
            file.add(reject, runID: runID)
            bufferedBytes += file.bufferedBytes
            if file.isFull || bufferedBytes > Self.bufferedBytesMax { try flush() }
        }
        if shown[reject.code, default: []].count < Self.shownMax {
            shown[reject.code, default: []].append(reject.diagnostic)
        }
    }

    /// Adds a missed link of a record.
    mutating func add(_ link: MissedLink, at place: RecordLocation) throws {
        let source = place.file
        let file =
            links[source]
            ?? AppendedFile(freePath(of: source, suffix: RejectFile.linksSuffix))
        if links[source] == nil {
            links[source] = file
            taken.insert(file.path)
            unmadeLinks.append(file)
        }
        let text = MissedLinkLine(link, at: place, runID: runID).text
        file.write(text)
        bufferedBytes += text.count
        if file.isFull || bufferedBytes > Self.bufferedBytesMax { try flush() }
    }

    /// Writes the buffered bytes; they need not be durable before the next save.
    private mutating func flush() throws {
        try makeFiles()
        for file in files.values where file.bufferedBytes > 0 { try file.flush() }
        for file in links.values where file.bufferedBytes > 0 { try file.flush() }
        bufferedBytes = 0
    }

    private mutating func makeFiles() throws {
        guard !unmade.isEmpty || !unmadeLinks.isEmpty else { return }
        try publication.noteRejects(in: finalFolder)
        try OutputFolder.make(folder)
        try noteFiles()
        for source in unmade { try files[source]?.make() }
        for file in unmadeLinks { try file.make() }
        // The directory entries must be as durable as the contents.
        try FileDescriptor.synchronizeFolder(folder)
        try FileDescriptor.synchronizeFolder(PathText.folder(of: folder))
        unmade.removeAll()
        unmadeLinks.removeAll()
    }

    /// Notes the files before they are created, so that every file has a note.
    private func noteFiles() throws {
        guard !isDry else { return }
        var note = try RejectNote.read(in: folder) ?? RejectNote.read(in: finalFolder) ?? origin
        let known = Set(note.files.map(\.name))
        let new = unmade.compactMap { source in
            files[source].map {
                RejectNote.File(
                    name: $0.path.lastComponent, stage: stage.name,
                    source: FileSystem.resolved(source) ?? source, isArray: $0.isArray,
                    format: $0.format?.rawValue, endsAtReturn: $0.endsAtReturn ? true : nil)
            }
        }
        note.files += new.filter { !known.contains($0.name) }
        note.files.sort { ($0.stage, $0.name) < ($1.stage, $1.name) }
        try note.write(in: folder)
    }

    /// Returns the header that the stage reads for its input, without its line end; empty if the
    /// input has no header.
    private func header(_ names: [String], _ form: RejectForm) -> [UInt8] {
        guard inputs.options.header else { return [] }
        return RejectHeader(inputs.options, form).line(names)
    }

    private func name(of source: FileName) -> FileName {
        names[source] ?? RejectFileName.name(of: source, stage: stage.name)
    }

    /// Returns a path that no other input uses.
    ///
    /// Inputs with the same name may be added or removed between two attempts, which changes their
    /// numbers.
    private func freePath(of source: FileName, suffix: String = "") -> FileName {
        let folder = FileName(folder)
        var path = folder.joining(name(of: source).adding(suffix))
        var number = 1
        while taken.contains(path) {
            number += 1
            path = folder.joining(
                RejectFileName.name(of: source, stage: stage.name, prefix: "again-\(number).")
                    .adding(suffix))
        }
        return path
    }

    /// Makes all added rejects durable.
    mutating func synchronize() throws {
        try makeFiles()
        for file in files.values { try file.synchronize() }
        for file in links.values { try file.synchronize() }
        bufferedBytes = 0
    }

    /// Completes and closes the files.
    mutating func close() throws {
        try makeFiles()
        for file in files.values { try file.close() }
        for file in links.values { try file.synchronize() }
        files = [:]
        links = [:]
        bufferedBytes = 0
    }
}
