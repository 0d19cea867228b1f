import Diagnostics
package import GraphStore
package import RecordStreams

/// A batch that the reader passes to the writer: the records, and the rows built from them.
package final class MappedBatch {
    /// The records that were read.
    package let records = RecordBatch()
    /// The rows for the store.
    package let rows: RowBatch
    // No access overlaps another one.
    /// The index of the record for each row.
    @exclusivity(unchecked) var rowRecords: [Int32] = []
    /// The row key of each record, or empty if the plan has no row key.
    var rowKeys: [String] = []
    /// The records that the reader or the mapper rejected, in the order of detection.
    var rejects: [RejectedRecord] = []
    /// The rows of rejected records, which are only checked for further faults and never written.
    let refused: RowBatch
    /// For each row of `refused`, by record number: its index, and the cells that are already
    /// rejected.
    var rejectedRows: [Int: (row: Int, cells: Set<Int>)] = [:]
    /// The number of records that `keep-if` filtered out.
    var filtered = 0
    /// The number of values that could not be cast and became null.
    var nulled = 0
    /// The paths of the spec that occurred in no record so far, among the records that this lane
    /// has read.
    ///
    /// A lane is one of several threads that read inputs.
    var unseen: [String] = []
    /// The paths of the spec that are missing in at least one record of the lane.
    var lacking: Set<String> = []
    /// Whether no record of the lane has had any field that the stage reads so far.
    var fitsNothing = false
    /// The index of the lane that fills this batch, and to which the writer returns it.
    var lane = 0
    /// The input's format.
    var format = RecordFormat.ndjson
    /// The names of a table's columns, or `nil` for other formats.
    var columnNames: [String]?
    /// Whether a lone CR ends a record of a table.
    var endsAtReturn = false
    /// The attributes that a column of their name would fill, and that this table lacks; `nil` for
    /// other formats.
    var unfilled: [String]?
    /// The unmapped columns of a table.
    var extraColumns: [String]?
    /// Whether all fields are text, as in CSV.
    var isTabular: Bool { format == .csv || format == .tsv }
    /// The bytes of all inputs, as stored, that were read when this batch was full.
    var bytesRead = 0
    /// The uncompressed bytes of the input that the batch contains.
    var plainBytes = 0
    /// The position in the input after this batch.
    var position: InputPosition?
    /// The input that ended with this batch, which holds no records.
    var finishedInput: InputNote?

    /// Whether that input has grown since the run began, so that more records may follow.
    var hasGrown = false

    /// The reader of the objects inside the field of each link of the plan.
    let nested: [NestedReader?]

    /// Creates an empty batch.
    package init(_ plan: ImportPlan) {
        rows = RowBatch(width: plan.bulk.width, capacity: 1024)
        refused = RowBatch(width: plan.bulk.width, capacity: 1)
        nested = plan.links.map { NestedReader($0) }
    }

    /// The fields that nothing maps, each with its number of records in the batch.
    var extraFields: [(name: String, count: Int)] = []
    /// The number of blank lines to count with this batch.
    ///
    /// These are the lines before the records, and at the end of an input also those after them.
    var blankLines = 0

    /// Returns the unmapped fields of objects in the records, each with the number of records that
    /// had it since the last call.
    func takeNestedExtraFields() -> [(name: String, count: Int)] {
        nested.flatMap { $0?.takeExtraFields(in: "") ?? [] }
    }

    /// Whether the batch is so large that no other batch may be in memory.
    ///
    /// The next batch is read only after this one is written, and with few pages in memory.
    var isLarge: Bool { records.byteCount + rows.byteCount > Self.largeByteCount }
    private static let largeByteCount = 6 << 20

    /// The number of records in the batch, including rejects.
    var recordCount: Int { records.count + records.rejects.count }

    /// Rejects a record because of a value, which may be inside the value of the slot.
    ///
    /// - Parameter others: The other faults of the record.
    func reject(
        _ record: Int, _ failure: CastFailure, slot: Int?, field: String?,
        others: [RejectedRecord.Other] = []
    ) {
        var value = slot.flatMap { Self.text(of: records.fields(of: record)[$0]) }
        var location =
            if let slot {
                records.location(of: record, slot: slot, field: field)
            } else {
                records.location(of: record, field: field)
            }
        if let path = failure.path {
            value = failure.value
            let start = failure.address.flatMap { UnsafePointer<UInt8>(bitPattern: $0) }
            location = records.location(of: record, at: Field(.string, start: start), field: path)
        }
        var rejected = RejectedRecord(
            code: failure.code, detail: failure.code, location: location, message: failure.message,
            value: value, raw: Array(records.rawRecord(record)))
        if !rowKeys.isEmpty { rejected.rowKey = rowKeys[record] }
        rejected.others = others
        rejects.append(rejected)
    }

    /// Returns the location of a row's field, or of the item in its list with this value.
    func location(ofRow row: Int, slot: Int, value: String?) -> RecordLocation {
        let record = Int(rowRecords[row])
        let field = records.fields(of: record)[slot]
        let item = records.items(of: field).first { Self.text(of: $0) == value }
        return records.location(of: record, at: item ?? field, field: nil)
    }

    /// Returns a field's value as text, or `nil` if it has no single value.
    static func text(of field: Field) -> String? {
        switch field.kind {
        case .absent, .null, .list: nil
        case .true: "true"
        case .false: "false"
        case .number, .string, .json: field.text
        }
    }
}

extension MappedBatch {
    /// The format of the records.
    var form: InputForm {
        InputForm(
            format: format.rawValue, columnNames: columnNames,
            endsAtReturn: endsAtReturn ? true : nil)
    }
}
