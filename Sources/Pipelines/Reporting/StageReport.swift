import GraphStore

/// What a stage did.
package struct StageReport: Sendable, Hashable, Codable {
    /// `import`, `update`, `delete`, `export` or `verify`.
    package var kind: String
    package var name: String
    package var secondsElapsed = 0.0
    /// Records by what became of them; imports alone.
    package var records: RecordCounts?
    /// Fields of the records that nothing maps, by name; imports alone.
    package var extraFields: [FieldCount] = []
    /// Where the rejected records are, if there are any.
    package var rejectsFolder: String?
    /// Objects that a save changed, per entity, in the order of the model.
    package var objects: [ObjectCounts] = []
    /// Objects that an update or delete matched, and of those the ones it changed.
    package var matched: Int?
    package var changed: Int?
    /// Objects that a mirroring import deleted because no record names them; nil without `mirror`.
    package var mirrored: Int?
    /// Objects that a Deny rule kept.
    package var denied = 0
    /// Objects of each entity that a delete took along.
    package var cascaded: [String: Int] = [:]
    /// Objects that lost a link to a deleted one.
    package var nullified = 0
    /// Rows that an export wrote, to which file and how many bytes.
    package var exported: ExportedFile?
    /// Statements that hold.
    package var verified: Int?

    package init(kind: String, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// A file that an export made.
package struct ExportedFile: Sendable, Hashable, Codable {
    package var path: String
    package var rows: Int
    package var bytes: Int
}

/// How many records have a field.
package struct FieldCount: Sendable, Hashable, Codable {
    package var name: String
    package var records: Int
}

/// Objects of one entity that were changed.
package struct ObjectCounts: Sendable, Hashable, Codable {
    package var entity: String
    package var inserted: Int
    package var updated: Int
    package var deleted: Int
}

/// Records of an import by what became of them.
package struct RecordCounts: Sendable, Hashable, Codable {
    package var read = 0
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    package var skipped = 0
    package var filtered = 0
    package var superseded = 0
    package var rejected = 0
    /// Objects made because a link named them; no records.
    package var createdTargets = 0
    /// Values that were none of their attributes and became null; no records.
    package var nulledValues = 0

    package init() {}

    /// The number with commas between thousands.
    static func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number).reversed().enumerated() {
            if place > 0, place % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// Whether every record that was read came to exactly one end.
    package var isConserved: Bool {
        read == inserted + updated + unchanged + skipped + filtered + superseded + rejected
    }
}

extension StageReport {
    /// The stage in one line, zeros left out.
    package var line: String {
        var parts: [String] = []
        if let records {
            parts.append("\(records.read) read")
            let ends = [
                (records.inserted, "inserted"), (records.updated, "updated"),
                (records.unchanged, "unchanged"), (records.skipped, "skipped"),
                (records.filtered, "filtered"),
                (records.superseded, "superseded"), (records.rejected, "rejected"),
                (records.createdTargets, "link targets created"),
                (records.nulledValues, "values made null"),
            ]
            parts += ends.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        }
        if let mirrored, mirrored > 0 { parts.append("\(mirrored) deleted") }
        if let matched, let changed {
            parts.append("\(matched) matched")
            parts.append("\(changed) \(kind == "delete" ? "deleted" : "updated")")
        }
        if kind == "delete" {
            let cascaded = objects.reduce(0) { $0 + $1.deleted } - (changed ?? 0)
            if cascaded > 0 { parts.append("\(cascaded) more by cascade") }
            if denied > 0 { parts.append("\(denied) kept by a deny rule") }
        }
        if let verified {
            parts.append("\(verified) \(verified == 1 ? "statement holds" : "statements hold")")
        }
        if let exported { parts.append("\(exported.rows) rows to \(exported.path)") }
        let seconds = (secondsElapsed * 100).rounded() / 100
        return "\(kind) \(name): \(parts.joined(separator: ", ")) (\(seconds) s)"
    }
}

/// Adds up change sets, per entity.
struct ObjectTally: Codable {
    private struct Counts: Codable {
        var inserted = 0
        var updated = 0
        var deleted = 0
    }

    private var counts: [Int64: Counts] = [:]

    mutating func add(_ change: StoreChange) {
        for number in change.inserted.ranges.keys {
            counts[number, default: Counts()].inserted +=
                change.inserted.count(entityNumber: number)
        }
        for number in change.updated.ranges.keys {
            counts[number, default: Counts()].updated +=
                change.updated.count(entityNumber: number)
        }
        for number in change.deleted.ranges.keys {
            counts[number, default: Counts()].deleted +=
                change.deleted.count(entityNumber: number)
        }
    }

    func report(_ schema: StoreSchema) -> [ObjectCounts] {
        counts.sorted { $0.key < $1.key }.map { number, count in
            ObjectCounts(
                entity: schema.entity(number: number)?.name ?? "\(number)",
                inserted: count.inserted, updated: count.updated, deleted: count.deleted)
        }
    }
}
