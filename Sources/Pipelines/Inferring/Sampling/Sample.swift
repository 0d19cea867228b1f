import Diagnostics
import Files
import RecordStreams

/// The records of an entity's files, and the facts about their fields.
final class Sample {
    let entityName: String
    private(set) var inputs: [SampleInput] = []
    /// The format of the first file.
    private let form: SampleForm
    let root: FieldNode
    private(set) var records = 0
    /// The number of files that have records.
    private(set) var filesWithRecords = 0
    private(set) var rejects: [Diagnostic] = []
    private(set) var rejectCount = 0
    private(set) var hasNamelessField = false
    /// Whether the files have more records than the sample.
    private(set) var isTruncated = false
    /// The texts that mean null in tables, as the user names them; `nil` to detect them.
    private let givenNulls: [String]?
    /// The texts of `givenNulls` that are not empty.
    var nulls: [String] { (givenNulls ?? []).filter { !$0.isEmpty } }

    private var isFinished = false

    private static let rejectsShown = 3

    /// The columns of the first table.
    var columns: [String]? { inputs.lazy.compactMap(\.form.columns).first ?? form.columns }
    /// Whether all files are tables.
    var isTable: Bool { form.columns != nil && inputs.allSatisfy { $0.form.columns != nil } }
    var paths: [String] { inputs.map(\.pattern) }
    /// The file patterns for a spec, grouped by the format of the files.
    ///
    /// The order of the files is kept, since the last record of a key wins. One pattern replaces
    /// the names of the files if it matches only them. Streams can be read only once, so their
    /// copies are listed without a pattern.
    var parts: [(form: SampleForm, patterns: [String])] {
        var parts: [(form: SampleForm, patterns: [String])] = []
        for input in inputs {
            if let last = parts.indices.last, parts[last].form == input.form {
                parts[last].patterns.append(input.pattern)
            } else {
                parts.append((input.form, [input.pattern]))
            }
        }
        guard !inputs.contains(where: \.file.isStream) else { return parts }
        return parts.map {
            ($0.form, FilePattern.pattern(of: $0.patterns).map { [$0] } ?? $0.patterns)
        }
    }

    /// Creates an empty sample for the files of an entity; `read(_:limit:)` adds their records.
    ///
    /// - Parameter hasTables: whether some of the files are tables, whose numbers are texts.
    init(
        entityName: String, first input: SampleInput, hasTables: Bool, tracking: FieldTracking,
        nulls: [String]
    ) {
        self.entityName = entityName
        form = input.form
        givenNulls = !hasTables || nulls.isEmpty ? nil : nulls
        root = FieldNode(isTabular: hasTables, tracking: tracking)
    }

    /// Creates a sample without inputs, such as the keys of an entity of the store.
    init(entityName: String, form: SampleForm, root: FieldNode) {
        self.entityName = entityName
        self.form = form
        givenNulls = nil
        self.root = root
    }

    private func options(_ input: SampleInput) -> ReadOptions {
        var options = input.options
        if input.form.columns != nil {
            options.nulls += nulls
            for (column, texts) in columnNulls {
                guard let name = input.form.source(of: column) else { continue }
                options.columnNulls.append(ColumnNulls(column: name, texts: texts))
            }
        }
        return options
    }

    /// Returns a reader for some fields of a file's records.
    func reader(
        of input: SampleInput, _ paths: [FieldPath]
    ) throws(RecordStreamError) -> RecordReader {
        try RecordReader(
            input: input.file, options: options(input), selection: FieldSelection(paths))
    }

    /// Reads a file's records.
    ///
    /// - Parameter limit: the maximum number of records in the entire sample.
    func read(_ input: SampleInput, limit: Int) throws(RecordStreamError) {
        var input = input
        if let same = inputs.last(where: { $0.form == input.form }) {
            input.form.aliases = same.form.aliases
        } else if !inputs.isEmpty {
            input.form.aliases = aliases(of: input.form.columns ?? [])
        }
        inputs.append(input)
        let names = input.form.columns ?? []
        let fields = Dictionary(input.form.aliases.map { ($1, $0) }) { first, _ in first }
        let reader = try reader(of: input, names.map { FieldPath(name: $0) })
        root.rewind()
        let columns = names.map { name in
            var name = fields[name] ?? name
            return name.withUTF8 { root.member(named: $0) }
        }
        let valueLimit = root.tracking.valueLimit
        valueLimit.file += 1
        let batch = RecordBatch()
        let recordsBefore = records
        defer { if records > recordsBefore { filesWithRecords += 1 } }
        let name = input.pattern == "-" ? nil : PathText.lastComponent(input.pattern)
        var current = 0
        valueLimit.place = {
            let line = batch.location(of: current, field: nil).line ?? 0
            return name.map { "\($0):\(line)" } ?? "line \(line)"
        }
        defer { valueLimit.place = { "" } }
        while try reader.next(batch) {
            rejectCount += batch.rejects.count
            for reject in batch.rejects where rejects.count < Self.rejectsShown {
                rejects.append(reject.diagnostic)
            }
            for record in 0..<batch.count {
                guard records < limit else {
                    isTruncated = true
                    return
                }
                valueLimit.record += 1
                current = record
                if input.form.columns == nil {
                    observe(batch.rawRecord(record))
                } else {
                    observe(batch.fields(of: record), of: batch.rawRecord(record), columns)
                }
                records += 1
            }
        }
    }

    /// Determines the texts that mean null after all files have been read.
    func finish() {
        isFinished = true
        guard root.facts.isTabular else { return }
        NullMarkers.resolve(root.members)
        // A column without a name or values, such as that of a delimiter at the end of each line,
        // is not a column.
        for place in inputs.indices {
            guard let header = inputs[place].form.header else { continue }
            let empty = header.nameless.compactMap { nameless($0, in: inputs[place].form) }
                .filter { $0.facts.count == 0 }
            for column in empty { column.isLeftOut = true }
            if header.repeated.isEmpty, empty.count == header.nameless.count {
                inputs[place].form.header = nil
            }
        }
    }

    /// Returns the facts about a column that the header does not name.
    func nameless(_ column: Int, in form: SampleForm) -> FieldNode? {
        guard let names = form.columns, names.indices.contains(column) else { return nil }
        return root.members.first { $0.text == names[column] }
    }

    /// Returns the columns whose names match those of earlier files except for case and separators.
    ///
    /// The keys of the result are the earlier names.
    private func aliases(of names: [String]) -> [String: String] {
        let own = Set(names)
        var known: Set<String> = []
        var fields: [String: [String]] = [:]
        for field in root.members.map(\.text) {
            known.insert(field)
            if !own.contains(field) { fields[InferredNames.folded(field), default: []] += [field] }
        }
        var aliases: [String: String] = [:]
        for name in names where !known.contains(name) {
            let found = fields[InferredNames.folded(name)] ?? []
            if found.count == 1, aliases[found[0]] == nil { aliases[found[0]] = name }
        }
        return aliases
    }

    /// Whether the sample has a field that a path can name: a column, or a field of a record.
    var hasField: Bool {
        columns != nil || root.members.contains { !$0.name.isEmpty }
    }

    /// The texts that mean null; empty until all files have been read.
    var nullMarkers: [NullMarkers.Use] { isFinished ? root.members.flatMap(\.nulls) : [] }

    /// The texts that mean null, by column.
    var columnNulls: [String: [String]] {
        Dictionary(grouping: nullMarkers, by: \.column).mapValues { $0.map(\.text) }
    }

    private func observe(_ bytes: UnsafeBufferPointer<UInt8>) {
        var walk = JSONWalk(bytes, record: records)
        guard walk.observe(root) else { return }
        if walk.hasNamelessField { hasNamelessField = true }
    }

    private func observe(
        _ fields: UnsafeBufferPointer<Field>, of row: UnsafeBufferPointer<UInt8>,
        _ columns: [FieldNode?]
    ) {
        for (field, column) in zip(fields, columns) where field.kind == .string {
            column?.add(
                text: field.bytes, mayBeNull: givenNulls == nil && Self.isPlain(field, of: row))
        }
    }

    /// Whether the field's text in the row has no quotes around it.
    private static func isPlain(_ field: Field, of row: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = row.baseAddress, let start = field.start, start >= first,
            start < first + row.count
        else { return false }
        return start == first || start[-1] != UInt8(ascii: "\"")
    }

    // MARK: Several fields

    /// Reads all files again to check which sets of fields are unique.
    ///
    /// - Parameters:
    ///   - sets: indexes of `fields`.
    ///   - limit: the maximum number of records to read.
    func areUnique(
        _ sets: [[Int]], of fields: [Leaf], valuesMax: Int, limit: Int
    ) throws(RecordStreamError) -> [Bool] {
        let valueLimit = DistinctValueLimit(valuesMax)
        var values = sets.map { _ in DistinctValues(in: valueLimit) }
        var count = 0
        // All files are treated as one: a value that occurs in two files is not unique.
        for input in inputs {
            let reader = try reader(of: input, fields.map { $0.path(in: input.form) })
            let batch = RecordBatch()
            while try reader.next(batch) {
                for record in 0..<batch.count where count < limit {
                    count += 1
                    let hashes = batch.fields(of: record).map { DistinctValues.hash($0.bytes) }
                    for (place, set) in sets.enumerated() where !values[place].isDropped {
                        values[place].insert(
                            hash: set.reduce(0) { DistinctValues.hash($0, and: hashes[$1]) })
                        if values[place].hasRepeats { values[place].drop() }
                    }
                }
                if values.allSatisfy(\.isDropped) || count >= limit { break }
            }
        }
        return values.map { $0.isWhole && !$0.hasRepeats }
    }
}

/// How a file must be read: its format, its encoding, and the position of its records.
struct SampleForm: Equatable {
    var format: RecordFormat
    /// The path to the records in a JSON document.
    var at = "$"
    /// The delimiter of the columns; `nil` if it is the format's own.
    var delimiter: [UInt8]?
    /// The names of a table's columns.
    var columns: [String]?
    /// Whether the first row contains the names of the columns.
    var hasHeader = true
    /// The names that replace those of the header, if the header lacks or repeats names.
    var header: HeaderNames?
    /// The number of lines to skip before the header or the first row of a table.
    var linesSkipped = 0
    /// Whether the skipped lines are not part of the table, such as a title.
    var hasTitle = false
    /// The byte that comments begin with.
    var comment: UInt8?
    var encoding = TextEncoding.utf8
    /// The byte that makes the next character literal.
    var escape: UInt8?
    /// Whether the user set `hasHeader`.
    var isHeaderSet = false
    var isEncodingSet = false
    /// For each field, the name of its column in this file, if other files of the entity spell it
    /// differently.
    var aliases: [String: String] = [:]

    /// Returns the path to a field in these files; `nil` if the table has no such column.
    func source(of field: String) -> String? {
        guard let columns else { return field }
        if columns.contains(field) { return field }
        return aliases[field] ?? columns.first { FieldPath.escaped($0) == field }
    }

    static func == (left: SampleForm, right: SampleForm) -> Bool {
        left.format == right.format && left.at == right.at && left.delimiter == right.delimiter
            && left.columns == right.columns && left.hasHeader == right.hasHeader
            && left.header?.names == right.header?.names
            && left.linesSkipped == right.linesSkipped && left.comment == right.comment
            && left.encoding == right.encoding
    }
}

/// A file, or one array of records in it, and its format.
struct SampleInput {
    let file: InputFile
    /// The name of the file in a spec.
    let pattern: String
    var form: SampleForm
    /// The name of the array with the records, if the document has several such arrays.
    private(set) var name: String?
    /// The name of the array that holds the records, if they are inside a document.
    var arrayName: String? { form.at == "$" ? nil : Self.lastKey(of: form.at) }
    /// The paths of a document's values outside its arrays of records, which no import reads.
    private(set) var leftOut: [String] = []
    /// A delimiter that may separate the fields of a table that was read as one column.
    private(set) var likelyDelimiter: String?

    /// Returns the inputs of a file, one for each array of records in a JSON document.
    ///
    /// Reads only the beginning of a file, or a JSON document completely if its records are inside.
    static func inputs(
        of file: InputFile, called pattern: String, _ known: InferenceOptions
    ) throws(RecordStreamError) -> [SampleInput] {
        var known = known
        known.escape = known.escape(ofFile: pattern)
        var form = SampleForm(format: .csv)
        if let encoding = known.encoding {
            form.encoding = encoding
            form.isEncodingSet = true
        } else {
            form.encoding = try EncodingPeek.encoding(of: file)
        }
        if let format = known.format ?? RecordFormat(fileName: file.path) {
            form.format = format
        } else {
            form.format = try format(of: file, form.encoding, known)
        }
        guard form.format.isTabular else {
            guard form.format == .json else {
                return [SampleInput(file: file, pattern: pattern, form: form)]
            }
            let (paths, others) = try RecordArrayFinder.paths(in: file, form.encoding)
            let whole = SampleInput(file: file, pattern: pattern, form: form)
            var inputs = paths.map { path in
                var input = whole
                input.form.at = path
                if paths.count > 1 { input.name = Self.lastKey(of: path) }
                return input
            }
            inputs[0].leftOut = others
            return inputs
        }
        let peek = try TablePeek(file, form.format, form.encoding, known)
        if peek.delimiter != form.format.delimiter { form.delimiter = peek.delimiter }
        form.linesSkipped = peek.linesSkipped
        form.hasTitle = peek.hasTitle
        form.comment = peek.comment
        form.escape = known.escape
        form.isHeaderSet = known.hasHeader != nil
        form.hasHeader = peek.hasHeader
        if form.hasHeader {
            form.header = HeaderNames(peek.firstRow)
            form.columns = form.header?.names
        } else {
            form.columns = HeaderNames.numbered(max(1, peek.firstRow.count))
        }
        var input = SampleInput(file: file, pattern: pattern, form: form)
        input.likelyDelimiter = peek.likelyDelimiter
        if form.columns == nil {
            input.form.columns = try RecordReader(
                input: file, options: input.options, selection: FieldSelection([])
            ).columnNames
        }
        return [input]
    }

    /// Returns the format of the content; a table's only if all rows have the same number of
    /// columns.
    private static func format(
        of file: InputFile, _ encoding: TextEncoding, _ known: InferenceOptions
    ) throws(RecordStreamError) -> RecordFormat {
        var options = ReadOptions()
        options.encoding = encoding
        do {
            return try RecordReader(
                input: file, options: options, selection: FieldSelection([])
            ).format
        } catch {
            // If the file is not a table either, the original error is thrown.
            guard case .ambiguousFormat(isEmpty: false) = error.kind,
                let peek = try? TablePeek(file, .csv, encoding, known), peek.isTable
            else { throw error }
            return peek.delimiter == RecordFormat.tsv.delimiter ? .tsv : .csv
        }
    }

    /// Returns `items` for `$.data.items[*]`.
    private static func lastKey(of path: String) -> String {
        var key: [Character] = []
        var isEscaped = false
        for character in path.dropLast(3) {
            if isEscaped {
                key.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                key = []
            } else {
                key.append(character)
            }
        }
        return String(key)
    }

    var options: ReadOptions {
        var options = ReadOptions()
        options.format = form.format
        options.at = form.at
        options.delimiter = form.delimiter
        options.encoding = form.encoding
        options.linesSkipped = form.linesSkipped
        options.comment = form.comment
        options.escape = form.escape
        options.header = form.hasHeader
        if !form.hasHeader || form.header != nil { options.columns = form.columns }
        return options
    }
}

extension InputFile {
    /// The name of the file in a spec; `?` replaces each byte that is not valid UTF-8.
    var pattern: String {
        var text = String.UnicodeScalarView()
        for unit in path.units {
            if case .scalar(let scalar) = unit { text.append(scalar) } else { text.append("?") }
        }
        return String(text)
    }
}
