import Diagnostics
import Files
import GraphStore
import RecordStreams

/// Converts rows to pieces of bytes, and pieces back to rows.
///
/// A piece contains the location of the record in its input, the bytes of the record, and the
/// cells. The bytes serve reject files and the text cells, which refer to them.
final class StagedRows {
    /// Limits of one write, in rows and in bytes of records.
    private static let countMax = 1024
    private static let bytesMax = 1 << 20
    /// The maximum size of a record's location and length.
    private static let headBytesMax = 6 * UnsafeMutableRawPointer.packedBytesMax

    let batch: RowBatch
    private let countMax: Int
    /// The inputs; pieces refer to them by index.
    private var sources: [FileName] = []
    private var records: [(location: RecordLocation, raw: UnsafeBufferPointer<UInt8>)] = []
    /// The row ID that each record probably updates; 0 for a new object.
    private(set) var numbers: [Int64] = []
    /// The total size of the records in bytes.
    private(set) var byteCount = 0

    /// Creates an empty group of rows.
    ///
    /// - Parameter saveEvery: The number of records between two saves.
    init(_ plan: ImportPlan, saveEvery: Int) {
        countMax = min(Self.countMax, max(1, saveEvery))
        batch = RowBatch(width: plan.bulk.width, capacity: countMax)
    }

    // MARK: To bytes

    /// Returns the maximum size of a row in bytes.
    func byteCountMax(of mapped: MappedBatch, _ row: Int) -> Int {
        Self.headBytesMax + mapped.rawRecord(ofRow: row).count
            + mapped.rows.packedSizeMax(ofRow: row)
    }

    /// Writes a row to memory.
    ///
    /// - Parameter room: Memory of at least `byteCountMax(of:_:)` bytes.
    /// - Returns: The end of the written bytes.
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

    /// Adds the row of a piece, and copies the piece.
    ///
    /// - Parameter number: The row ID in the table; 0 for a new object.
    func add(_ piece: UnsafeRawBufferPointer, number: Int64) {
        let copy = UnsafeRawBufferPointer(batch.arena.copy(piece.bindMemory(to: UInt8.self)))
        var bytes = PackedReader(copy)
        let source = Int(clamping: bytes.takePacked())
        func known() -> Int? {
            let number = bytes.takePacked()
            return number == 0 ? nil : Int(number - 1)
        }
        let location = RecordLocation(
            file: sources[source], record: known(), byteOffset: known(), line: known(),
            column: known())
        let raw = bytes.take(bytes: bytes.takeCount()).assumingMemoryBound(to: UInt8.self)
        records.append((location, raw))
        numbers.append(number)
        batch.addRow(packed: bytes.rest, of: raw)
        byteCount += raw.count
    }

    func removeAll() {
        batch.removeAll()
        records.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        byteCount = 0
    }

    /// Returns the location of a row's record.
    func location(ofRow row: Int) -> RecordLocation { records[row].0 }

    /// Returns the record of a row that the store rejected.
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

    /// Returns the offset of a text cell in its record, or of the list item that equals `value`.
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
    /// Advances the location over bytes.
    fileprivate mutating func advance(over bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        byteOffset? += bytes.count
        let lineEnd = bytes.lastIndex(of: 10)
        line? += bytes.count { $0 == 10 }
        column = lineEnd.map { bytes.endIndex - $0 } ?? column.map { $0 + bytes.count }
    }
}
