import Diagnostics
import GraphStore
import RecordStreams

extension MappedBatch {
    /// The record that a row was made of, with its place and nothing against it.
    func record(ofRow row: Int) -> RejectedRecord {
        var record = RejectedRecord(
            code: "", detail: "", location: location(ofRow: row), message: "",
            raw: Array(rawRecord(ofRow: row)))
        if !rowKeys.isEmpty { record.rowKey = rowKeys[Int(rowRecords[row])] }
        return record
    }

    /// Where the record of a row begins.
    func location(ofRow row: Int) -> RecordLocation {
        records.location(of: Int(rowRecords[row]), field: nil)
    }

    /// The bytes of a row's record.
    func rawRecord(ofRow row: Int) -> UnsafeBufferPointer<UInt8> {
        records.rawRecord(Int(rowRecords[row]))
    }

    /// The record that a row was made of, as the store refuses it.
    func rejected(row: Int, _ reject: BulkReject, _ plan: ImportPlan) -> RejectedRecord {
        var record = record(ofRow: row)
        if let slot = reject.property.flatMap({ plan.source(of: $0) })?.slot {
            record.location = location(ofRow: row, slot: slot, value: reject.value)
        }
        return record.rejected(reject, plan)
    }
}

extension RejectedRecord {
    /// The same record with what the store has against it.
    func rejected(_ reject: BulkReject, _ plan: ImportPlan) -> RejectedRecord {
        var record = self
        record.code = reject.code
        record.detail = reject.code
        record.message = reject.message
        record.value = reject.value
        let source = reject.property.flatMap { plan.source(of: $0) }?.text
        record.location.field = source ?? reject.property
        if let property = reject.property, let source, source != property {
            record.message += " (for '\(property)')"
        }
        return record
    }
}
