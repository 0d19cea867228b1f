import Diagnostics
import Files
import GraphStore
import RecordStreams

/// Rows as pieces of bytes, and such pieces as rows again.
///
/// A piece is where the record stands in its input, the record's own bytes, for rejects and for the
/// texts in them, and the cells made of it.
final class StagedRows {
    /// More rows, or more bytes of records, are not to be written at once.
    private static let countMax = 1024
    private static let bytesMax = 1 << 20
    /// A record's place and its length.
    private static let headBytesMax = 6 * UnsafeMutableRawPointer.packedBytesMax

    let batch: RowBatch
    private let countMax: Int
    /// The inputs, by their number in pieces.
    private var sources: [FileName] = []
    private var records: [(location: RecordLocation, raw: UnsafeBufferPointer<UInt8>)] = []
    /// The row of the table that each is likely to belong to; 0 for new ones.
    private(set) var numbers: [Int64] = []
    /// Bytes of the records.
    private(set) var byteCount = 0

    /// - Parameter saveEvery: records between two saves.
    init(_ plan: ImportPlan, saveEvery: Int) {
        countMax = min(Self.countMax, max(1, saveEvery))
        batch = RowBatch(width: plan.bulk.width, capacity: countMax)
    }

    // MARK: To bytes

    /// How many bytes a row takes at most.
    func byteCountMax(of mapped: MappedBatch, _ row: Int) -> Int {
        Self.headBytesMax + mapped.rawRecord(ofRow: row).count
            + mapped.rows.packedSizeMax(ofRow: row)
    }

    /// Writes a row.
    ///
    /// - Parameter room: as many bytes as `byteCountMax` has said.
    /// - Returns: what is left of them.
    func write(
        _ mapped: MappedBatch, _ row: Int, to room: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        var room = room
        let place = mapped.location(ofRow: row)
        let raw = mapped.rawRecord(ofRow: row)
        room.put(packed: UInt64(number(of: place.file)))
        for number in [place.record, place.byteOffset, place.line, place.column] {
            room.put(packed: number.map { UInt64($0) + 1 } ?? 0)
        }
        room.put(packed: UInt64(raw.count))
        room.put(UnsafeRawBufferPointer(raw))
        mapped.rows.pack(row: row, of: raw, into: &room)
        return room
    }

    private func number(of source: FileName) -> Int {
        if let last = sources.indices.last, sources[last] == source { return last }
        sources.append(source)
        return sources.count - 1
    }

    // MARK: From bytes

    var count: Int { records.count }
    var isFull: Bool { count >= countMax || byteCount >= Self.bytesMax }

    /// Adds the row of a piece, which is copied.
    ///
    /// - Parameter number: the row of the table; 0 for a new one.
    func add(_ piece: UnsafeRawBufferPointer, number: Int64) {
        let copy = UnsafeRawBufferPointer(batch.arena.copy(piece.bindMemory(to: UInt8.self)))
        guard var bytes = copy.baseAddress else { return }
        let source = Int(bytes.takePacked())
        func known() -> Int? {
            let number = bytes.takePacked()
            return number == 0 ? nil : Int(number - 1)
        }
        let location = RecordLocation(
            file: sources[source], record: known(), byteOffset: known(), line: known(),
            column: known())
        let length = Int(bytes.takePacked())
        let raw = UnsafeBufferPointer(
            start: bytes.assumingMemoryBound(to: UInt8.self), count: length)
        records.append((location, raw))
        numbers.append(number)
        batch.addRow(packed: bytes + raw.count, of: raw)
        byteCount += raw.count
    }

    func removeAll() {
        batch.removeAll()
        records.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    /// Where the record of a row begins.
    func location(ofRow row: Int) -> RecordLocation { records[row].0 }

    /// The record that a row was made of, as the store refuses it.
    func rejected(row: Int, _ reject: BulkReject, _ plan: ImportPlan) -> RejectedRecord {
        let (location, raw) = records[row]
        var record = RejectedRecord(
            code: "", detail: "", location: location, message: "", raw: Array(raw))
        if let cell = plan.rowKeyCell, batch[row, cell].kind == .text {
            record.rowKey = String(decoding: batch[row, cell].bytes, as: UTF8.self)
        }
        if let cell = reject.property.flatMap({ plan.bulk.cell(of: $0) }),
            let start = start(of: batch[row, cell], reject.value, in: raw)
        {
            record.location.advance(over: raw[..<start])
        }
        return record.rejected(reject, plan)
    }

    /// Where in its record a text begins, or the one in a list that is written so.
    private func start(
        of cell: BulkCell, _ value: String?, in raw: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        var text = cell
        if cell.kind == .list {
            let items = (cell.listStart..<(cell.listStart + cell.listCount)).map { batch.item($0) }
            guard let value,
                let item = items.first(where: {
                    $0.kind == .text && $0.bytes.elementsEqual(value.utf8)
                })
            else { return nil }
            text = item
        }
        guard text.kind == .text, let start = text.bytes.baseAddress, let first = raw.baseAddress,
            first <= start, start <= first + raw.count
        else { return nil }
        return start - first
    }
}

extension RecordLocation {
    /// Goes on over some bytes.
    fileprivate mutating func advance(over bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        byteOffset? += bytes.count
        let lineEnd = bytes.lastIndex(of: 10)
        line? += bytes.count { $0 == 10 }
        column = lineEnd.map { bytes.endIndex - $0 } ?? column.map { $0 + bytes.count }
    }
}
