import Diagnostics
import Files
import FoundationEssentials
import GraphModel
import RecordStreams

/// The input files of an inference, as samples of records.
struct InferenceInputs {
    private(set) var samples: [Sample] = []
    /// The files without a record.
    private(set) var empty: [EmptyInput] = []
    /// Whether a file has records, but no readable ones.
    private var hasUnreadable = false
    /// The warnings about skipped or renamed fields.
    private var losses: [Diagnostic] = []
    private let known: InferenceOptions
    private let spool: InferenceSpool

    /// Reads samples of the files.
    ///
    /// - Parameter spool: The spool for copies of inputs that can be read only once.
    init(
        _ paths: [String], _ known: InferenceOptions, _ spool: InferenceSpool
    ) throws(RecordStreamError) {
        self.known = known
        self.spool = spool
        let inputs = try inputs(of: paths)
        var twins = TwinInputs(inputs, known)
        var wanted = inputs.map { input in
            known.entity
                ?? input.name.map(InferredNames.entity(ofField:))
                ?? InferredNames.entity(ofFile: input.pattern)
        }
        if known.entity == nil { wanted = try twins.names(wanted) }
        let stored = known.storeModel?.entities.map(\.name) ?? []
        let names = (wanted + stored).flatMap { [$0, InferredNames.singular($0)] }
        let tracking = FieldTracking(
            entities: Set(names.map(InferredNames.folded)),
            valueLimit: DistinctValueLimit(known.valuesMax),
            hasProfiles: known.hasProfiles)
        var taken = TakenNames()
        let groups = try twins.groups(wanted)
        let samples = groups.map { group in
            Sample(
                entityName: taken.claim(wanted[group[0]]), first: inputs[group[0]],
                hasTables: group.contains { inputs[$0].form.columns != nil }, tracking: tracking,
                nulls: known.nullTexts)
        }
        let homes = groups.enumerated().flatMap { home, group in group.map { ($0, home) } }
        for (place, home) in homes.sorted(by: { $0.0 < $1.0 }) {
            try samples[home].read(inputs[place], limit: known.limit ?? .max)
        }
        reportSameNames(samples, groups.map { wanted[$0[0]] })
        for sample in samples {
            sample.finish()
            // A table without records still has column names.
            guard !sample.hasField else { continue }
            if sample.records > 0 || sample.rejectCount > 0 {
                losses += sample.records > 0 ? [Self.noFields(sample)] : Self.withoutRecords(sample)
                hasUnreadable = true
            } else {
                empty += sample.inputs.map {
                    EmptyInput(file: $0.pattern, entity: sample.entityName, form: $0.form)
                }
            }
        }
        self.samples = samples.filter(\.hasField)
    }

    /// Adds warnings about records that share a name but neither the key nor half of the fields.
    ///
    /// - Parameter wanted: The requested names of the samples.
    private mutating func reportSameNames(_ samples: [Sample], _ wanted: [String]) {
        for (place, sample) in samples.enumerated()
        where sample.records > 0 || sample.columns != nil {
            let other = samples.indices.prefix(place).first {
                InferredNames.isSame(wanted[$0], wanted[place])
            }
            guard let other else { continue }
            losses.append(
                InputLoss.sameName(
                    sample.paths[0], sample.entityName, like: samples[other].paths[0],
                    samples[other].entityName))
        }
    }

    private mutating func inputs(
        of paths: [String]
    ) throws(RecordStreamError) -> [SampleInput] {
        var inputs: [SampleInput] = []
        var seen: Set<FileName> = []
        for path in paths {
            let files = try InputFiles.expand(patterns: [path], baseFolder: ".")
            guard !files.isEmpty else { throw RecordStreamError(missing: path) }
            for file in files where seen.insert(file.path).inserted {
                let readable = try spool.readable(file)
                // The format of a blank file cannot be detected.
                if try Self.isBlank(readable) {
                    let entity = known.entity ?? InferredNames.entity(ofFile: file.pattern)
                    // A blank file is valid NDJSON, but neither a table nor a document.
                    empty.append(
                        EmptyInput(
                            file: file.pattern, entity: entity, form: SampleForm(format: .ndjson)))
                } else {
                    let found = try SampleInput.inputs(of: readable, called: file.pattern, known)
                    losses += InputLoss.of(found, in: file.pattern)
                    inputs += found
                }
            }
        }
        return inputs
    }

    /// Returns whether a file has only spaces, tabs, and line ends.
    private static func isBlank(_ file: InputFile) throws(RecordStreamError) -> Bool {
        guard FileDescriptor.size(file.path) != 0 else { return true }
        let source = try ByteSource(file, compression: .auto)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        while true {
            let count = try source.read(into: room, count: 1 << 18)
            guard count > 0 else { return true }
            let isBlank = UnsafeBufferPointer(start: room, count: count)
                .allSatisfy { [9, 10, 13, 32].contains($0) }
            guard isBlank else { return false }
        }
    }

    /// The tables whose first row is treated as values, with the names of their columns.
    var withoutHeader: [(file: String, columns: [String])] {
        guard known.hasHeader == nil else { return [] }
        return samples.flatMap(\.inputs).filter { !$0.form.hasHeader }
            .map { ($0.pattern, $0.form.columns ?? []) }
    }

    /// The tables with lines above their header, with the number of lines; 0 for comments.
    var withLinesAbove: [(file: String, lines: Int)] {
        samples.flatMap(\.inputs).flatMap { input in
            (input.form.hasTitle ? [(input.pattern, input.form.linesSkipped)] : [])
                + (input.form.comment != nil ? [(input.pattern, 0)] : [])
        }
    }

    /// The guesses about the bytes of files: unusual delimiters, and encodings other than UTF-8.
    ///
    /// Files with the same guess are in one element.
    var guessedForms: [(guess: String, files: [String])] {
        var guesses: [(guess: String, files: [String])] = []
        for input in samples.flatMap(\.inputs) {
            guard let guess = input.form.guess else { continue }
            let place = guesses.firstIndex { $0.guess == guess } ?? guesses.count
            if place == guesses.count { guesses.append((guess, [])) }
            // A document has one input for each of its arrays.
            guard guesses[place].files.last != input.pattern else { continue }
            guesses[place].files.append(input.pattern)
        }
        return guesses
    }

    /// Whether the store has the entities of all files and thus knows the types of their columns.
    ///
    /// If no file has a record or a header, the entities of the empty files decide.
    var areOfStore: Bool {
        guard !samples.isEmpty || !hasUnreadable, let model = known.storeModel else { return false }
        let wanted = samples.isEmpty ? empty.map(\.entity) : samples.map(\.entityName)
        let stored = model.entities.map(\.name)
        return !wanted.isEmpty && wanted.allSatisfy { InferredNames.match($0, stored) != nil }
    }

    /// Whether any sample has a record.
    var hasRecords: Bool { samples.contains { $0.records > 0 } }

    /// The empty tables, if no file has a record and the store has the entities of all files.
    private var headers: [String] {
        areOfStore && !hasRecords ? samples.filter { $0.rejectCount == 0 }.flatMap(\.paths) : []
    }

    /// The warnings to print with the result.
    var warnings: [Diagnostic] {
        let named = hasRecords || areOfStore ? [] : samples
        return samples.flatMap(Self.warnings) + losses + samples.flatMap(InputLoss.of)
            + (empty.map(\.file) + headers).map(Self.noRecords) + named.flatMap(Self.withoutRecords)
    }

    /// Returns whether a run that imports the files gives this warning itself.
    static func isOfRejects(_ warning: Diagnostic) -> Bool {
        !warning.code.hasPrefix("infer.") || warning.code == "infer.rejects"
    }

    /// Returns the warning about a file without records, from which no type can be inferred.
    private static func noRecords(in path: String) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.empty",
            "The file has no record", at: .file(path),
            fix: "use a file with records")
    }

    /// Returns the warnings about a sample without records, from which no type can be inferred.
    private static func withoutRecords(_ sample: Sample) -> [Diagnostic] {
        guard let first = sample.rejects.first else { return sample.paths.map(onlyHeader) }
        let count = ReportNumbers.several(sample.rejectCount, "record")
        return [
            Diagnostic(
                .warning, code: "infer.empty",
                "None of \(count) can be read. The first: \(first.message) [\(first.code)]",
                at: first.place,
                fix: CommandLineFix.of(first) ?? "correct the records, or name another file")
        ]
    }

    /// Returns the warning about a sample whose records are all `{}`.
    private static func noFields(_ sample: Sample) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.empty",
            sample.records == 1
                ? "The only record has no field"
                : "None of \(ReportNumbers.several(sample.records, "record")) has a field",
            at: .file(sample.paths[0]), fix: "use a file whose records have fields")
    }

    private static func onlyHeader(in path: String) -> Diagnostic {
        Diagnostic(
            .warning, code: "infer.empty",
            "The file has a header and no record, so the types of its columns are not known",
            at: .file(path),
            fix: "use a file with records; if its first line is one, give --no-header")
    }

    private static func warnings(_ sample: Sample) -> [Diagnostic] {
        guard sample.rejectCount > 0 else { return [] }
        let shown = sample.rejects.map { reject in
            var warning = reject
            warning.severity = .warning
            warning.fix = CommandLineFix.ofEncoding(reject) ?? reject.fix
            return warning
        }
        let more = sample.rejectCount - shown.count
        guard more > 0 else { return shown }
        let file = sample.paths.first ?? ""
        return shown + [
            Diagnostic(
                .warning, code: "infer.rejects",
                "\(more) more record\(more == 1 ? "" : "s") cannot be read; imports reject them",
                at: .file(file))
        ]
    }

    // MARK: User options

    /// Throws if an option names a field or key that no record has.
    func checkKnown() throws(RunFailure) {
        if let entity = known.entity, samples.count > 1 {
            throw Self.usage(
                "The flags name one entity, \(entity), but the files have \(samples.count) kinds of records",
                fix: "use files of one kind, or leave out the entity's name")
        }
        let around = EntityDraft.Surroundings(samples, known)
        let fields = samples.map { sample in
            EntityDraft(sample, around).leaves.flatMap { leaf in
                [leaf.source, leaf.name, InferredNames.property(leaf.path)]
            }
        }
        let all = Set(fields.joined()).sorted()
        for name in known.key + known.types.keys.sorted() where !all.contains(name) {
            let table = withoutHeader.first
            throw Self.usage(
                "No record has the field '\(name)'" + Suggestion.phrase(for: name, among: all),
                fix: fix(ofStoredKey: name)
                    ?? table.map {
                        "the first row of \($0.file) is read as values; if it names the columns, add "
                            + "--header"
                    } ?? "write it as the files do: \(FittedImport.listed(all, max: 12))")
        }
        guard known.key.isEmpty || fields.contains(where: { Set($0).isSuperset(of: known.key) })
        else {
            throw Self.usage(
                "No file has all fields of the key \(known.key.joined(separator: ", "))",
                fix: "give the file that has them")
        }
    }

    /// Returns the fix if a name in `--key` is an attribute of the store's key, which no column
    /// fills; `nil` if it is not.
    private func fix(ofStoredKey name: String) -> String? {
        guard let model = known.storeModel, known.key.contains(name), withoutHeader.isEmpty else {
            return nil
        }
        let entities = samples.compactMap {
            InferredNames.match($0.entityName, model.entities.map(\.name))
        }
        let owner = entities.first { entity in
            model.uniquenessConstraints(of: entity).contains { $0.contains(name) }
        }
        return owner.map {
            "name the column '\(name)' in the header, since it is the key of \($0) in the store; or"
                + " import into a new store"
        }
    }

    private static func usage(_ message: String, fix: String) -> RunFailure {
        RunFailure(.usage, code: "infer.known", message, fix: fix)
    }
}

extension SampleForm {
    /// The delimiter if it is not the format's own, and the guessed encoding if it is not UTF-8;
    /// `nil` if there is neither.
    fileprivate var guess: String? {
        var guesses: [String] = []
        if let delimiter {
            let sign = String(decoding: delimiter, as: UTF8.self)
            guesses.append("delimiter \(sign == "\t" ? "tab" : "'\(sign)'")")
        }
        if encoding != .utf8, !isEncodingSet {
            guesses.append("encoding \(encoding.rawValue) (--encoding names another one)")
        }
        return guesses.isEmpty ? nil : guesses.joined(separator: " and ")
    }
}

/// A file without a record.
struct EmptyInput: Sendable {
    /// The name of the file in a spec.
    var file: String
    /// The entity that its records would have.
    var entity: String
    var form: SampleForm
}

/// Copies inputs that can be read only once, such as standard input, to temporary files.
final class InferenceSpool {
    private var paths: [FileName] = []
    /// The paths of the copies, by the names of the original inputs.
    private(set) var copies: [String: String] = [:]

    deinit { remove() }

    /// Returns the file, or a copy if it is a stream.
    func readable(_ file: InputFile) throws(RecordStreamError) -> InputFile {
        guard file.isStream else { return file }
        let path = FileName(
            PathText.join(
                FileManager.default.temporaryDirectory.path, "etl-infer-\(UUID().uuidString)"))
        let source = try ByteSource(file, compression: .none)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
        defer { room.deallocate() }
        let descriptor: Int32
        do throws(SystemFault) {
            descriptor = try FileDescriptor.createForAppending(path)
        } catch {
            throw Self.failure(path, error.text)
        }
        paths.append(path)
        // A signal that ends the process removes the copy, too.
        TemporaryFiles.add(path)
        copies[file.pattern] = path.exactText
        defer { FileSystem.close(descriptor) }
        while true {
            let count = try source.read(into: room, count: 1 << 18)
            guard count > 0 else { break }
            do throws(SystemFault) {
                try FileSystem.write(
                    UnsafeRawBufferPointer(start: room, count: count), to: descriptor)
            } catch {
                throw Self.failure(path, "there is no space for a copy")
            }
        }
        return try InputFiles.file(at: path)
    }

    /// The names of streams in messages, by the paths of their copies.
    var names: [String: String] {
        let input = InputFile.standardInput.name
        let names = copies.map { ($1, $0 == "-" ? input : PathText.lastComponent($0)) }
        return Dictionary(names + [("-", input)]) { $1 }
    }

    /// Returns the failure with the names of streams instead of their copies.
    func naming(in failure: RunFailure) -> RunFailure {
        failure.changing { $0 = naming(in: $0) }
    }

    /// Returns the diagnostic with the name of a stream instead of its copy.
    func naming(in diagnostic: Diagnostic) -> Diagnostic {
        let names = names
        var diagnostic = diagnostic
        switch diagnostic.place {
        case .file(let path): diagnostic.place = .file(names[path] ?? path)
        case .record(var location):
            location.source = names[location.source] ?? location.source
            diagnostic.place = .record(location)
        default: break
        }
        return diagnostic
    }

    /// Returns the name of the input that was copied to a path; other paths are unchanged.
    func name(ofCopy path: String) -> String {
        copies.first { $0.value == path }?.key ?? path
    }

    private static func failure(_ path: FileName, _ reason: String) -> RecordStreamError {
        RecordStreamError(
            .inputUnreadable(reason: reason, isPermission: false),
            at: RecordLocation(file: path))
    }

    /// Removes the copies.
    func remove() {
        for path in paths {
            FileDescriptor.remove(path)
            TemporaryFiles.forget(path)
        }
        paths = []
    }
}

extension RecordStreamError {
    init(missing path: String) {
        self.init(.inputMissing, at: RecordLocation(source: path))
    }
}
