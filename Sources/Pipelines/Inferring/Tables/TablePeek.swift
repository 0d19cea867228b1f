import Diagnostics
import GraphModel
import RecordStreams

/// The delimiter and the header of a table, detected from its beginning.
struct TablePeek {
    private(set) var delimiter: [UInt8]
    private(set) var hasHeader = true
    /// The number of lines before the table: 1 for Excel's `sep=;`, which names the delimiter.
    private(set) var linesSkipped = 0
    /// Whether there are lines above the header, such as a title.
    private(set) var hasTitle = false
    /// The byte that comments begin with.
    private(set) var comment: UInt8?
    /// The fields of the first row.
    private(set) var firstRow: [String] = []
    /// A delimiter that may separate the fields of a table that was read as one column.
    private(set) var likelyDelimiter: String?
    /// Whether there are records below the first row and all have the same number of fields.
    private(set) var isTable = false

    private static let bytesMax = 1 << 18

    init(
        _ file: InputFile, _ format: RecordFormat, _ encoding: TextEncoding,
        _ known: InferenceOptions
    ) throws(RecordStreamError) {
        var own = format.delimiter[0]
        let source = try ByteSource(file, compression: .auto, encoding: encoding)
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.bytesMax)
        defer { room.deallocate() }
        var count = 0
        var isWhole = false
        while count < Self.bytesMax {
            let more = try source.read(into: room + count, count: Self.bytesMax - count)
            guard more > 0 else {
                isWhole = true
                break
            }
            count += more
        }
        var bytes = UnsafeBufferPointer(start: UnsafePointer(room), count: count)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = UnsafeBufferPointer(rebasing: bytes.dropFirst(3))
        }
        let split: TableSplit
        if let (byte, length) = Self.separatorLine(bytes) {
            own = byte
            linesSkipped = 1
            bytes = UnsafeBufferPointer(rebasing: bytes.dropFirst(length))
            let rows = TableRows(delimiter: [own], escape: known.escape)
                .rows(bytes, isWhole: isWhole, limit: 100)
            split = TableSplit(delimiter: [own], rows: rows)
        } else {
            let start = TableStart(bytes, isWhole: isWhole, own: own, escape: known.escape)
            switch start.find(hasTitle: known.hasHeader != false) {
            case .split(let found):
                if found.comment != nil, try Self.hasRow(beginning: found, in: source) {
                    split = start.asTitle(found)
                } else {
                    split = found
                }
            case .doubt(let possible):
                let place = RecordLocation(file: file.path)
                if possible == nil, known.hasHeader != false, let widths = start.widths {
                    throw RecordStreamError(
                        .csvHeaderWidth(names: widths.names, fields: widths.fields), at: place)
                }
                throw RecordStreamError(
                    .csvUncertainHeader(
                        line: possible.map { $0.linesSkipped + 1 },
                        delimiter: possible.map { String(decoding: $0.delimiter, as: UTF8.self) }),
                    at: place)
            }
            likelyDelimiter = start.likelyDelimiter(of: split)
            (linesSkipped, comment) = (split.linesSkipped, split.comment)
            hasTitle = linesSkipped > 0
        }
        delimiter = split.delimiter
        firstRow = (split.rows.first ?? []).map { String(decoding: $0, as: UTF8.self) }
        hasHeader = known.hasHeader ?? Self.isHeader(split.rows)
        isTable = split.isTable && split.records > 0
    }

    /// Whether a line in the rest of the table begins like a comment but would be a record.
    private static func hasRow(
        beginning split: TableSplit, in source: ByteSource
    ) throws(RecordStreamError) -> Bool {
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: bytesMax)
        defer { room.deallocate() }
        var line: [UInt8] = []
        var isOfComment = false
        var isAtStart = false
        while true {
            let count = try source.read(into: room, count: bytesMax)
            guard count > 0 else { return isOfComment && split.isRow(line) }
            for byte in UnsafeBufferPointer(start: UnsafePointer(room), count: count) {
                if byte == 10 || byte == 13 {
                    if isOfComment, split.isRow(line) { return true }
                    (line, isOfComment, isAtStart) = ([], false, true)
                } else {
                    if isAtStart { isOfComment = byte == split.comment }
                    isAtStart = false
                    // A line of this length is not a record.
                    if isOfComment, line.count < bytesMax { line.append(byte) }
                }
            }
        }
    }

    /// Returns the byte that a first line `sep=;` names, and the line's length with its end.
    private static func separatorLine(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> (delimiter: UInt8, length: Int)? {
        let line = bytes.prefix(16).prefix { $0 != 10 && $0 != 13 }
        let isQuoted = line.first == UInt8(ascii: "\"")
        let text = isQuoted ? line.dropFirst().dropLast() : line
        guard line.count < min(bytes.count, 16), text.count == 5, let byte = text.last,
            byte < 0x80, byte != UInt8(ascii: "\""),
            text.prefix(4).elementsEqual("sep=".utf8)
        else { return nil }
        let isPair = bytes[line.count] == 13 && bytes.dropFirst(line.count + 1).first == 10
        return (byte, line.count + (isPair ? 2 : 1))
    }

    /// Whether the first row names columns: all its fields are texts, and no two are equal.
    ///
    /// Years may name columns after other columns that have textual names.
    static func isHeader(_ rows: [[[UInt8]]]) -> Bool {
        guard let first = rows.first else { return true }
        let names = first.map { String(decoding: $0, as: UTF8.self) }
        let values = first.filter(isValue)
        guard !values.isEmpty else {
            // A row that repeats a text is not a header, unless it is the only row or a column
            // below it has values of another kind.
            return rows.count < 2 || Set(names.filter { !$0.isEmpty }).count == names.count
                || names.contains("") || first.indices.contains { isOfValues($0, rows.dropFirst()) }
        }
        let years = values.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        let areYears =
            years.count == values.count && values.count < first.count
            && years.allSatisfy { (1800...2200).contains($0) } && Set(years).count == years.count
        // A single year may be a value; below a column name, the values differ from years.
        return areYears
            && (years.count > 1 || !isYear(below: first.firstIndex(where: isValue), rows))
    }

    /// Whether the rows after the first have only years in a column.
    private static func isYear(below column: Int?, _ rows: [[[UInt8]]]) -> Bool {
        guard let column else { return true }
        return rows.dropFirst().allSatisfy { row in
            guard row.indices.contains(column) else { return true }
            return Int(String(decoding: row[column], as: UTF8.self))
                .map { (1800...2200).contains($0) } ?? false
        }
    }

    /// Whether a column has only numbers, dates, or UUIDs.
    static func isOfValues(_ column: Int, _ rows: ArraySlice<[[UInt8]]>) -> Bool {
        let fields = rows.compactMap { $0.indices.contains(column) ? $0[column] : nil }
            .filter { !$0.isEmpty }
        return !fields.isEmpty && fields.allSatisfy(isValue)
    }

    /// Whether a field is a number, a date, or a UUID.
    private static func isValue(_ field: [UInt8]) -> Bool {
        field.withUnsafeBufferPointer { bytes in
            var facts = ValueFacts(isTabular: true)
            guard !bytes.isEmpty else { return false }
            facts.add(text: bytes)
            return ![.string, .boolean].contains(facts.guess(named: "", isKey: true).type)
        }
    }
}
