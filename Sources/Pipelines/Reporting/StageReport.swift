import Diagnostics
import GraphStore

/// The results of a stage.
package struct StageReport: Sendable, Hashable, Decodable {
    /// The kind: `import`, `update`, `delete`, `export`, or `verify`.
    package var kind: String
    /// The name of the stage in the spec.
    package var name: String
    /// The duration in seconds; for an import, of all its attempts together.
    package var secondsElapsed = 0.0
    /// The seconds in which the stage then built its deferred indexes and links; `nil` below 1 s.
    package var indexSeconds: Double?
    /// Records by result; only for imports.
    package var records: RecordCounts?
    /// The fields of the records that the spec does not map, by name; only for imports.
    package var extraFields: [FieldCount] = []
    /// The attributes that a column of their name would fill, and that no table has a column for.
    ///
    /// `nil` if the stage has read no table.
    package var unfilledAttributes: [String]?
    /// Links without a target object, by relationship; `nil` if none.
    package var missedLinks: [MissedLinks]?
    /// The folder of the missed-link files, if `missing: report` is set.
    package var linksFolder: String?
    /// The rejects by code, with the first rejects of each code; `nil` if none.
    package var rejects: RejectTally?
    /// The folder of the rejected records, if any.
    package var rejectsFolder: String?
    /// The objects that saves changed, per entity, in the order of the model.
    package var objects: [ObjectCounts] = []
    /// Counts of the objects nested inside the records of an import; `nil` if none changed.
    package var nested: [ObjectCounts]?
    /// The number of objects that an update or delete matched; `nil` for other kinds.
    package var matched: Int?
    /// The number of objects that an update changed, or that a delete deleted without cascades.
    package var changed: Int?
    /// The number of objects that a mirroring import deleted because no record names them; `nil`
    /// without `mirror`.
    package var mirrored: Int?
    /// The number of objects that a Deny rule kept.
    package var denied = 0
    /// The denied objects by the relationship with the rule, such as `Person.tasks`; `nil` if none.
    package var deniedBy: [String: Int]?
    /// The objects that were deleted by cascade, by entity.
    package var cascaded: [String: Int] = [:]
    /// The number of objects that lost a link to a deleted object.
    package var nullified = 0
    /// The file that an export wrote, with its rows and bytes.
    package var exported: ExportedFile?
    /// The number of conditions of a `verify` stage that are met; `nil` for other stages.
    package var verified: Int?

    /// Creates the report of a stage that has not read or changed anything.
    package init(kind: String, name: String) {
        self.kind = kind
        self.name = name
    }
}

/// A file that an export wrote.
package struct ExportedFile: Sendable, Hashable, Decodable {
    /// The path of the file, the path of the manifest of several parts, or the name of the command.
    package var path: String
    /// The number of rows, without the header.
    package var rows: Int
    /// The stored size in bytes.
    package var bytes: Int
    /// The number of values exported as null because their files are missing; `nil` if none.
    package var missingFiles: Int?
}

/// The number of records that have a field.
package struct FieldCount: Sendable, Hashable, Decodable {
    /// The name of the field in the records.
    package var name: String
    /// The number of records that have the field.
    package var records: Int
}

/// The links of one relationship that have no target, because no object has their keys.
package struct MissedLinks: Sendable, Hashable, Decodable {
    /// The relationship.
    package var relationship: String
    /// The number of links.
    package var count: Int
    /// The first links, such as `tasks.ndjson:7 'nobody'`.
    package var first: [String]

    static let shownMax = 5

    /// The relationship, the number of links, and the first links, as in the log.
    package var line: String {
        let more = count > first.count && !first.isEmpty ? ", …" : ""
        let places = first.isEmpty ? "" : " (\(first.joined(separator: ", "))\(more))"
        return OutputText(
            "without an object in '\(relationship)': \(count.grouped)\(places)"
        ).text
    }
}

/// The number of changed objects of one entity.
package struct ObjectCounts: Sendable, Hashable, Decodable {
    /// The name of the entity; its number if the layout of the store does not contain it.
    package var entity: String
    /// The number of inserted objects.
    package var inserted: Int
    /// The number of existing objects that were updated.
    package var updated: Int
    /// The number of deleted objects, including objects deleted by cascade.
    package var deleted: Int
    /// The number of updated objects that the same run had inserted; `nil` if none.
    package var insertedBefore: Int?
}

/// The records of an import by result.
package struct RecordCounts: Sendable, Hashable, Decodable {
    /// The number of records read, including rejected records.
    package var read = 0
    /// The number of records that created an object.
    package var inserted = 0
    /// The number of records that changed an existing object.
    package var updated = 0
    /// The number of records whose objects already had the same values.
    package var unchanged = 0
    /// The number of records skipped by `when-found: skip` or `missing: skip`.
    package var skipped = 0
    /// The number of records that do not match the `keep-if` of the import.
    package var filtered = 0
    /// The number of records superseded by another record of the import with the same key.
    package var superseded = 0
    /// The number of records whose link the store has, if the import only adds links.
    ///
    /// They are not counted as updated, unchanged, or superseded. `nil` for other imports.
    package var linked: Int?
    /// The number of records that were rejected and not replayed since.
    package var rejected = 0
    /// Rejected records that `etl replay` has saved since; `nil` if none.
    package var replayed: Int?
    /// Records whose objects were discarded with the store of a failed run; `nil` if none.
    package var discarded: Int?
    /// Deferred records of a stage that did not finish, which the next run writes; `nil` if none.
    package var waiting: Int?
    /// Empty lines, which are not records; `nil` if none.
    package var blankLines: Int?
    /// Objects created as link targets; these are not records.
    package var createdTargets = 0
    /// Values that could not be converted to their attributes' types and became null; these are not
    /// records.
    package var nulledValues = 0
    /// Objects inside records that share the key of an earlier object in their list; these are not
    /// records.
    ///
    /// `nil` if none.
    package var supersededItems: Int?

    /// Creates counts of zero.
    package init() {}

    /// Text such as `1 of 5 records was rejected`.
    var rejectedOfRead: String {
        "\(rejected.grouped) of \(ReportNumbers.several(read, "record")) "
            + "\(rejected == 1 ? "was" : "were") rejected"
    }

    /// Whether every record that was read has exactly one result.
    package var isConserved: Bool { read == ended }

    /// The number of records that have a result and are not rejects.
    var saved: Int { ended - rejected - (discarded ?? 0) }

    /// Counts the records that have no result yet as deferred, if the stage did not finish.
    mutating func noteDeferred() {
        waiting = read > ended ? read - ended : nil
    }

    private var ended: Int {
        inserted + updated + unchanged + skipped + filtered + superseded + rejected
            + (linked ?? 0) + (replayed ?? 0) + (discarded ?? 0)
    }

    /// Counts the records whose objects exist as linked, for an import that only adds links.
    ///
    /// Each record is one link, whichever object it updates and however often.
    mutating func noteLinked() {
        linked = updated + unchanged + superseded
        updated = 0
        unchanged = 0
        superseded = 0
    }

    /// Counts rejected records as replayed, after replays have saved them.
    mutating func noteReplayed(_ count: Int) {
        guard count > 0 else { return }
        rejected -= count
        replayed = (replayed ?? 0) + count
    }

    /// Counts the records that changed objects as discarded.
    mutating func discard() {
        discarded = inserted + updated + (linked ?? 0)
        if linked != nil { linked = 0 }
        inserted = 0
        updated = 0
        createdTargets = 0
        nulledValues = 0
    }
}

extension StageReport {
    /// Removes the changes of the stage to a store that was discarded.
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

    /// Sets the counts of the objects nested inside the records.
    ///
    /// - Parameters:
    ///   - entities: The entities of these objects.
    ///   - own: The entity of the records, whose own changes are subtracted.
    mutating func noteNested(_ entities: [String], besides own: String) {
        let changed = objects.filter { entities.contains($0.entity) }.map { count in
            var rest = count
            rest.insertedBefore = nil
            guard count.entity == own, let records else { return rest }
            rest.inserted = max(0, count.inserted - records.inserted)
            rest.updated = max(0, count.updated - records.updated)
            return rest
        }.filter { $0.inserted + $0.updated > 0 }
        nested = changed.isEmpty ? nil : changed
    }

    /// Adds the time in which the stage built its deferred indexes and links, unless it is short.
    mutating func noteIndexes(seconds: Double) {
        if seconds >= 1 { indexSeconds = seconds }
    }

    /// Whether the stage has changed the store.
    var hasChangedObjects: Bool {
        objects.contains { $0.inserted + $0.updated + $0.deleted > 0 }
    }

    /// Returns the results in one line, without zeros, with the state of a failed or stopped stage.
    package func line(_ state: RunReport.State = .done) -> String {
        var time =
            secondsElapsed < 100
            ? "\((secondsElapsed * 100).rounded() / 100) s" : ReportNumbers.duration(secondsElapsed)
        if let indexSeconds { time += ", \(ReportNumbers.indexTime(indexSeconds))" }
        var words = [parts(\.grouped).joined(separator: ", ")].filter { !$0.isEmpty }
        words += RunReport.words(nested ?? [])
        if state != .done { words.append(state.rawValue) }
        return OutputText("\(kind) \(name): \(words.joined(separator: "; ")) (\(time))").text
    }

    /// The columns that nothing reads and the attributes that no column fills, if a table has both.
    ///
    /// Then a column may have another name than its attribute. One without the other is common.
    package var unmatchedColumns: [String] {
        guard let unfilled = unfilledAttributes, !unfilled.isEmpty, !extraFields.isEmpty else {
            return []
        }
        return [
            "nothing reads: \(Suggestion.list(extraFields.map(\.name)))",
            "no column fills: \(Suggestion.list(unfilled))",
        ].map { OutputText($0).text }
    }

    /// The number of objects deleted by cascade.
    var cascadedCount: Int {
        kind == "delete" ? max(0, objects.reduce(0) { $0 + $1.deleted } - (changed ?? 0)) : 0
    }

    /// Returns the results of the stage, without zeros.
    ///
    /// - Parameter number: Formats a number.
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

/// Sums change sets per entity.
struct ObjectTally: Decodable, JSONWritable {
    private struct Counts: Decodable {
        var inserted = 0
        var updated = 0
        var deleted = 0
        /// The number of updated objects that the run had inserted; `nil` if none.
        var insertedBefore: Int?
    }

    /// The counts by entity number.
    private var counts: [Int64: Counts] = [:]

    /// The counts as a list in which each entity number is followed by its counts.
    ///
    /// `Codable` stores dictionaries with keys that are not strings in this way.
    var json: JSONTree {
        let turns = counts.sorted { $0.key < $1.key }.flatMap { number, count in
            [
                number.json,
                .fields([
                    "inserted": count.inserted, "updated": count.updated,
                    "deleted": count.deleted, "insertedBefore": count.insertedBefore,
                ]),
            ]
        }
        return .fields(["counts": turns])
    }

    /// Adds the changes of a save.
    ///
    /// - Parameter keysBefore: the largest keys of the root entities before the run; `nil` if they
    ///   are unknown.
    mutating func add(
        _ change: StoreChange, keysBefore: [Int64: Int64]?, _ schema: StoreLayout
    ) {
        add(change.inserted, to: \.inserted)
        add(change.updated, to: \.updated)
        add(change.deleted, to: \.deleted)
        guard let keysBefore else { return }
        for number in change.updated.entityNumbers {
            guard let root = schema.entity(number: number)?.rootNumber else { continue }
            let count = change.updated.count(entityNumber: number, above: keysBefore[root] ?? 0)
            guard count > 0 else { continue }
            let known = counts[number]?.insertedBefore ?? 0
            counts[number, default: Counts()].insertedBefore = known + count
        }
    }

    private mutating func add(
        _ objects: ManagedObjectIDSet, to count: WritableKeyPath<Counts, Int>
    ) {
        for number in objects.entityNumbers {
            counts[number, default: Counts()][keyPath: count] +=
                objects.count(entityNumber: number)
        }
    }

    func report(_ schema: StoreLayout) -> [ObjectCounts] {
        counts.sorted { $0.key < $1.key }.map { number, count in
            ObjectCounts(
                entity: schema.entity(number: number)?.name ?? "\(number)",
                inserted: count.inserted, updated: count.updated, deleted: count.deleted,
                insertedBefore: count.insertedBefore)
        }
    }
}
