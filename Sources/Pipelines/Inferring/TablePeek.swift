import GraphModel
import RecordStreams

/// What the beginning of a table tells: the byte between its fields, and whether its first row names
/// its columns.
struct TablePeek {
    private(set) var delimiter: UInt8
    private(set) var hasHeader = true
    /// How many fields the first row has.
    private(set) var width = 0

    private static let bytesMax = 1 << 18
    private static let rowsMax = 100

    init(
        _ file: InputFile, _ format: RecordFormat, _ encoding: TextEncoding
    ) throws(RecordStreamError) {
        let own = format == .tsv ? UInt8(9) : UInt8(ascii: ",")
        delimiter = own
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
        var best: [[[UInt8]]] = []
        for byte in [own, UInt8(ascii: ";"), 9, UInt8(ascii: "|"), UInt8(ascii: ",")] {
            let rows = TableRows(delimiter: byte).rows(
                bytes, isWhole: isWhole, limit: Self.rowsMax)
            let widths = Set(rows.map(\.count))
            let isBetter =
                best.isEmpty
                || widths.count == 1 && rows[0].count > 1
                    && (Set(best.map(\.count)).count > 1 || rows[0].count > best[0].count)
            if isBetter { (best, delimiter) = (rows, byte) }
        }
        width = best.first?.count ?? 0
        hasHeader = Self.isHeader(best)
    }

    /// Whether the first row names columns: texts, each another one.
    ///
    /// Years may name columns, behind those that have other names.
    private static func isHeader(_ rows: [[[UInt8]]]) -> Bool {
        guard let first = rows.first else { return true }
        let names = first.map { String(decoding: $0, as: UTF8.self) }
        let values = first.filter(isValue)
        guard !values.isEmpty else {
            // A row of texts with one of them twice names nothing, unless it stands alone.
            return rows.count < 2 || Set(names.filter { !$0.isEmpty }).count == names.count
                || names.contains("")
        }
        let years = values.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        let areYears =
            years.count == values.count && values.count < first.count
            && years.allSatisfy { (1800...2200).contains($0) } && Set(years).count == years.count
        // One year may be a value; below the name of a column there are other values.
        return areYears
            && (years.count > 1 || !isYear(below: first.firstIndex(where: isValue), rows))
    }

    /// Whether the rows behind the first have nothing but years in a column.
    private static func isYear(below column: Int?, _ rows: [[[UInt8]]]) -> Bool {
        guard let column else { return true }
        return rows.dropFirst().allSatisfy { row in
            guard row.indices.contains(column) else { return true }
            return Int(String(decoding: row[column], as: UTF8.self))
                .map { (1800...2200).contains($0) } ?? false
        }
    }

    /// A number, a date or a UUID.
    private static func isValue(_ field: [UInt8]) -> Bool {
        field.withUnsafeBufferPointer { bytes in
            var facts = ValueFacts(isTabular: true)
            guard !bytes.isEmpty else { return false }
            facts.add(text: bytes)
            return ![.string, .boolean].contains(facts.guess(named: "", isKey: true).type)
        }
    }
}
