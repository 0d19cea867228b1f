import GraphStore
import RecordStreams

/// The keys in a record's links: one key, a list of keys, or the values of keys with several
/// attributes.
extension RecordMapper {
    /// Returns the keys of a link.
    ///
    /// - Parameters:
    ///   - records: The batch that contains the items of list fields.
    ///   - reader: Reads the objects of a link whose field holds them.
    ///   - path: The prefix of the fields' path if they are inside an object of the record.
    mutating func keys(
        _ link: ImportPlan.Link, _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch,
        of records: RecordBatch, _ reader: NestedReader?, path: String
    ) throws(CastFailure) -> BulkCell {
        if let nested = link.nested, let reader {
            return try elements(link, nested, fields, batch, of: records, reader, path: path)
        }
        guard link.otherParts.isEmpty else {
            return try severalKeys(link, fields, batch, of: records)
        }
        let part = link.part
        let field = try field(part, fields, batch)
        switch field.kind {
        case .absent where part.fallback.kind != .absent,
            .null where part.fallback.kind != .absent:
            return fallback(link, batch)
        case .absent:
            guard !part.isNeeded, !link.isKey else { throw Self.absence(part, of: link) }
            return .absent
        case .null:
            return try noKey(link)
        default:
            break
        }
        guard link.isToMany else {
            let key = try key(part, field, &batch.rows.arena)
            if case .null = key.kind { return try noKey(link) }
            return key
        }
        try collect(part, field, batch, of: records)
        let start = batch.rows.beginList()
        for item in scratch.items {
            if case .null = item.kind { continue }
            batch.rows.addItem(item)
        }
        return batch.rows.list(from: start)
    }

    private func field(
        _ part: ImportPlan.LinkPart, _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch
    ) throws(CastFailure) -> Field {
        if let slot = part.slot { return fields[slot] }
        guard let expression = part.expression else { return Field(.absent) }
        return try expression.field(
            RecordRow(fields: fields, isTabular: batch.isTabular, stop: stop), &batch.rows.arena)
    }

    static func absence(
        _ part: ImportPlan.LinkPart, of link: ImportPlan.Link
    ) -> CastFailure {
        CastFailure(code: link.absenceCode, message: "The record has no '\(part.sourceText)'")
    }

    private func fallback(_ link: ImportPlan.Link, _ batch: MappedBatch) -> BulkCell {
        let fallback = link.part.fallback
        guard link.isToMany, fallback.kind != .null else { return fallback }
        let start = batch.rows.beginList()
        batch.rows.addItem(fallback)
        return batch.rows.list(from: start)
    }

    func noKey(_ link: ImportPlan.Link) throws(CastFailure) -> BulkCell {
        let mayBeEmpty = link.isToMany || !link.isRequired
        guard !link.part.isNeeded, !link.isKey, mayBeEmpty else {
            throw CastFailure(
                code: link.absenceCode,
                message: link.isKey
                    ? "'\(link.name)' is part of the key, and '\(link.part.sourceText)' names no object"
                    : "'\(link.name)' needs an object, and '\(link.part.sourceText)' names none")
        }
        return .null
    }

    // MARK: Several attributes

    /// Returns the values of a key with several attributes; a to-many link has a sequence of keys.
    private mutating func severalKeys(
        _ link: ImportPlan.Link, _ fields: UnsafeBufferPointer<Field>, _ batch: MappedBatch,
        of records: RecordBatch
    ) throws(CastFailure) -> BulkCell {
        var columns: [[BulkCell]] = []
        // An absent part leaves the link unchanged, and a null part clears it.
        var (isAbsent, isNull) = (false, false)
        for part in [link.part] + link.otherParts {
            scratch.part = part
            let field = try field(part, fields, batch)
            switch field.kind {
            case .absent, .null:
                let isMissing = field.kind == .absent && part.fallback.kind == .absent
                if isMissing, part.isNeeded || link.isKey {
                    throw Self.absence(part, of: link)
                }
                if isMissing {
                    isAbsent = true
                } else if part.fallback.kind == .absent {
                    isNull = true
                }
                scratch.items = [part.fallback.kind == .absent ? .null : part.fallback]
            default:
                if link.isToMany {
                    try collect(part, field, batch, of: records)
                } else {
                    scratch.items = [try key(part, field, &batch.rows.arena)]
                }
            }
            columns.append(scratch.items)
        }
        scratch.part = nil
        if isNull {
            return link.isToMany ? batch.rows.list(from: batch.rows.beginList()) : try noKey(link)
        }
        if isAbsent { return .absent }
        let count = columns[0].count
        guard columns.allSatisfy({ $0.count == count }) else {
            let counts = columns.map { "\($0.count)" }.joined(separator: " and ")
            throw CastFailure(
                code: "link",
                message: "The lists that make the keys of '\(link.name)' are not of "
                    + "one length, but of \(counts)")
        }
        return try list(link, columns, count, batch)
    }

    /// Returns the keys as a list; a key with any null part names no object and is skipped.
    private func list(
        _ link: ImportPlan.Link, _ columns: [[BulkCell]], _ count: Int, _ batch: MappedBatch
    ) throws(CastFailure) -> BulkCell {
        let start = batch.rows.beginList()
        var named = 0
        for place in 0..<count {
            let values = columns.map { $0[place] }
            guard values.allSatisfy({ $0.kind != .null }) else { continue }
            for value in values { batch.rows.addItem(value) }
            named += 1
        }
        if named == 0, !link.isToMany { return try noKey(link) }
        return batch.rows.list(from: start)
    }

    // MARK: Values

    /// Returns a single key as a cell, or null if the field contains no key.
    private func key(
        _ part: ImportPlan.LinkPart, _ field: Field, _ arena: inout ByteArena
    ) throws(CastFailure) -> BulkCell {
        if case .string = field.kind, field.count == 0 { return .null }
        let key = try part.caster.cast(field, isTabular: false, &arena)
        // The text may be empty after `clean` or `map`.
        if case .text = key.kind, key.bytes.isEmpty { return .null }
        return key
    }

    /// Collects the keys of a field in `scratch.items`; an item that names no object becomes null.
    private mutating func collect(
        _ part: ImportPlan.LinkPart, _ field: Field, _ batch: MappedBatch, of records: RecordBatch
    ) throws(CastFailure) {
        scratch.items.removeAll(keepingCapacity: true)
        if let separator = part.separator, case .string = field.kind {
            try split(field, separator, part, &batch.rows.arena)
        } else if case .list = field.kind {
            for item in records.items(of: field) {
                try addItem(item, part, &batch.rows.arena)
            }
        } else {
            try addItem(field, part, &batch.rows.arena)
        }
    }

    private mutating func addItem(
        _ field: Field, _ part: ImportPlan.LinkPart, _ arena: inout ByteArena
    ) throws(CastFailure) {
        switch field.kind {
        case .null, .absent:
            scratch.items.append(.null)
            return
        case .json:
            throw CastFailure(
                message: "'\(part.sourceText)' is a nested value; name its items, as in"
                    + " '\(part.sourceText)[*]'")
        default: break
        }
        scratch.items.append(try key(part, field, &arena))
    }

    private mutating func split(
        _ field: Field, _ separator: [UInt8], _ part: ImportPlan.LinkPart, _ arena: inout ByteArena
    ) throws(CastFailure) {
        var pieces = TextPieces(of: field.bytes, cutAt: separator)
        while let piece = pieces.next() {
            let bytes = piece.bytes(in: &arena)
            let item = Field(.string, start: bytes.baseAddress, count: bytes.count)
            try addItem(item, part, &arena)
        }
    }
}
