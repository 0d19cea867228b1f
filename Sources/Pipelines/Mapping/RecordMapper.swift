import Diagnostics
import GraphModel
import GraphStore
import RecordStreams

/// Turns batches of records into batches of rows, by an import's plan.
///
/// Runs on the reading side, beside the writer: everything that needs no store happens here.
struct RecordMapper {
    private let plan: ImportPlan
    private var scratch = ImportRowScratch()
    /// The paths that no record has had yet.
    private(set) var unseen: [ImportPlan.NamedPath]

    init(_ plan: ImportPlan) {
        self.plan = plan
        unseen = plan.namedPaths
    }

    /// Fills the batch's rows from its records.
    mutating func map(_ batch: MappedBatch) {
        batch.rows.removeAll()
        batch.rowRecords.removeAll(keepingCapacity: true)
        batch.rejects.removeAll(keepingCapacity: true)
        batch.rejects.append(contentsOf: batch.records.rejects)
        batch.filtered = 0
        for record in 0..<batch.records.count {
            map(record, batch)
        }
        // The reader's rejects and these, in the order of the input.
        if batch.rejects.count > batch.records.rejects.count, !batch.records.rejects.isEmpty {
            batch.rejects.sort { ($0.location.record ?? 0) < ($1.location.record ?? 0) }
        }
    }

    private mutating func map(_ record: Int, _ batch: MappedBatch) {
        let fields = batch.records.fields(of: record)
        if !unseen.isEmpty { unseen.removeAll { fields[$0.slot].kind != .absent } }
        if plan.duplicateKeys != .ignore, batch.records.duplicateKeyCount(of: record) > 0 {
            return batch.reject(
                record, "duplicate-key", slot: nil, field: nil,
                "An object of the record has a key twice")
        }
        if plan.extra != .ignore, batch.records.extraFieldCount(of: record) > 0 {
            return rejectExtra(record, batch)
        }
        if let filter = plan.filter {
            do {
                guard try filter.evaluate(RecordRow(fields: fields, isTabular: batch.isTabular))
                else {
                    batch.filtered += 1
                    return
                }
            } catch {
                return batch.reject(record, "expr", slot: nil, field: nil, "\(error)")
            }
        }
        let row = batch.rows.addRow()
        for cell in plan.columns.indices {
            let column = plan.columns[cell]
            do throws(CastFailure) {
                batch.rows[row, cell] = try value(
                    column, fields, isTabular: batch.isTabular, &batch.rows.arena)
            } catch {
                batch.rows.removeLastRow()
                return batch.reject(
                    record, error.code, slot: column.slot, field: column.sourceText, error.message)
            }
        }
        for index in plan.links.indices {
            let link = plan.links[index]
            do throws(CastFailure) {
                batch.rows[row, plan.columns.count + index] = try keys(link, fields, batch)
            } catch {
                batch.rows.removeLastRow()
                return batch.reject(
                    record, error.code, slot: link.slot, field: link.sourceText, error.message)
            }
        }
        batch.rowRecords.append(Int32(record))
    }

    private func rejectExtra(_ record: Int, _ batch: MappedBatch) {
        let names =
            batch.extraColumns
            ?? UnmappedFields.names(in: batch.records.rawRecord(record), plan.selection)
        let listed = names.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        batch.reject(
            record, "extra", slot: nil, field: names.first,
            "Nothing maps \(listed)" + (names.count > 5 ? " and \(names.count - 5) more" : ""))
    }

    // MARK: Attributes

    private func value(
        _ column: ImportPlan.Column, _ fields: UnsafeBufferPointer<Field>, isTabular: Bool,
        _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        let field: Field
        if let slot = column.slot {
            field = fields[slot]
        } else if let expression = column.expression {
            field = try expression.field(RecordRow(fields: fields, isTabular: isTabular), &arena)
        } else {
            return column.constant
        }
        let cell = try column.caster.cast(field, isTabular: isTabular, &arena)
        switch cell.kind {
        case .absent:
            if column.absentValue.kind != .absent { return column.absentValue }
            guard !column.isNeeded else {
                throw CastFailure(
                    code: column.absenceCode, message: "The record has no '\(column.sourceText)'")
            }
            return cell
        case .null:
            if column.constant.kind != .absent { return column.constant }
            guard !column.isRequired, !column.isNeeded else {
                let origin = column.expression == nil ? "'\(column.sourceText)'" : "its `expr`"
                throw CastFailure(
                    code: column.absenceCode,
                    message: "'\(column.name)' may not be null, and \(origin) is")
            }
            return cell
        default:
            if let problem = column.validator.problem(with: cell) {
                throw CastFailure(code: "validate", message: problem)
            }
            return cell
        }
    }

    // MARK: Links

    private mutating func keys(
        _ link: ImportPlan.Link, _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch
    ) throws(CastFailure) -> BulkCell {
        let field: Field
        if let slot = link.slot {
            field = fields[slot]
        } else if let expression = link.expression {
            field = try expression.field(
                RecordRow(fields: fields, isTabular: batch.isTabular), &batch.rows.arena)
        } else {
            return .absent
        }
        switch field.kind {
        case .absent where link.fallback.kind != .absent,
            .null where link.fallback.kind != .absent:
            return fallback(link, batch)
        case .absent:
            guard !link.isNeeded else {
                throw CastFailure(
                    code: "required", message: "The record has no '\(link.sourceText)'")
            }
            return .absent
        case .null:
            return try noKey(link)
        default:
            break
        }
        guard link.isToMany else { return try key(link, field, &batch.rows.arena) }
        scratch.items.removeAll(keepingCapacity: true)
        if let separator = link.separator, field.kind == .string {
            try split(field, separator, link, &batch.rows.arena)
        } else if field.kind == .list {
            for item in batch.records.items(of: field) {
                try addItem(item, link, &batch.rows.arena)
            }
        } else {
            try addItem(field, link, &batch.rows.arena)
        }
        let start = batch.rows.beginList()
        for item in scratch.items { batch.rows.addItem(item) }
        return batch.rows.list(from: start)
    }

    private func fallback(_ link: ImportPlan.Link, _ batch: MappedBatch) -> BulkCell {
        guard link.isToMany, link.fallback.kind != .null else { return link.fallback }
        let start = batch.rows.beginList()
        batch.rows.addItem(link.fallback)
        return batch.rows.list(from: start)
    }

    private func noKey(_ link: ImportPlan.Link) throws(CastFailure) -> BulkCell {
        guard !link.isNeeded, link.isToMany || !link.isRequired else {
            throw CastFailure(
                code: "required",
                message: "'\(link.name)' needs an object, and '\(link.sourceText)' names none")
        }
        return .null
    }

    private func key(
        _ link: ImportPlan.Link, _ field: Field, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        if field.kind == .string, field.count == 0 { return try noKey(link) }
        let key = try link.caster.cast(field, isTabular: false, &arena)
        // What is left of a text after `clean`, or what a `map` makes of it.
        if key.kind == .null || (key.kind == .text && key.bytes.isEmpty) { return try noKey(link) }
        return key
    }

    private mutating func addItem(
        _ field: Field, _ link: ImportPlan.Link, _ arena: inout ByteArena
    ) throws(CastFailure) {
        if field.kind == .null || field.kind == .absent { return }
        if field.kind == .string, field.count == 0 { return }
        if field.kind == .json {
            throw CastFailure(
                message: "'\(link.sourceText)' is a nested value; name its items, as in"
                    + " '\(link.sourceText)[*]'")
        }
        let key = try link.caster.cast(field, isTabular: false, &arena)
        if key.kind == .null || (key.kind == .text && key.bytes.isEmpty) { return }
        scratch.items.append(key)
    }

    private mutating func split(
        _ field: Field, _ separator: [UInt8], _ link: ImportPlan.Link, _ arena: inout ByteArena
    ) throws(CastFailure) {
        let bytes = field.bytes
        var start = 0
        var position = 0
        while position <= bytes.count {
            let isEnd = position == bytes.count
            let isCut =
                !isEnd && position + separator.count <= bytes.count
                && bytes[position..<(position + separator.count)].elementsEqual(separator)
            guard isEnd || isCut else {
                position += 1
                continue
            }
            let piece = field.slice(start..<position)
            try addItem(piece, link, &arena)
            position += isEnd ? 1 : separator.count
            start = position
        }
    }
}

/// Memory that a mapper uses again for every record.
private struct ImportRowScratch {
    var items: [BulkCell] = []
}

/// A record as the expression language sees it.
struct RecordRow: EvaluationRow {
    let fields: UnsafeBufferPointer<Field>
    /// A field of a table is text, and is read as a number where it is compared with one.
    let isTabular: Bool

    func value(at slot: Int) -> EvaluatedValue {
        let field = fields[slot]
        switch field.kind {
        case .absent, .null, .list, .json: return .null
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number: return .number(field.bytes)
        case .string: return isTabular ? .untypedText(field.bytes) : .text(field.bytes)
        }
    }
}
