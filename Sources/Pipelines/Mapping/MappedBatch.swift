import Diagnostics
package import GraphStore
package import RecordStreams

/// A batch on its way from the reader to the writer: the records, and the rows made of them.
package final class MappedBatch {
    /// What was read.
    package let records = RecordBatch()
    /// What became of it.
    package let rows: RowBatch
    // Nothing reaches it from inside its own use.
    /// For each row, the record that it is made of.
    @exclusivity(unchecked) var rowRecords: [Int32] = []
    /// For each record, the key that is made of all its fields; empty where the plan wants none.
    var rowKeys: [String] = []
    /// Records that the reader or the mapping refused, in the order of finding.
    var rejects: [RejectedRecord] = []
    /// The rows of records that the mapping refused, for the writer to find their other faults.
    ///
    /// Their bytes are those of the records and of `rows`.
    let refused: RowBatch
    /// The places of these rows by the number of the record, each with the cells that are refused.
    var refusedRows: [Int: (row: Int, cells: Set<Int>)] = [:]
    /// Records that `keep-if` left out.
    var filtered = 0
    /// Values that were none of their attributes and became null.
    var nulled = 0
    /// The paths of the spec that no record of the lane has had so far, and those that some record
    /// of it lacks.
    var unseen: [String] = []
    var lacking: Set<String> = []
    /// No record of the lane has had any field that the stage reads so far.
    var fitsNothing = false
    /// The lane that it goes round in.
    var lane = 0
    /// The input's format.
    var format = RecordFormat.ndjson
    /// The names of a table's columns.
    var columnNames: [String]?
    /// The columns of a table that nothing maps.
    var extraColumns: [String]?
    /// Fields are text by nature, as in CSV.
    var isTabular: Bool { format == .csv || format == .tsv }
    /// Bytes of all inputs, as stored, that were read when this batch was full.
    var bytesRead = 0
    /// The input's plain bytes that the batch was made of.
    var plainBytes = 0
    /// How far the input is consumed with this batch.
    var position: InputPosition?
    /// The input that ended with this batch, which holds no records.
    var finishedInput: InputNote?

    /// That input had grown since the run began, so that more may come.
    var hasGrown = false

    /// For each link of the plan, what reads the objects in its field.
    let nested: [NestedReader?]

    /// An empty batch.
    package init(_ plan: ImportPlan) {
        rows = RowBatch(width: plan.bulk.width, capacity: 1024)
        refused = RowBatch(width: plan.bulk.width, capacity: 1)
        nested = plan.links.map { NestedReader($0) }
    }

    /// The fields of objects in the records that nothing maps, each with the number of objects that
    /// had it since the last call.
    func takeNestedExtraFields() -> [(name: String, count: Int)] {
        nested.flatMap { $0?.takeExtraFields(in: "") ?? [] }
    }

    /// Whether it has a record so large that there must be no other beside it: the next batch is
    /// read only when this one is written, and with few pages in memory.
    var isLarge: Bool { records.byteCount + rows.byteCount > Self.largeByteCount }
    private static let largeByteCount = 6 << 20

    /// Records of the batch, good and bad.
    var recordCount: Int { records.count + records.rejects.count }

    /// Refuses a record.
    func reject(_ record: Int, _ code: String, slot: Int?, field: String?, _ message: String) {
        let location =
            if let slot {
                records.location(of: record, slot: slot, field: field)
            } else {
                records.location(of: record, field: field)
            }
        rejects.append(
            RejectedRecord(
                code: code, detail: code, location: location, message: message,
                value: slot.flatMap { Self.text(of: records.fields(of: record)[$0]) },
                raw: Array(records.rawRecord(record))))
        noteRowKey(of: record)
    }

    /// Keeps the key of the record that was refused last.
    private func noteRowKey(of record: Int) {
        guard !rowKeys.isEmpty else { return }
        rejects[rejects.count - 1].rowKey = rowKeys[record]
    }

    /// Refuses a record for a value, which may be inside that of the slot.
    ///
    /// - Parameter others: what else is wrong with it.
    func reject(
        _ record: Int, _ failure: CastFailure, slot: Int?, field: String?,
        others: [RejectedRecord.Other] = []
    ) {
        defer { if !others.isEmpty { rejects[rejects.count - 1].others = others } }
        guard let path = failure.path else {
            return reject(record, failure.code, slot: slot, field: field, failure.message)
        }
        let place = Field(
            .string, start: failure.address.flatMap { UnsafePointer(bitPattern: $0) })
        rejects.append(
            RejectedRecord(
                code: failure.code, detail: failure.code,
                location: records.location(of: record, at: place, field: path),
                message: failure.message, value: failure.value,
                raw: Array(records.rawRecord(record))))
        noteRowKey(of: record)
    }

    /// Where the value of a row's field begins, or of the one in its list that is written so.
    func location(ofRow row: Int, slot: Int, value: String?) -> RecordLocation {
        let record = Int(rowRecords[row])
        let field = records.fields(of: record)[slot]
        let item = records.items(of: field).first { Self.text(of: $0) == value }
        return records.location(of: record, at: item ?? field, field: nil)
    }

    /// A field's value as text; nil where it has none, or many.
    static func text(of field: Field) -> String? {
        switch field.kind {
        case .absent, .null, .list: nil
        case .true: "true"
        case .false: "false"
        case .number, .string, .json: field.text
        }
    }
}
