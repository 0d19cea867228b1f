import Diagnostics
import Files
import GraphModel
import RecordStreams

/// The records of some files that have one form, and what was seen of them.
final class Sample {
    let entityName: String
    private(set) var paths: [String]
    let format: RecordFormat
    /// Where the records stand in a JSON document.
    let at: String
    /// What separates the columns, where it is not the format's own byte.
    let delimiter: UInt8?
    let columns: [String]?
    let root: FieldNode
    private(set) var records = 0
    private(set) var rejects: [Diagnostic] = []
    private(set) var rejectCount = 0
    private(set) var hasNamelessField = false
    /// Whether there are more records than were read.
    private(set) var isCut = false

    private static let rejectsShown = 3

    init(entityName: String, first input: SampleInput, tracking: FieldTracking) {
        self.entityName = entityName
        paths = []
        format = input.format
        at = input.at
        delimiter = input.delimiter
        columns = input.columns
        root = FieldNode(isTabular: input.columns != nil, tracking: tracking)
    }

    /// Whether the file's records are read in the same way.
    func takes(_ input: SampleInput) -> Bool {
        format == input.format && at == input.at && delimiter == input.delimiter
            && columns == input.columns
    }

    /// Reads a file's records.
    ///
    /// - Parameter limit: records that the sample may have in all.
    func read(_ input: SampleInput, limit: Int) throws(RecordStreamError) {
        paths.append(input.file.pattern)
        let names = input.columns ?? []
        let reader = try RecordReader(
            input: input.file, options: input.options,
            selection: FieldSelection(names.map { FieldPath(name: $0) }))
        hasNamelessField = hasNamelessField || names.contains("")
        root.rewind()
        let columns = names.map { name in
            var name = name
            return name.withUTF8 { root.member(named: $0) }
        }
        let batch = RecordBatch()
        while try reader.next(batch) {
            rejectCount += batch.rejects.count
            for reject in batch.rejects where rejects.count < Self.rejectsShown {
                rejects.append(reject.diagnostic)
            }
            for record in 0..<batch.count {
                guard records < limit else {
                    isCut = true
                    return
                }
                if input.columns == nil {
                    observe(batch.rawRecord(record))
                } else {
                    observe(batch.fields(of: record), columns)
                }
                records += 1
            }
        }
    }

    private func observe(_ bytes: UnsafeBufferPointer<UInt8>) {
        var walk = JSONWalk(bytes, record: records)
        guard walk.observe(root) else { return }
        if walk.hasNamelessField { hasNamelessField = true }
    }

    private func observe(_ fields: UnsafeBufferPointer<Field>, _ columns: [FieldNode?]) {
        for (field, column) in zip(fields, columns) where field.kind == .string {
            column?.add(text: field.bytes)
        }
    }
}

/// One file and how it is to be read.
struct SampleInput {
    let file: InputFile
    let format: RecordFormat
    private(set) var at = "$"
    private(set) var delimiter: UInt8?
    private(set) var columns: [String]?

    /// Looks at the beginning of a file, or at all of a document whose records are inside.
    init(_ file: InputFile, _ known: RecordFormat?) throws(RecordStreamError) {
        self.file = file
        var options = ReadOptions()
        options.format = known
        let reader = try RecordReader(
            input: file, options: options, selection: FieldSelection([]))
        format = reader.format
        columns = reader.columnNames
        if format == .json { at = try RecordArrayFinder.path(in: file) }
        guard let only = columns?.first, columns?.count == 1 else { return }
        // The format's own byte separates nothing; perhaps another does.
        for byte in [UInt8(ascii: ";"), 9, UInt8(ascii: "|"), UInt8(ascii: ",")]
        where only.utf8.contains(byte) {
            delimiter = byte
            columns = try RecordReader(
                input: file, options: self.options, selection: FieldSelection([])
            ).columnNames
            return
        }
    }

    var options: ReadOptions {
        var options = ReadOptions()
        options.format = format
        options.at = at
        options.delimiter = delimiter
        return options
    }
}

extension InputFile {
    /// What a spec calls the file: as text, `?` stands for a byte that is not UTF-8.
    var pattern: String {
        var text = String.UnicodeScalarView()
        for unit in path.units {
            if case .scalar(let scalar) = unit { text.append(scalar) } else { text.append("?") }
        }
        return String(text)
    }
}
