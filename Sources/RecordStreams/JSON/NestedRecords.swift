internal import Files

/// Reads objects inside records, one at a time, with a separate selection.
///
/// They were validated as part of their record, so only the selected fields are read.
package final class NestedRecords {
    private let store: JSONRecordStore
    private let slotCount: Int
    /// The number of the first nested object of the current record; `nil` before it is read.
    private var firstObject: UInt64?
    /// The batch that contains the list items of the object that was read last.
    package let batch = RecordBatch()

    /// Creates a reader that returns the selected fields of each object.
    package init(_ selection: FieldSelection) {
        // The depth was checked as part of the record.
        store = JSONRecordStore(selection, depthMax: .max)
        slotCount = selection.paths.count
        removeAll()
    }

    /// Releases the bytes of all objects that were read before.
    package func removeAll() {
        batch.prepare(source: "", slotCount: slotCount, recordsMax: 1)
    }

    /// Begins the objects of another record, for the counts of unselected fields.
    package func beginRecord() { firstObject = nil }

    /// Returns the unselected fields of objects, each with the number of records that contained it
    /// since the last call.
    package func takeExtraFields() -> [(name: String, count: Int)] {
        defer { store.tree.forgetMeetings() }
        return store.tree.extraFields
    }

    /// Returns the fields of an object, one for each path of the selection.
    ///
    /// The fields are valid until the next call. Their bytes are valid until `removeAll()`, or as
    /// long as the bytes of the record.
    ///
    /// - Returns: `nil` if the value is not an object.
    package func read(_ value: Field) -> UnsafeBufferPointer<Field>? {
        guard value.kind == .json, let start = value.start, start.pointee == UInt8(ascii: "{")
        else { return nil }
        batch.count = 0
        batch.itemCount = 0
        var parser = store.parser(for: batch)
        defer { store.finish(parser, batch: batch) }
        parser.end = start + Int(value.count)
        store.clear(&parser, batch: batch)
        let first = firstObject ?? parser.firstObject
        (firstObject, parser.firstObject) = (first, first)
        guard let end = parser.record(start) else { return nil }
        store.keep(parser, start: start, end: end, number: 1, batch: batch)
        return batch.fields(of: 0)
    }
}
