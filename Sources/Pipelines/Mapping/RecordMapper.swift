import Diagnostics
package import GraphModel
import GraphStore
package import RecordStreams

/// Converts batches of records to batches of rows, by an import's plan.
///
/// It runs on the reading side, concurrently with the writer, and does all work that needs no
/// store.
package struct RecordMapper {
    private let plan: ImportPlan
    let rejectsDuplicateKeys: Bool
    let rejectsExtra: Bool
    var scratch = ImportRowScratch()
    /// The number of values in the current batch that could not be cast and became null.
    private var nulled = 0
    /// The row key of the record, if the plan has one.
    private var rowKey = ""
    /// The faults of the current record.
    private var faults: [FieldFault] = []
    /// The faults of the current record that are not listed; `nil` if there are none.
    private var omitted: (first: FieldFault, count: Int)?
    /// The cells of the current row that have faults.
    private var rejectedCells: Set<Int> = []
    /// The paths of the spec that records had.
    var sightings: PathSightings
    /// Whether no record has had any field that the stage reads.
    private var fitsNothing: Bool
    /// The columns of the current table, and the attributes that they do not fill.
    private var header: (columns: [String], unfilled: [String])?

    /// The condition that stops the mapping of a batch early.
    let stop: (any EvaluationStop)?

    /// Creates a mapper for the inputs of one import.
    ///
    /// - Parameter stop: The condition that stops the mapping of a batch early.
    package init(_ plan: ImportPlan, unless stop: (any EvaluationStop)? = nil) {
        self.plan = plan
        self.stop = stop
        rejectsDuplicateKeys = plan.duplicateKeys != .ignore
        rejectsExtra = plan.extra != .ignore
        sightings = PathSightings(plan.namedPaths)
        fitsNothing = !plan.selection.paths.isEmpty
    }

    /// Fills the batch's rows from its records.
    ///
    /// - Returns: `false` if the mapping was stopped and the batch is unusable.
    @discardableResult
    package mutating func map(_ batch: MappedBatch) -> Bool {
        batch.rows.removeAll()
        batch.rowRecords.removeAll(keepingCapacity: true)
        batch.refused.removeAll()
        batch.rejectedRows.removeAll(keepingCapacity: true)
        batch.rejects.removeAll(keepingCapacity: true)
        batch.rejects.append(contentsOf: batch.records.rejects)
        for case let nested? in batch.nested { nested.removeAll() }
        batch.filtered = 0
        nulled = 0
        if !sightings.isDone, batch.records.count > 0, let columns = batch.columnNames {
            sightings.note(columns: columns, plan.selection)
        }
        batch.unfilled = batch.columnNames.map { unfilledAttributes($0) }
        if scratch.items.capacity > RowBatch.keptItemsMax { scratch.items = [] }
        for record in 0..<batch.records.count {
            let rejects = batch.rejects.count
            map(record, batch)
            // A stopped evaluation has no result, and its record looks like a reject.
            if batch.rejects.count > rejects, stop?.isRaised == true { return false }
        }
        batch.nulled = nulled
        batch.unseen = sightings.unseenNames
        batch.lacking = sightings.lacking
        batch.fitsNothing = fitsNothing
        // Sort the reader's rejects and these rejects in the order of the input.
        if batch.rejects.count > batch.records.rejects.count, !batch.records.rejects.isEmpty {
            batch.rejects.sort { ($0.location.record ?? 0) < ($1.location.record ?? 0) }
        }
        return true
    }

    private mutating func unfilledAttributes(_ columns: [String]) -> [String] {
        if let header, header.columns == columns { return header.unfilled }
        let unfilled = plan.unfilledAttributes(columns: columns)
        header = (columns, unfilled)
        return unfilled
    }

    private mutating func map(_ record: Int, _ batch: MappedBatch) {
        let fields = batch.records.fields(of: record)
        if !batch.rowKeys.isEmpty { rowKey = batch.rowKeys[record] }
        if !sightings.isDone {
            sightings.note(
                fields, in: nil, plan.selection, of: batch.records, isTabular: batch.isTabular,
                raw: batch.records.rawRecord(record))
        }
        if fitsNothing { fitsNothing = fields.allSatisfy { $0.kind == .absent } }
        if rejectsDuplicateKeys, batch.records.duplicateKeyCount(of: record) > 0 {
            note(CastFailure(code: "duplicate-key", message: Self.duplicateKeyMessage), nil, nil)
        }
        if rejectsExtra, batch.records.extraFieldCount(of: record) > 0 {
            noteExtra(record, batch)
        }
        guard passesFilter(record, fields, batch) else { return }
        let nulledBefore = nulled
        // A table has no objects: a column with the name of a composite is unrelated to it.
        let misshapen =
            plan.wholes.isEmpty || batch.isTabular
            ? Misshapen() : misshapen(plan.wholes, plan.columns, fields)
        for (whole, failure) in misshapen.refused {
            note(failure, whole.slot, whole.text)
            rejectedCells.formUnion(whole.columns)
        }
        let row = batch.rows.addRow()
        for (cell, column) in plan.columns.enumerated() {
            do throws(CastFailure) {
                batch.rows[row, cell] = try value(
                    column, fields, isTabular: batch.isTabular, &batch.rows.arena)
            } catch {
                guard !misshapen.rejects(cell) else { continue }
                rejectedCells.insert(cell)
                let whole = batch.isTabular ? nil : nullWhole(around: cell, plan.wholes, fields)
                note(
                    whole.map { Self.absence(of: column, by: $0) } ?? error,
                    whole?.slot ?? column.slot, whole?.text ?? column.sourceText)
            }
        }
        for cell in misshapen.emptied { batch.rows[row, cell] = plan.columns[cell].emptyValue }
        for (index, link) in plan.links.enumerated() {
            batch.nested[index]?.beginRecord()
            do throws(CastFailure) {
                batch.rows[row, plan.columns.count + index] = try keys(
                    link, fields, batch, of: batch.records, batch.nested[index], path: "")
            } catch {
                rejectedCells.insert(plan.columns.count + index)
                let part = scratch.part ?? link.part
                scratch.part = nil
                note(error, part.slot, part.sourceText)
            }
        }
        guard faults.isEmpty else {
            keepRejected(record, row, batch)
            rejectedCells.removeAll(keepingCapacity: true)
            batch.rows.removeLastRow()
            nulled = nulledBefore
            return reject(record, batch)
        }
        batch.rowRecords.append(Int32(record))
    }

    /// Returns whether the rest of a record is mapped, because it meets `keep-if` or has faults.
    private mutating func passesFilter(
        _ record: Int, _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch
    ) -> Bool {
        guard let filter = plan.filter else { return true }
        do {
            let row = RecordRow(fields: fields, isTabular: batch.isTabular, stop: stop)
            // A record with a fault is rejected, whether or not the filter keeps it.
            if try filter.evaluate(row) || !faults.isEmpty { return true }
            batch.filtered += 1
            return false
        } catch {
            let failure = CastFailure(code: "expr", message: "\(error)")
            // A stopped batch is unusable, so the rest of the record need not be mapped.
            guard stop?.isRaised != true else {
                batch.reject(record, failure, slot: nil, field: "keep-if")
                return false
            }
            note(failure, nil, "keep-if")
            return true
        }
    }

    // MARK: Faults

    /// The maximum length of a list in a rejected record; a longer list is dropped and reported.
    private static let rejectedItemsMax = 4096

    /// Keeps the row of a rejected record, so that the writer can find its other faults.
    private mutating func keepRejected(_ record: Int, _ row: Int, _ batch: MappedBatch) {
        var refused = rejectedCells
        for cell in 0..<batch.rows.width {
            let value = batch.rows[row, cell]
            guard value.kind == .list, value.listCount > Self.rejectedItemsMax else { continue }
            batch.rows[row, cell] = .absent
            refused.insert(cell)
            guard cell >= plan.columns.count else { continue }
            let link = plan.links[cell - plan.columns.count]
            let failure = CastFailure(
                code: "link",
                message: "The \(value.listCount) objects of '\(link.name)' were not looked up,"
                    + " because a rejected record has at most \(Self.rejectedItemsMax)")
            note(failure, nil, link.part.sourceText)
        }
        let place = batch.refused.addCopy(of: row, from: batch.rows, copiesBytes: false)
        batch.rejectedRows[batch.records.number(of: record)] = (place, refused)
    }

    /// A fault of a record, and the field that caused it.
    private struct FieldFault {
        var failure: CastFailure
        var slot: Int?
        var field: String?
    }

    /// Notes a fault of the current record.
    ///
    /// The mapping of the record continues, so that all faults are reported together. The number of
    /// faults is limited because a record can hold any number of objects, each with its own faults.
    mutating func note(_ failure: CastFailure, _ slot: Int?, _ field: String?) {
        let fault = FieldFault(failure: failure, slot: slot, field: field)
        guard faults.count < BulkReject.faultsMax else {
            omitted = (omitted?.first ?? fault, (omitted?.count ?? 0) + 1)
            return
        }
        faults.append(fault)
    }

    /// Rejects a record with its faults, and clears them.
    private mutating func reject(_ record: Int, _ batch: MappedBatch) {
        let first = faults.removeFirst()
        var others: [RejectedRecord.Other] = []
        for fault in faults {
            let value = fault.slot.flatMap {
                MappedBatch.text(of: batch.records.fields(of: record)[$0])
            }
            let other = RejectedRecord.Other(
                code: fault.failure.code, field: fault.failure.path ?? fault.field ?? "",
                message: fault.failure.message, value: fault.failure.value ?? value)
            // Several elements of one composite may lack the same object.
            if !others.contains(other) { others.append(other) }
        }
        faults.removeAll(keepingCapacity: true)
        if let (fault, count) = omitted {
            others.append(
                RejectedRecord.Other(
                    code: fault.failure.code, field: "", message: BulkReject.notListed(count),
                    value: nil))
            omitted = nil
        }
        batch.reject(record, first.failure, slot: first.slot, field: first.field, others: others)
    }

    private mutating func noteExtra(_ record: Int, _ batch: MappedBatch) {
        let names: [String]
        let count: Int
        if let columns = batch.extraColumns {
            (names, count) = (Array(columns.prefix(Self.extraShownMax)), columns.count)
        } else {
            (names, count) = UnmappedFields.names(
                in: batch.records.rawRecord(record), plan.selection, shownMax: Self.extraShownMax)
        }
        note(
            CastFailure(code: "extra", message: Self.extraMessage(names, of: count)), nil,
            names.first)
    }

    static let duplicateKeyMessage = "An object of the record has a key twice"
    static let extraShownMax = 5

    /// Returns the message for unmapped fields.
    ///
    /// - Parameter count: The total number of fields, of which `names` are the first.
    static func extraMessage(_ names: [String], of count: Int) -> String {
        let listed = names.map { "'\($0)'" }.joined(separator: ", ")
        guard count > names.count else { return "Nothing maps \(listed)" }
        let more = count - names.count
        return "Nothing maps \(listed), and "
            + (count == UnmappedFields.countMax ? "at least \(more) more" : "\(more) more")
    }

    /// The fields of a record that must be objects because of composites but have another type.
    struct Misshapen {
        /// The columns that become null because the stage allows this for values that cannot be
        /// cast.
        var emptied: [Int] = []
        var refused: [(whole: ImportPlan.Whole, failure: CastFailure)] = []

        /// Returns whether the field around an element is rejected, so that the element itself is
        /// not reported.
        func rejects(_ column: Int) -> Bool {
            refused.contains { $0.whole.columns.contains(column) }
        }
    }

    /// Returns the fields around elements of composites that should be objects but are not.
    mutating func misshapen(
        _ wholes: [ImportPlan.Whole], _ columns: [ImportPlan.Column],
        _ fields: UnsafeBufferPointer<Field>
    ) -> Misshapen {
        var found = Misshapen()
        for whole in wholes {
            let field = fields[whole.slot]
            switch field.kind {
            case .absent, .null: continue
            case .json where field.bytes.first == UInt8(ascii: "{"): continue
            default: break
            }
            let isNulled =
                plan.nullsCasts
                && !whole.columns.contains { columns[$0].isRequired || columns[$0].isNeeded }
            if isNulled {
                nulled += 1
                found.emptied += whole.columns
            } else {
                let message =
                    "'\(whole.text)' is a composite and takes an object, not "
                    + ValueCaster.show(field)
                found.refused.append((whole, CastFailure(message: message)))
            }
        }
        return found
    }

    /// Returns the outermost object that contains a composite's element and is null in the record;
    /// `nil` if none is.
    func nullWhole(
        around column: Int, _ wholes: [ImportPlan.Whole], _ fields: UnsafeBufferPointer<Field>
    ) -> ImportPlan.Whole? {
        wholes.filter { $0.columns.contains(column) && fields[$0.slot].kind == .null }
            .min { $0.text.utf8.count < $1.text.utf8.count }
    }

    /// Returns the failure of an element that must have a value but is inside a null object.
    static func absence(
        of column: ImportPlan.Column, by whole: ImportPlan.Whole
    ) -> CastFailure {
        CastFailure(
            code: column.absenceCode,
            message: "\(column.need), and '\(whole.text)' is null in the record")
    }

    /// Returns the reason why an attribute is null, for messages.
    private static func nullText(
        _ column: ImportPlan.Column, _ field: Field, isTabular: Bool
    ) -> String {
        let source = column.sourceText
        if column.expression != nil { return "its `expr` gives null" }
        // A `map`, for example, can return null.
        if field.kind != .null { return "'\(source)' becomes null" }
        if isTabular { return "'\(source)' is empty in the record" }
        return source == column.name
            ? "the record has null for it" : "'\(source)' is null in the record"
    }

    // MARK: Attributes

    /// Returns the cast value, or null if the cast fails and the stage allows null for that.
    @inline(__always)
    private mutating func cast(
        _ column: ImportPlan.Column, _ field: Field, isTabular: Bool, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        guard plan.nullsCasts, !column.isRequired, !column.isNeeded else {
            return try column.caster.cast(field, isTabular: isTabular, &arena)
        }
        do throws(CastFailure) {
            return try column.caster.cast(field, isTabular: isTabular, &arena)
        } catch {
            guard error.code == "cast" else { throw error }
            nulled += 1
            return .null
        }
    }

    mutating func value(
        _ column: ImportPlan.Column, _ fields: UnsafeBufferPointer<Field>, isTabular: Bool,
        _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        let field: Field
        if let slot = column.slot {
            field = fields[slot]
        } else if let expression = column.expression {
            field = try expression.field(
                RecordRow(fields: fields, isTabular: isTabular, stop: stop), &arena)
        } else if column.isRowKey {
            field = rowKey.isEmpty ? Field(.null) : arena.copy(rowKey)
        } else {
            return column.constant
        }
        let cell = try cast(column, field, isTabular: isTabular, &arena)
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
                throw CastFailure(
                    code: column.absenceCode,
                    message: "\(column.need), and "
                        + Self.nullText(column, field, isTabular: isTabular))
            }
            return cell
        default:
            if let problem = column.validator.problem(with: cell) {
                throw CastFailure(code: "validate", message: problem)
            }
            return cell
        }
    }
}

extension ByteArena {
    /// Returns a text as a field.
    fileprivate mutating func copy(_ text: String) -> Field {
        let count = text.utf8.count
        let target = allocate(max(1, count))
        for (place, byte) in text.utf8.enumerated() { target[place] = byte }
        return Field(.string, start: target, count: count)
    }
}

/// Memory that a mapper reuses for every record.
struct ImportRowScratch {
    var items: [BulkCell] = []
    /// The part of a link's key that is being read, if the key has several.
    var part: ImportPlan.LinkPart?
}

/// A record as a row of the expression language.
package struct RecordRow: EvaluationRow {
    let fields: UnsafeBufferPointer<Field>
    /// Whether fields are text, as in a table; the text is parsed if it is compared with a number.
    let isTabular: Bool
    // Unowned: reference counting costs more than most expressions. The mapper outlives the row.
    /// The condition that stops the evaluation early.
    package unowned(unsafe) let stop: (any EvaluationStop)?

    /// Creates a row that reads a record's fields in place.
    ///
    /// The row neither copies `fields` nor retains `stop`; both must outlive it.
    package init(
        fields: UnsafeBufferPointer<Field>, isTabular: Bool, stop: (any EvaluationStop)? = nil
    ) {
        self.fields = fields
        self.isTabular = isTabular
        self.stop = stop
    }

    /// Returns the field at an index of `fields`; an absent field is null.
    ///
    /// Numbers and text refer to the memory of the field. Text in a table is `untypedText`.
    package func value(at slot: Int) -> EvaluatedValue {
        let field = fields[slot]
        switch field.kind {
        case .absent, .null: return .null
        case .list: return .nested(isList: true)
        case .json: return .nested(isList: field.bytes.first == UInt8(ascii: "["))
        case .true: return .boolean(true)
        case .false: return .boolean(false)
        case .number: return .number(field.bytes)
        case .string: return isTabular ? .untypedText(field.bytes) : .text(field.bytes)
        }
    }
}
