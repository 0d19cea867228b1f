/// The state that both JSON decoders share: the field tree and the list buffers; it also stores
/// records in batches.
final class JSONRecordStore {
    let tree: JSONFieldTree
    let lists: UnsafeMutablePointer<JSONRecordParser.ListBuffer>
    private let listCount: Int
    private let slotCount: Int
    private let listSlots: [Int]
    let depthMax: Int
    private var objectNumber: UInt64 = 0
    private var keptDuplicates = 0
    private var recordObjectNumber: UInt64 = 0

    init(_ selection: FieldSelection, depthMax: Int) {
        tree = JSONFieldTree(selection)
        self.depthMax = depthMax
        slotCount = selection.paths.count
        listCount = max(1, slotCount)
        lists = .allocate(capacity: listCount)
        for index in 0..<listCount {
            let steps = index < slotCount ? selection.paths[index].steps : []
            (lists + index).initialize(
                to: JSONRecordParser.ListBuffer(depth: steps.count(where: { $0 == .each })))
        }
        listSlots = tree.listSlots
    }

    deinit {
        for index in 0..<listCount { lists[index].deallocate() }
        lists.deallocate()
    }

    /// Creates a parser for one call of a decoder; `finish` takes over its state.
    func parser(for batch: RecordBatch) -> JSONRecordParser {
        keptDuplicates = 0
        return JSONRecordParser(
            tree: tree, lists: lists, batch: batch, depthMax: depthMax, objectNumber: objectNumber)
    }

    /// Takes over the parser's counts at the end of a call, and releases unusually large list
    /// buffers.
    func finish(_ parser: JSONRecordParser, batch: RecordBatch) {
        objectNumber = parser.objectNumber
        batch.duplicateKeyCount += keptDuplicates
        for slot in listSlots { lists[slot].shrink() }
    }

    /// Clears the slots of the batch's next record.
    @inline(__always)
    func clear(_ parser: inout JSONRecordParser, batch: RecordBatch) {
        parser.fields = batch.fieldStorage + batch.count * slotCount
        parser.fields.update(repeating: Field(.absent), count: slotCount)
        recordObjectNumber = parser.objectNumber + 1
        parser.firstObject = recordObjectNumber
        parser.duplicateKeyCount = 0
        parser.extraFieldCount = 0
        for slot in listSlots { lists[slot].count = 0 }
    }

    /// Undoes the field tree's counts of an incomplete or bad record.
    func drop(_ parser: JSONRecordParser) {
        guard parser.objectNumber >= recordObjectNumber, recordObjectNumber > 0 else { return }
        tree.forgetMeetings(inObject: recordObjectNumber)
        recordObjectNumber = 0
    }

    /// Adds the last record that was read to the batch.
    @inline(__always)
    func keep(
        _ parser: JSONRecordParser, start: Bytes, end: Bytes, number: Int, batch: RecordBatch
    ) {
        for slot in listSlots where parser.fields[slot].kind == .list {
            let list = lists[slot]
            if list.count > 0 {
                let first = batch.appendItems(list.count)
                first.update(from: list.items, count: list.count)
                let index = UInt(bitPattern: first - batch.items) &+ 1
                parser.fields[slot].start = UnsafePointer(bitPattern: index)
            }
            parser.fields[slot].count = Int32(list.count)
        }
        for alias in tree.aliases { parser.fields[alias.slot] = parser.fields[alias.source] }
        batch.spanStorage[batch.count] = RecordBatch.Span(
            offset: start - UnsafePointer(batch.chunk.start), byteCount: end - start,
            number: number, duplicateKeyCount: Int32(truncatingIfNeeded: parser.duplicateKeyCount),
            extraFieldCount: Int32(truncatingIfNeeded: parser.extraFieldCount))
        keptDuplicates += parser.duplicateKeyCount
        recordObjectNumber = 0
        batch.count += 1
    }
}
