package import Diagnostics
import Files

/// Some records of one input with the fields that were asked for, filled by `RecordReader`.
///
/// A batch owns the chunk of input that its fields point into, so it is filled again and again
/// without allocating. It must not be used by two threads at once; several batches may be in
/// flight, each with one owner at a time.
package final class RecordBatch {
    /// Where a record stands in the chunk.
    struct Span {
        var offset: Int
        var byteCount: Int
        /// From one, over the whole input.
        var number: Int
        var duplicateKeyCount: Int32 = 0
        var extraFieldCount: Int32 = 0
    }

    /// The number of good records.
    package internal(set) var count = 0
    /// The records that could not be read, in input order.
    package internal(set) var rejects: [RejectedRecord] = []
    /// The records of the batch, good and bad.
    package var recordCount: Int { count + rejects.count }
    /// Members of objects whose name came twice; the last one won.
    package internal(set) var duplicateKeyCount = 0
    /// Lines without anything in them, which are not records.
    package internal(set) var blankLineCount = 0

    /// The bytes of the input that the batch was made of, where it is a piece of it.
    package var pieceBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: chunk.start, count: pieceByteCount)
    }
    var pieceByteCount = 0
    /// Whether there is nothing left for a `PieceDecoder` to do.
    var isDecoded = true
    /// The records that the piece's decoder had met before.
    var numbersBefore = 0
    /// What the numbers of records are short of, where a decoder met only some of them.
    private var numberOffset = 0

    var source: FileName = ""
    var slotCount = 0
    var recordsMax = 0
    /// The bytes that are kept of a record that is too big.
    private var cutBytesMax = RecordFault.rawBytesMax
    var fieldStorage: UnsafeMutablePointer<Field>
    var spanStorage: UnsafeMutablePointer<Span>
    private var fieldCapacity = 0
    private var spanCapacity = 0

    var items: UnsafeMutablePointer<Field>
    var itemCount = 0
    private(set) var itemCapacity = 0
    /// More are not kept for the next records; they have 4 MiB.
    private static let keptItemsMax = 1 << 18

    let arena = ByteArena()
    let chunk = ByteChunk()
    /// The place in the input of the chunk's first byte.
    var origin = ChunkOrigin() {
        didSet { counted = (0, origin) }
    }
    /// The last place counted, from which the next one on is counted further.
    private var counted = (offset: 0, place: ChunkOrigin())

    /// The memory of the input's bytes, and of what was made of them.
    package var byteCount: Int {
        chunk.capacity + arena.byteCount + itemCapacity * MemoryLayout<Field>.stride
    }

    /// Whether the batch holds as many records, good and bad, as it may.
    var isFull: Bool { count + rejects.count >= recordsMax }

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

    /// The fields of a record, one for each path of the selection.
    package func fields(of record: Int) -> UnsafeBufferPointer<Field> {
        UnsafeBufferPointer(start: fieldStorage + record * slotCount, count: slotCount)
    }

    /// The values in a list, which have any kind but `list`.
    package func items(of list: Field) -> UnsafeBufferPointer<Field> {
        guard list.kind == .list, list.count > 0 else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        let first = UInt(bitPattern: list.start) &- 1
        return UnsafeBufferPointer(start: items + Int(first), count: Int(list.count))
    }

    /// The record's own text in the input, without its line end.
    package func rawRecord(_ record: Int) -> UnsafeBufferPointer<UInt8> {
        let span = spanStorage[record]
        return UnsafeBufferPointer(start: chunk.start + span.offset, count: span.byteCount)
    }

    /// The number of a record in its input, from one.
    package func number(of record: Int) -> Int {
        spanStorage[record].number + numberOffset
    }

    /// The keys that came twice in a record's objects, as far as they lie on selected paths.
    package func duplicateKeyCount(of record: Int) -> Int {
        Int(spanStorage[record].duplicateKeyCount)
    }

    /// The fields of a record that nobody asked for.
    package func extraFieldCount(of record: Int) -> Int {
        Int(spanStorage[record].extraFieldCount)
    }

    /// Where a record begins; line and column are counted by this call.
    package func location(of record: Int, field: String?) -> RecordLocation {
        location(
            number: number(of: record), offset: spanStorage[record].offset, field: field)
    }

    /// Where a field's bytes begin, or the record where the field has none of its own.
    package func location(of record: Int, slot: Int, field: String?) -> RecordLocation {
        location(of: record, at: fields(of: record)[slot], field: field)
    }

    /// Where the bytes of a value inside the record begin, or the record where they are not in it.
    package func location(of record: Int, at value: Field, field: String?) -> RecordLocation {
        let span = spanStorage[record]
        var offset = span.offset
        if value.kind != .list, let start = value.start {
            let distance = UnsafePointer(start) - UnsafePointer(chunk.start)
            if distance >= span.offset, distance <= span.offset + span.byteCount {
                offset = distance
            }
        }
        return location(number: number(of: record), offset: offset, field: field)
    }

    /// Numbers the records of a piece, now that it is known how many of the input come before.
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

    /// Takes its records back, since they are none.
    func removeAll() {
        count = 0
        itemCount = 0
        duplicateKeyCount = 0
        rejects.removeAll(keepingCapacity: true)
    }

    /// Empties the batch and makes room for records of that many slots.
    func prepare(source: FileName, slotCount: Int, recordsMax: Int, recordBytesMax: Int = .max) {
        self.source = source
        self.slotCount = slotCount
        self.recordsMax = recordsMax
        cutBytesMax = min(recordBytesMax, RecordFault.rawBytesMax)
        count = 0
        itemCount = 0
        duplicateKeyCount = 0
        blankLineCount = 0
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

    /// Room for that many more items; gives the place of the first.
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

    /// Notes a record that cannot be read; `faultOffset` is the byte at which it went wrong.
    ///
    /// How much there is of one that is too big depends on chunks, what is kept of it does not.
    func reject(
        _ fault: RecordFault, number: Int, offset: Int, byteCount: Int, faultOffset: Int
    ) {
        let kept = fault.code == "too-big" ? min(byteCount, cutBytesMax) : byteCount
        let raw = UnsafeBufferPointer(start: chunk.start + offset, count: kept)
        rejects.append(
            RejectedRecord(
                code: fault.code, detail: fault.detail,
                location: location(number: number, offset: faultOffset, field: nil),
                message: fault.message, fix: fault.fix, raw: Array(raw), isCut: kept < byteCount))
    }
}
