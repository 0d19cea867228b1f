import Diagnostics
import GraphStore

/// What a stage did.
package struct StageReport: Sendable, Hashable, Decodable {
    /// `import`, `update`, `delete`, `export` or `verify`.
    package var kind: String
    package var name: String
    package var secondsElapsed = 0.0
    /// Records by what became of them; imports alone.
    package var records: RecordCounts?
    /// Fields of the records that nothing maps, by name; imports alone.
    package var extraFields: [FieldCount] = []
    /// Links that records went without, by relationship; nil where there are none.
    package var missedLinks: [MissedLinks]?
    /// Where the files of these links are, if `missing: report` wants them.
    package var linksFolder: String?
    /// The rejects by code, with the first of each; nil where there are none.
    package var rejects: RejectTally?
    /// Where the rejected records are, if there are any.
    package var rejectsFolder: String?
    /// Objects that a save changed, per entity, in the order of the model.
    package var objects: [ObjectCounts] = []
    /// Those of them that stand inside the records of an import; nil for no changes.
    package var nested: [ObjectCounts]?
    /// Objects that an update or delete matched, and of those the ones it changed.
    package var matched: Int?
    package var changed: Int?
    /// Objects that a mirroring import deleted because no record names them; nil without `mirror`.
    package var mirrored: Int?
    /// Objects that a Deny rule kept.
    package var denied = 0
    /// These by the relationship whose rule it is, such as `Person.tasks`; nil where there are none.
    package var deniedBy: [String: Int]?
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
package struct ExportedFile: Sendable, Hashable, Decodable {
    package var path: String
    package var rows: Int
    package var bytes: Int
    /// Values exported as null because their files are missing; nil if there are none.
    package var missingFiles: Int?
}

/// How many records have a field.
package struct FieldCount: Sendable, Hashable, Decodable {
    package var name: String
    package var records: Int
}

/// Links of one relationship that records went without, since no object had their keys.
package struct MissedLinks: Sendable, Hashable, Decodable {
    /// The relationship.
    package var relationship: String
    /// How many.
    package var count: Int
    /// The first of them, such as `tasks.ndjson:7 'nobody'`.
    package var first: [String]

    static let shownMax = 5

    /// The relationship with the number and the first of them, as the log shows it.
    package var line: String {
        let more = count > first.count && !first.isEmpty ? ", …" : ""
        let places = first.isEmpty ? "" : " (\(first.joined(separator: ", "))\(more))"
        return OutputText(
            "without an object in '\(relationship)': \(ReportWords.count(count))\(places)"
        ).text
    }
}

/// Objects of one entity that were changed.
package struct ObjectCounts: Sendable, Hashable, Decodable {
    package var entity: String
    package var inserted: Int
    package var updated: Int
    package var deleted: Int
}

/// Records of an import by what became of them.
package struct RecordCounts: Sendable, Hashable, Decodable {
    package var read = 0
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    package var skipped = 0
    package var filtered = 0
    package var superseded = 0
    package var rejected = 0
    /// Records that were rejected, and that `etl replay` has saved since; nil where there are none.
    package var replayed: Int?
    /// Records whose objects were thrown away with a store that came to nothing; nil where that
    /// did not happen.
    package var discarded: Int?
    /// Records of a stage that did not come to its end, to which the next run gives theirs; nil
    /// where there are none.
    package var waiting: Int?
    /// Lines without anything in them; no records; nil where there are none.
    package var blankLines: Int?
    /// Objects made because a link named them; no records.
    package var createdTargets = 0
    /// Values that were none of their attributes and became null; no records.
    package var nulledValues = 0
    /// Objects inside records with the key of an earlier one in their list; no records; nil where
    /// there are none.
    package var supersededItems: Int?

    package init() {}

    /// `1 of 5 records was rejected`.
    var rejectedOfRead: String {
        "\(Self.grouped(rejected)) of \(ReportWords.several(read, "record")) "
            + "\(rejected == 1 ? "was" : "were") rejected"
    }

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
    package var isConserved: Bool { read == ended }

    /// Takes note of the records that have come to no end, where the stage came to none.
    mutating func noteWaiting() {
        waiting = read > ended ? read - ended : nil
    }

    private var ended: Int {
        inserted + updated + unchanged + skipped + filtered + superseded + rejected
            + (replayed ?? 0) + (discarded ?? 0)
    }

    /// Notes that records which were rejected have been saved by replays.
    mutating func noteReplayed(_ count: Int) {
        guard count > 0 else { return }
        rejected -= count
        replayed = (replayed ?? 0) + count
    }

    /// Counts what changed objects as discarded.
    mutating func discard() {
        discarded = inserted + updated
        inserted = 0
        updated = 0
        createdTargets = 0
        nulledValues = 0
    }
}

extension StageReport {
    /// Takes out what the stage did to a store that was thrown away.
    mutating func discard() {
        records?.discard()
        objects = []
        nested = nil
        changed = nil
        mirrored = nil
        denied = 0
        deniedBy = nil
        cascaded = [:]
        nullified = 0
    }

    /// Notes what became of the objects inside the records.
    ///
    /// - Parameters:
    ///   - entities: those of these objects.
    ///   - own: the entity of the records, whose own changes are counted with these.
    mutating func noteNested(_ entities: [String], besides own: String) {
        let changed = objects.filter { entities.contains($0.entity) }.map { count in
            guard count.entity == own, let records else { return count }
            var rest = count
            rest.inserted = max(0, count.inserted - records.inserted)
            rest.updated = max(0, count.updated - records.updated)
            return rest
        }.filter { $0.inserted + $0.updated > 0 }
        nested = changed.isEmpty ? nil : changed
    }

    /// Whether anything in the store is other than before.
    var hasChangedObjects: Bool {
        objects.contains { $0.inserted + $0.updated + $0.deleted > 0 }
    }

    /// The stage in one line, zeros left out.
    package var line: String { line(.done) }

    /// The same of a stage that may have failed, or been stopped, with what it came to by then.
    package func line(_ state: RunReport.State) -> String {
        let time =
            secondsElapsed < 100
            ? "\((secondsElapsed * 100).rounded() / 100) s" : ReportWords.duration(secondsElapsed)
        var words = [parts(RecordCounts.grouped).joined(separator: ", ")].filter { !$0.isEmpty }
        words += RunReport.words(nested ?? [])
        if state != .done { words.append(state.rawValue) }
        return OutputText("\(kind) \(name): \(words.joined(separator: "; ")) (\(time))").text
    }

    /// Objects that a delete took along.
    var cascadedCount: Int {
        kind == "delete" ? max(0, objects.reduce(0) { $0 + $1.deleted } - (changed ?? 0)) : 0
    }

    /// What the stage did, zeros left out.
    ///
    /// - Parameter number: how a number is shown.
    func parts(_ number: (Int) -> String) -> [String] {
        var parts: [String] = []
        func add(_ count: Int?, _ word: String) {
            if let count, count > 0 { parts.append("\(number(count)) \(word)") }
        }
        if let records {
            parts.append("\(number(records.read)) read")
            for end in records.ends { add(end.count, end.word) }
            let (targets, nulled) = (records.createdTargets, records.nulledValues)
            add(targets, "\(targets == 1 ? "link target" : "link targets") created")
            let items = records.supersededItems
            add(items, "nested \(items == 1 ? "object" : "objects") superseded")
            add(nulled, "\(nulled == 1 ? "value" : "values") made null")
            let missed = missedLinks?.reduce(0) { $0 + $1.count }
            add(missed, "\(missed == 1 ? "link" : "links") without an object")
            let blank = records.blankLines
            add(blank, "\(blank == 1 ? "blank line" : "blank lines")")
        }
        add(mirrored, "deleted")
        if let matched { parts.append("\(number(matched)) matched") }
        if let changed {
            parts.append("\(number(changed)) \(kind == "delete" ? "deleted" : "updated")")
        }
        add(cascadedCount, "more by cascade")
        add(denied, "kept by a deny rule")
        if let verified {
            parts.append(
                "\(number(verified)) \(verified == 1 ? "statement holds" : "statements hold")")
        }
        if let exported {
            let rows = "\(number(exported.rows)) \(exported.rows == 1 ? "row" : "rows")"
            parts.append("\(rows) to \(exported.path)")
            if let count = exported.missingFiles {
                parts.append("\(number(count)) missing \(count == 1 ? "file" : "files") as null")
            }
        }
        return parts
    }
}

/// Adds up change sets, per entity.
struct ObjectTally: Decodable, JSONWritable {
    private struct Counts: Decodable {
        var inserted = 0
        var updated = 0
        var deleted = 0
    }

    /// By the number of their entity.
    private var counts: [Int64: Counts] = [:]

    /// Numbers and counts in turn, as dictionaries whose keys are no text are read.
    var json: JSONTree {
        let turns = counts.sorted { $0.key < $1.key }.flatMap { number, count in
            [
                number.json,
                .fields([
                    "inserted": count.inserted, "updated": count.updated,
                    "deleted": count.deleted,
                ]),
            ]
        }
        return .fields(["counts": turns])
    }

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

    func report(_ schema: StoreLayout) -> [ObjectCounts] {
        counts.sorted { $0.key < $1.key }.map { number, count in
            ObjectCounts(
                entity: schema.entity(number: number)?.name ?? "\(number)",
                inserted: count.inserted, updated: count.updated, deleted: count.deleted)
        }
    }
}
