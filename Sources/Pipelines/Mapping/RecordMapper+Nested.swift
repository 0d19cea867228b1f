import GraphStore
import RecordStreams

/// Reads the objects in one field of a batch's records, and the objects inside them.
///
/// It belongs to the batch, whose cells point to its bytes.
final class NestedReader {
    let records: NestedRecords
    /// The reader of the objects inside the field of each link.
    let inner: [NestedReader?]
    /// The path to the objects.
    private let each: String

    /// Creates a reader of the objects in a link's field, or returns `nil` if the link has a key.
    init?(_ link: ImportPlan.Link) {
        guard let nested = link.nested else { return nil }
        records = NestedRecords(nested.selection)
        inner = nested.links.map { NestedReader($0) }
        each = link.part.sourceText
    }

    /// Begins the objects of another record.
    func beginRecord() {
        records.beginRecord()
        for case let reader? in inner { reader.beginRecord() }
    }

    /// Returns the unmapped fields of the objects and of the objects inside them, each with the
    /// number of records that had it since the last call.
    ///
    /// - Parameter path: The prefix of the objects' field.
    func takeExtraFields(in path: String) -> [(name: String, count: Int)] {
        let path = "\(path)\(each)."
        return records.takeExtraFields().map { ("\(path)\($0.name)", $0.count) }
            + inner.flatMap { $0?.takeExtraFields(in: path) ?? [] }
    }

    func removeAll() {
        records.removeAll()
        for case let reader? in inner { reader.removeAll() }
    }
}

/// Objects inside the record, as a list of the cells of all objects in order.
extension RecordMapper {
    mutating func elements(
        _ link: ImportPlan.Link, _ nested: ImportPlan.Nested,
        _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch, of records: RecordBatch,
        _ reader: NestedReader, path: String
    ) throws(CastFailure) -> BulkCell {
        let field = link.part.slot.map { fields[$0] } ?? Field(.absent)
        let place = path + nested.label
        var cells: [BulkCell] = []
        switch field.kind {
        case .absent:
            guard !link.isKey else { throw Self.absence(link.part, of: link) }
            return .absent
        case .null: return try noKey(link)
        case .list:
            for (number, item) in records.items(of: field).enumerated() where item.kind != .null {
                let place = "\(place)[\(number)]"
                add(item, nested, batch, reader, path: place, to: &cells)
            }
        default:
            // A single object instead of a list is treated as a list with one item.
            let isInList = link.isToMany
            add(field, nested, batch, reader, path: isInList ? place + "[0]" : place, to: &cells)
        }
        let start = batch.rows.beginList()
        for cell in cells { batch.rows.addItem(cell) }
        return batch.rows.list(from: start)
    }

    /// Adds the cells of one object, and records its faults.
    private mutating func add(
        _ item: Field, _ nested: ImportPlan.Nested, _ batch: MappedBatch, _ reader: NestedReader,
        path: String, to cells: inout [BulkCell]
    ) {
        guard let fields = reader.records.read(item) else {
            let message = "'\(path)' is not an object, but \(ValueCaster.show(item))"
            return note(CastFailure(code: "shape", message: message), path, item)
        }
        if !sightings.isDone {
            sightings.note(
                fields, in: ObjectIdentifier(nested), nested.selection, of: reader.records.batch,
                isTabular: false, raw: item.bytes)
        }
        noteRules(item, nested, reader.records.batch, path: path)
        let misshapen = misshapen(nested.wholes, nested.columns, fields)
        for (whole, failure) in misshapen.refused {
            note(failure, "\(path).\(whole.text)", fields[whole.slot], orIn: item)
        }
        let start = cells.count
        for (cell, column) in nested.columns.enumerated() {
            do throws(CastFailure) {
                cells.append(
                    try value(column, fields, isTabular: false, &batch.rows.arena))
            } catch {
                // Add a null cell, so that the following cells keep their positions.
                cells.append(.null)
                guard !misshapen.rejects(cell) else { continue }
                if let whole = nullWhole(around: cell, nested.wholes, fields) {
                    note(
                        Self.absence(of: column, by: whole), "\(path).\(whole.text)",
                        fields[whole.slot], orIn: item)
                    continue
                }
                let field = column.slot.map { fields[$0] }
                note(error, "\(path).\(column.sourceText)", field, orIn: item)
            }
        }
        for cell in misshapen.emptied { cells[start + cell] = nested.columns[cell].emptyValue }
        for (link, inner) in zip(nested.links, reader.inner) {
            do throws(CastFailure) {
                cells.append(
                    try keys(
                        link, fields, batch, of: reader.records.batch, inner, path: path + "."))
            } catch {
                let field = link.part.slot.map { fields[$0] }
                note(error, "\(path).\(link.part.sourceText)", field, orIn: item)
            }
        }
        // Without any cell, the list could not represent the object.
        if nested.columns.isEmpty, nested.links.isEmpty { cells.append(.absent) }
    }

    /// Notes a fault of an object in the record, or of a field of the object.
    private mutating func note(
        _ failure: CastFailure, _ path: String, _ field: Field?, orIn item: Field? = nil
    ) {
        var failure = failure
        failure.path = path
        let start = field.flatMap { $0.kind == .list ? nil : $0.start } ?? item?.start
        failure.address = start.map { UInt(bitPattern: $0) }
        failure.value = field.flatMap { MappedBatch.text(of: $0) }
        note(failure, nil, path)
    }

    /// Notes the faults by the rules for keys of an object; the reader applied them only to the
    /// record.
    private mutating func noteRules(
        _ item: Field, _ nested: ImportPlan.Nested, _ records: RecordBatch, path: String
    ) {
        if rejectsDuplicateKeys, records.duplicateKeyCount(of: 0) > 0 {
            let failure = CastFailure(code: "duplicate-key", message: Self.duplicateKeyMessage)
            note(failure, path, nil, orIn: item)
        }
        guard rejectsExtra, records.extraFieldCount(of: 0) > 0 else { return }
        let (first, count) = UnmappedFields.names(
            in: item.bytes, nested.selection, shownMax: Self.extraShownMax)
        let names = first.map { "\(path).\($0)" }
        let failure = CastFailure(code: "extra", message: Self.extraMessage(names, of: count))
        note(failure, names.first ?? path, nil, orIn: item)
    }
}
