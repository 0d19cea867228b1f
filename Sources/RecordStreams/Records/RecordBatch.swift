package import Diagnostics
import Files

/// A batch of records of one input with the selected fields, filled by `RecordReader`.
///
/// A batch owns the chunk of input that its fields point into, so it is refilled without
/// allocating. Two threads must not use it at the same time; several batches may be in use, each
/// with one owner at a time.
package final class RecordBatch {
    /// The position of a record in the chunk.
    struct Span {
        var offset: Int
        var byteCount: Int
        /// The number in the entire input, from one.
        var number: Int
        var duplicateKeyCount: Int32 = 0
        var extraFieldCount: Int32
    }

    /// The number of good records.
    package internal(set) var count = 0
    /// The rejected records, in input order.
    package internal(set) var rejects: [RejectedRecord] = []
    /// The number of records in the batch, good and bad.
    package var recordCount: Int { count + rejects.count }
    /// The number of object members whose name occurred twice; the last one won.
    package internal(set) var duplicateKeyCount = 0
    /// The number of blank lines, which are not records.
    package private(set) var blankLineCount = 0
    /// The number of blank lines after the last record, good or bad.
    package var blankLinesAtEnd: Int { recordsBeforeBlank == recordCount ? blankRun : 0 }
    /// The length of the last run of consecutive blank lines.
    private var blankRun = 0
    /// The number of records before the last run of blank lines.
    private var recordsBeforeBlank = 0

    /// The bytes of the input from which the batch was decoded, if it is a piece.
    package var pieceBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: chunk.start, count: pieceByteCount)
    }
    var pieceByteCount = 0
    /// Whether the records were decoded when the batch was filled, so that no `PieceDecoder` is
    /// needed.
    var isDecoded = true
    /// The number of records that this piece's decoder had counted before the piece.
    ///
    /// `renumber(after:)` uses it to correct the record numbers.
    var numbersBefore = 0
    /// The number to add to each record number after `renumber(after:)`.
    private var numberOffset = 0

    var source: FileName = ""
    var slotCount = 0
    var recordsMax = 0
    /// The maximum number of bytes that are stored of a record that is too big.
    private var keptBytesMax = RecordFault.rawBytesMax
    var fieldStorage: UnsafeMutablePointer<Field>
    var spanStorage: UnsafeMutablePointer<Span>
    private var fieldCapacity = 0
    private var spanCapacity = 0

    var items: UnsafeMutablePointer<Field>
    var itemCount = 0
    private(set) var itemCapacity = 0
    /// The maximum size of a buffer that is kept for the next records: 4 MiB.
    private static let keptItemsMax = 1 << 18

    let arena = ByteArena()
    let chunk = ByteChunk()
    /// The position of the chunk's first byte in the input.
    var origin = ChunkOrigin() {
        didSet { counted = (0, origin) }
    }
    /// The last offset whose line and column are known; the next location is counted from it.
    private var counted = (offset: 0, place: ChunkOrigin())

    /// The size of the memory for the input's bytes and for the values decoded from them.
    package var byteCount: Int {
        chunk.capacity + arena.byteCount + itemCapacity * MemoryLayout<Field>.stride
    }

    /// Whether the batch contains the maximum number of records, good and bad.
    var isFull: Bool { count + rejects.count >= recordsMax }

    /// Creates an empty batch, which `RecordReader` fills.
    package init() {
        fieldStorage = .allocate(capacity: 1)
        spanStorage = .allocate(capacity: 1)
        items = .allocate(capacity: 1)
    }

    deinit {
        fieldStorage.deallocate()
        spanStorage.deallocate()
        items.deallocate()
    }

    /// Returns the fields of a record, one for each path of the selection.
    package func fields(of record: Int) -> UnsafeBufferPointer<Field> {
        UnsafeBufferPointer(start: fieldStorage + record * slotCount, count: slotCount)
    }

    /// Returns the values of a list, which have any kind but `list`.
    package func items(of list: Field) -> UnsafeBufferPointer<Field> {
        guard list.kind == .list, list.count > 0 else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        let first = UInt(bitPattern: list.start) &- 1
        return UnsafeBufferPointer(start: items + Int(first), count: Int(list.count))
    }

    /// Returns the text of the record in the input, without its line end.
    package func rawRecord(_ record: Int) -> UnsafeBufferPointer<UInt8> {
        let span = spanStorage[record]
        return UnsafeBufferPointer(start: chunk.start + span.offset, count: span.byteCount)
    }

    /// Returns the number of a record in its input, from one.
    package func number(of record: Int) -> Int {
        spanStorage[record].number + numberOffset
    }

    /// Returns the number of duplicate keys in a record's objects on selected paths.
    package func duplicateKeyCount(of record: Int) -> Int {
        Int(spanStorage[record].duplicateKeyCount)
    }

    /// Returns the number of unselected fields of a record.
    package func extraFieldCount(of record: Int) -> Int {
        Int(spanStorage[record].extraFieldCount)
    }

    /// Returns the location where a record starts; this call counts its line and column.
    package func location(of record: Int, field: String?) -> RecordLocation {
        location(
            number: number(of: record), offset: spanStorage[record].offset, field: field)
    }

    /// Returns the location where a field's bytes start, or the record if the field has no bytes in
    /// it.
    package func location(of record: Int, slot: Int, field: String?) -> RecordLocation {
        location(of: record, at: fields(of: record)[slot], field: field)
    }

    /// Returns the location where a value's bytes start, or the record if they are not in it.
    package func location(of record: Int, at value: Field, field: String?) -> RecordLocation {
        let span = spanStorage[record]
        let offset = span.offset + (distance(of: value, in: span) ?? 0)
        return location(number: number(of: record), offset: offset, field: field)
    }

    /// Returns the number of bytes between the start of a record and a field in it; `nil` if the
    /// field has no bytes in it.
    package func distance(of record: Int, slot: Int) -> Int? {
        distance(of: fields(of: record)[slot], in: spanStorage[record])
    }

    private func distance(of value: Field, in span: Span) -> Int? {
        guard value.kind != .list, let start = value.start else { return nil }
        let distance = UnsafePointer(start) - UnsafePointer(chunk.start) - span.offset
        return (0...span.byteCount).contains(distance) ? distance : nil
    }

    /// Corrects the record numbers of a piece, now that the number of records before it is known.
    package func renumber(after count: Int) {
        numberOffset = count - numbersBefore
        guard numberOffset != 0 else { return }
        for index in rejects.indices { rejects[index].location.record? += numberOffset }
    }

    func location(number: Int, offset: Int, field: String?) -> RecordLocation {
        if offset < counted.offset { counted = (0, origin) }
        let place = counted.place.advanced(
            over: chunk.start + counted.offset, count: offset - counted.offset)
        counted = (offset, place)
        return RecordLocation(
            file: source, record: number, byteOffset: place.byteOffset, line: place.line,
            column: place.column, field: field)
    }

    /// Counts blank lines.
    func addBlankLines(_ count: Int = 1) {
        blankLineCount += count
        if recordsBeforeBlank != recordCount { (blankRun, recordsBeforeBlank) = (0, recordCount) }
        blankRun += count
    }

    /// Removes all records.
    func removeAll() {
        count = 0
        itemCount = 0
        duplicateKeyCount = 0
        rejects.removeAll(keepingCapacity: true)
    }

    /// Empties the batch and allocates records with `slotCount` slots.
    func prepare(source: FileName, slotCount: Int, recordsMax: Int, recordBytesMax: Int = .max) {
        self.source = source
        self.slotCount = slotCount
        self.recordsMax = recordsMax
        keptBytesMax = min(recordBytesMax, RecordFault.rawBytesMax)
        count = 0
        itemCount = 0
        duplicateKeyCount = 0
        blankLineCount = 0
        (blankRun, recordsBeforeBlank) = (0, 0)
        pieceByteCount = 0
        isDecoded = true
        numbersBefore = 0
        numberOffset = 0
        rejects.removeAll(keepingCapacity: true)
        arena.removeAll()
        if itemCapacity > Self.keptItemsMax {
            items.deallocate()
            items = .allocate(capacity: 1)
            itemCapacity = 0
        }
        if fieldCapacity < recordsMax * slotCount {
            fieldStorage.deallocate()
            fieldCapacity = recordsMax * slotCount
            fieldStorage = .allocate(capacity: fieldCapacity)
        }
        if spanCapacity < recordsMax {
            spanStorage.deallocate()
            spanCapacity = recordsMax
            spanStorage = .allocate(capacity: spanCapacity)
        }
    }

    /// Allocates `more` items and returns the first.
    func appendItems(_ more: Int) -> UnsafeMutablePointer<Field> {
        if itemCount + more > itemCapacity {
            let capacity = max(itemCapacity * 2, itemCount + more, 4096)
            let larger = UnsafeMutablePointer<Field>.allocate(capacity: capacity)
            larger.update(from: items, count: itemCount)
            items.deallocate()
            items = larger
            itemCapacity = capacity
        }
        let first = items + itemCount
        itemCount += more
        return first
    }

    /// Adds a rejected record; `faultOffset` is the byte of the fault.
    ///
    /// How many bytes of a record that is too big are available depends on chunks; the number of
    /// stored bytes does not.
    func reject(
        _ fault: RecordFault, number: Int, offset: Int, byteCount: Int, faultOffset: Int
    ) {
        let kept = fault.code == "too-big" ? min(byteCount, keptBytesMax) : byteCount
        let raw = UnsafeBufferPointer(start: chunk.start + offset, count: kept)
        rejects.append(
            RejectedRecord(
                code: fault.code, detail: fault.detail,
                location: location(number: number, offset: faultOffset, field: nil),
                message: fault.message, fix: fault.fix, raw: Array(raw),
                isTruncated: kept < byteCount))
    }
}
