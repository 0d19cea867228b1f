internal import Files

/// Reads objects that stand inside records, one at a time, by a selection of their own.
///
/// They were validated as part of their record, so only what is asked for is looked at.
package final class NestedRecords {
    private let store: JSONRecordStore
    private let slotCount: Int
    /// Gives the items of lists among the fields of the object that was read last.
    package let batch = RecordBatch()

    package init(_ selection: FieldSelection) {
        store = JSONRecordStore(selection, depthMax: ReadOptions().depthMax)
        slotCount = selection.paths.count
        removeAll()
    }

    /// Forgets the bytes of all objects that were read before.
    package func removeAll() {
        batch.prepare(source: "", slotCount: slotCount, recordsMax: 1)
    }

    /// The fields of objects that nobody asked for, each with the number of objects that had it
    /// since the last call.
    package func takeExtraFields() -> [(name: String, count: Int)] {
        defer { store.tree.forgetMeetings() }
        return store.tree.extraFields
    }

    /// The fields of an object, one for each path of the selection.
    ///
    /// They are valid until the next call, their bytes until `removeAll()` or as long as those of
    /// the record.
    ///
    /// - Returns: nil where the value is no object.
    package func read(_ value: Field) -> UnsafeBufferPointer<Field>? {
        guard value.kind == .json, let start = value.start, start.pointee == UInt8(ascii: "{")
        else { return nil }
        batch.count = 0
        batch.itemCount = 0
        var parser = store.parser(for: batch)
        defer { store.finish(parser, batch: batch) }
        parser.end = start + Int(value.count)
        store.clear(&parser, batch: batch)
        guard let end = parser.record(start) else { return nil }
        store.keep(parser, start: start, end: end, number: 1, batch: batch)
        return batch.fields(of: 0)
    }
}
