import GraphStore
import RecordStreams

/// Reads the objects in one field of a batch's records, and those inside them.
///
/// It belongs to the batch, whose cells point to bytes that it keeps.
final class NestedReader {
    let records: NestedRecords
    /// For each link of the objects, what reads those in its field.
    let inner: [NestedReader?]

    init(_ nested: ImportPlan.Nested) {
        records = NestedRecords(nested.selection)
        inner = nested.links.map { $0.nested.map { NestedReader($0) } }
    }

    func removeAll() {
        records.removeAll()
        for case let reader? in inner { reader.removeAll() }
    }
}

/// Objects that stand in the record, as a list of their cells, one object behind the other.
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
                try add(item, nested, batch, reader, path: place, to: &cells)
            }
        default:
            // One object where a list could be is a list of one.
            let isInList = link.isToMany
            try add(
                field, nested, batch, reader, path: isInList ? place + "[0]" : place, to: &cells)
        }
        let start = batch.rows.beginList()
        for cell in cells { batch.rows.addItem(cell) }
        return batch.rows.list(from: start)
    }

    /// Adds the cells of one object.
    private mutating func add(
        _ item: Field, _ nested: ImportPlan.Nested, _ batch: MappedBatch, _ reader: NestedReader,
        path: String, to cells: inout [BulkCell]
    ) throws(CastFailure) {
        guard let fields = reader.records.read(item) else {
            throw CastFailure(
                code: "shape", message: "'\(path)' is not an object, but \(ValueCaster.show(item))"
            ).at(path, item)
        }
        try refuse(item, nested, reader.records.batch, path: path)
        let emptied: [Int]
        do throws(Misshapen) {
            emptied = try misshapen(nested.wholes, nested.columns, fields)
        } catch {
            throw error.failure.at(
                "\(path).\(error.whole.text)", fields[error.whole.slot], orIn: item)
        }
        let start = cells.count
        for (cell, column) in nested.columns.enumerated() {
            do throws(CastFailure) {
                cells.append(
                    try value(column, fields, isTabular: false, &batch.rows.arena))
            } catch {
                if let whole = nullWhole(around: cell, nested.wholes, fields) {
                    throw Self.absence(of: column, by: whole)
                        .at("\(path).\(whole.text)", fields[whole.slot], orIn: item)
                }
                let field = column.slot.map { fields[$0] }
                throw error.at("\(path).\(column.sourceText)", field, orIn: item)
            }
        }
        for cell in emptied { cells[start + cell] = nested.columns[cell].emptyValue }
        for (link, inner) in zip(nested.links, reader.inner) {
            do throws(CastFailure) {
                cells.append(
                    try keys(
                        link, fields, batch, of: reader.records.batch, inner, path: path + "."))
            } catch {
                let field = link.part.slot.map { fields[$0] }
                throw error.at("\(path).\(link.part.sourceText)", field, orIn: item)
            }
        }
    }

    /// Refuses an object by the rules about keys, which saw only the record around it.
    private func refuse(
        _ item: Field, _ nested: ImportPlan.Nested, _ records: RecordBatch, path: String
    ) throws(CastFailure) {
        if refusesDuplicateKeys, records.duplicateKeyCount(of: 0) > 0 {
            throw CastFailure(code: "duplicate-key", message: Self.duplicateKeyMessage)
                .at(path, nil, orIn: item)
        }
        guard refusesExtra, records.extraFieldCount(of: 0) > 0 else { return }
        let (first, count) = UnmappedFields.names(
            in: item.bytes, nested.selection, shownMax: Self.extraShownMax)
        let names = first.map { "\(path).\($0)" }
        throw CastFailure(code: "extra", message: Self.extraMessage(names, of: count))
            .at(names.first ?? path, nil, orIn: item)
    }
}

extension CastFailure {
    /// The failure with its place, unless it has one further inside.
    fileprivate func at(_ path: String, _ field: Field?, orIn item: Field? = nil) -> CastFailure {
        guard self.path == nil else { return self }
        var failure = self
        failure.path = path
        let start = field.flatMap { $0.kind == .list ? nil : $0.start } ?? item?.start
        failure.address = start.map { UInt(bitPattern: $0) }
        failure.value = field.flatMap { MappedBatch.text(of: $0) }
        return failure
    }
}
