import Diagnostics
import GraphStore
import RecordStreams

extension MappedBatch {
    /// Returns the record of a row with its location, without faults.
    func record(ofRow row: Int) -> RejectedRecord {
        var record = RejectedRecord(
            code: "", detail: "", location: location(ofRow: row), message: "",
            raw: Array(rawRecord(ofRow: row)))
        if !rowKeys.isEmpty { record.rowKey = rowKeys[Int(rowRecords[row])] }
        return record
    }

    /// Returns the location of the start of a row's record.
    func location(ofRow row: Int) -> RecordLocation {
        records.location(of: Int(rowRecords[row]), field: nil)
    }

    /// Returns where the fields of links are in a row's record, as offsets from its start.
    ///
    /// The offsets are listed by the name of the relationship.
    func distances(ofRow row: Int, _ plan: ImportPlan) -> [(name: String, distance: Int)] {
        plan.links.compactMap { link in
            guard link.nested == nil, let slot = link.part.slot else { return nil }
            return records.distance(of: Int(rowRecords[row]), slot: slot).map { (link.name, $0) }
        }
    }

    /// Returns the bytes of a row's record.
    func rawRecord(ofRow row: Int) -> UnsafeBufferPointer<UInt8> {
        records.rawRecord(Int(rowRecords[row]))
    }

    /// Returns the record of a row that the store rejected.
    func rejected(row: Int, _ reject: BulkReject, _ plan: ImportPlan) -> RejectedRecord {
        var record = record(ofRow: row)
        if let slot = reject.property.flatMap({ plan.source(of: $0) })?.slot {
            record.location = location(ofRow: row, slot: slot, value: reject.value)
        }
        return record.rejected(reject, plan)
    }
}

extension RejectedRecord {
    /// Returns the record with the faults that the store found.
    func rejected(_ reject: BulkReject, _ plan: ImportPlan) -> RejectedRecord {
        var record = self
        record.code = reject.code
        record.detail = reject.code
        record.value = reject.value
        (record.location.field, record.message) = plan.described(
            reject.message, of: reject.property)
        record.add(reject.others, plan)
        return record
    }

    /// Adds further faults that the store found.
    mutating func add(_ faults: [BulkReject.Other], _ plan: ImportPlan) {
        for fault in faults {
            let (field, message) = plan.described(fault.message, of: fault.property)
            others.append(
                Other(code: fault.code, field: field ?? "", message: message, value: fault.value))
        }
    }
}

extension ImportPlan {
    /// Returns the field that fills a property, and the message with the field's name added.
    fileprivate func described(
        _ message: String, of property: String?
    ) -> (field: String?, message: String) {
        guard let property, let source = source(of: property)?.text, source != property else {
            return (property, message)
        }
        return (source, "\(message) (for '\(property)')")
    }
}
