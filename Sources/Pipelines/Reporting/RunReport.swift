import Diagnostics
import GraphModel

/// The results of a run, as in its report file: `runs/nightly-20261121T030000Z-4711.json`.
///
/// Each attempt of a run writes a separate report, with the totals of all attempts so far. The
/// report of a failed attempt is therefore kept when a later attempt completes the run. The keys
/// are stable: within one `report` version, no key changes its meaning or is removed.
package struct RunReport: Decodable, Sendable, Hashable {
    /// The format version that this release writes.
    package static let currentFormat = 1

    /// The format version of the report.
    package var report = RunReport.currentFormat
    /// The version of etl that wrote the report.
    package var version: String
    /// The name of the spec.
    package var pipeline: String
    /// The ID of the run: its start, and the process ID of its first attempt.
    package var run: String
    /// The path of the spec, with symbolic links resolved if possible.
    package var spec: String
    /// The reject folder that the run replayed, if any.
    package var replay: String?
    /// The selected part of the spec; `nil` for the complete spec.
    package var selection: Selection?
    /// The start of the first attempt, in ISO 8601 and UTC like all times here.
    package var started: String
    /// The end of this attempt.
    package var ended: String
    /// The duration of this attempt in seconds.
    package var secondsElapsed: Double
    /// The number of attempts: 1, or more if the run continued earlier attempts.
    package var attempts: Int
    /// The ID of this attempt, in the format of `run`; `nil` for the first attempt.
    package var attempt: String?
    /// The exit status of this attempt.
    package var exit: Exit
    /// The parameters in the order of the spec; secrets are `***`.
    package var parameters: [Parameter]
    /// The store; `nil` if its path depends on a parameter without a value.
    package var store: Store?
    /// All stages of the spec in order, including stages that did not run.
    package var stages: [Stage]
    /// The objects that all stages together changed, per entity.
    ///
    /// An object that the run inserted and then updated is only inserted.
    package var objects: [ObjectCounts]
    /// The messages on stderr, at most the first 100.
    package var messages: [Message]
    /// The peak memory of the process in bytes.
    package var memoryPeak: Int?
    /// Samples over the time of this attempt; evenly spread, and limited in number.
    package var samples: [RunSample]

    /// The name of this attempt, which follows the pipeline's name in its file names.
    var name: String { attempt ?? run }

    /// The start of this attempt, in ISO 8601.
    var attemptStarted: String {
        attempt.flatMap { RunName.started($0[...]) }.map(ScalarText.isoDate) ?? started
    }

    /// The duration of the stages in all attempts together, in seconds.
    var stageSeconds: Double {
        stages.reduce(0) { $0 + ($1.secondsElapsed ?? 0) + ($1.indexSeconds ?? 0) }
    }

    /// The part of a spec that `--only`, `--from`, and `--limit` selected.
    package struct Selection: Decodable, Sendable, Hashable {
        /// The only stage to run.
        package var only: String?
        /// The first stage to run.
        package var from: String?
        /// The maximum number of records that each import reads.
        package var limit: Int?
    }

    /// The exit status of the process.
    package struct Exit: Decodable, Sendable, Hashable {
        /// The number of the exit status.
        package var code: Int32
        /// The name of the code, such as `DATAERR`.
        package var name: String
        /// The meaning of the exit status, in one sentence.
        package var meaning: String
    }

    /// A parameter of the spec and its value.
    package struct Parameter: Decodable, Sendable, Hashable {
        /// The parameter's name in the spec.
        package var name: String
        /// The parameter's type, such as `path`.
        package var type: String
        /// The parameter's value as text; `***` for a secret.
        package var value: String
    }

    /// The store of the run.
    package struct Store: Decodable, Sendable, Hashable {
        /// The absolute path of the store file.
        package var path: String
        /// The digest of the model's version hashes; `nil` if no model was found.
        package var model: String?
        /// The size of the file after the run, in bytes.
        package var bytes: Int?
    }

    /// How a stage ended in this run.
    package enum State: String, Decodable, Sendable, Hashable {
        case done
        /// Done by an earlier attempt.
        case resumed
        case failed
        /// Interrupted by a signal or a time limit; the next run resumes it.
        case stopped
        /// Finished, but its changes were discarded with the transaction.
        case discarded
        /// Did not run: an earlier stage failed, or the stage was not selected.
        case skipped
    }

    /// One stage of the spec in the report: its name, its state, and its counts.
    package struct Stage: Decodable, Sendable, Hashable {
        /// The name of the stage in the spec.
        package var name: String
        /// The kind: `import`, `update`, `delete`, `export`, or `verify`.
        package var kind: String
        /// The result of the stage in this run; `skipped` if it did not run.
        package var state: State
        /// The entity of the stage; `nil` for `verify`.
        package var entity: String?
        /// The duration in all attempts together, in seconds.
        package var secondsElapsed: Double?
        /// The seconds in which the stage then built its deferred indexes and links; `nil` below
        /// 1 s.
        package var indexSeconds: Double?
        /// Records by result; only for imports.
        package var records: RecordCounts?
        /// The number of records read or rows written, per second.
        package var rowsPerSecond: Double?
        /// The fields of the records that the spec does not map.
        package var extraFields: [FieldCount] = []
        /// The attributes that a column of their name would fill, and that no table has a column
        /// for; `nil` if the stage has read no table.
        package var unfilledAttributes: [String]?
        /// Links without a target object, by relationship; `nil` if none.
        package var missedLinks: [MissedLinks]?
        /// The folder of the missed-link files, if `missing: report` is set.
        package var linksFolder: String?
        /// The rejects by code, with the first rejects of each code; empty if none.
        package var rejects: [RejectTally.Code] = []
        /// The folder of the rejected records.
        package var rejectsFolder: String?
        /// The objects that saves of the stage changed, per entity, in the order of the model.
        package var objects: [ObjectCounts] = []
        /// Counts of the objects nested inside the records of an import; `nil` if none changed.
        package var nested: [ObjectCounts]?
        /// The number of objects that an update or delete matched; `nil` for other kinds.
        package var matched: Int?
        /// The number of objects that an update changed, or that a delete deleted without cascades.
        package var changed: Int?
        /// The number of objects that a mirroring import deleted.
        package var mirrored: Int?
        /// The number of objects that a Deny rule kept.
        package var denied: Int?
        /// The denied objects by the relationship with the rule, such as `Person.tasks`.
        package var deniedBy: [String: Int]?
        /// The objects that were deleted by cascade, by entity.
        package var cascaded: [String: Int]?
        /// The number of objects that lost a link to a deleted object.
        package var nullified: Int?
        /// The number of conditions of a `verify` stage that are met.
        package var verified: Int?
        /// The inputs that were read completely.
        package var inputs: [Input] = []
        /// The file that an export wrote; `nil` for other kinds.
        package var output: Output?
    }

    /// A file that an import has read.
    package struct Input: Decodable, Sendable, Hashable {
        /// The absolute path.
        package var file: String
        /// The stored size in bytes.
        package var bytes: Int
        /// The SHA-256 digest of the content: uncompressed, and in UTF-8.
        package var sha256: String
        /// The number of records, including rejects.
        package var records: Int
    }

    /// A file that an export has written.
    package struct Output: Decodable, Sendable, Hashable {
        /// The absolute path.
        package var file: String
        /// The number of rows, without the header.
        package var rows: Int
        /// The stored size in bytes.
        package var bytes: Int
        /// The number of values exported as null because their files are missing; `nil` if none.
        package var missingFiles: Int?
    }

    /// A message on stderr.
    package struct Message: Decodable, Sendable, Hashable {
        /// The severity: `error`, `warning`, or `note`.
        package var severity: String
        /// The stable code of the message, such as `csv.header`.
        package var code: String
        /// The message as printed, including its location and its fix.
        package var text: String
    }
}

extension RunReport {
    /// Returns the sums of the changes per entity, in order of first occurrence.
    static func sum(_ counts: [ObjectCounts]) -> [ObjectCounts] {
        var sums: [ObjectCounts] = []
        for count in counts {
            guard let place = sums.firstIndex(where: { $0.entity == count.entity }) else {
                sums.append(count)
                continue
            }
            sums[place].inserted += count.inserted
            sums[place].updated += count.updated
            sums[place].deleted += count.deleted
            if let more = count.insertedBefore {
                sums[place].insertedBefore = (sums[place].insertedBefore ?? 0) + more
            }
        }
        return sums
    }

    /// Returns the sums of the changes of all stages of a run.
    ///
    /// Objects that the run inserted are not counted as updated, too.
    static func total(_ counts: [ObjectCounts]) -> [ObjectCounts] {
        sum(counts).map { count in
            var count = count
            count.updated -= count.insertedBefore ?? 0
            count.insertedBefore = nil
            return count
        }
    }

    /// Returns the counts of each entity as text, such as `Items: 1 inserted, 2 updated`.
    static func words(_ counts: [ObjectCounts]) -> [String] {
        counts.map { "\($0.entity): \($0.words)" }
    }

    /// The record counts of all imports together; `nil` if no import ran.
    package var records: RecordCounts? {
        let all = stages.compactMap(\.records)
        guard let first = all.first else { return nil }
        return all.dropFirst().reduce(into: first) { $0.add($1) }
    }

    /// Whether the complete spec ran successfully.
    package var isSuccess: Bool { exit.code == 0 && replay == nil && selection == nil }

    /// The attempt and the part of the spec that ran, for messages.
    ///
    /// It is `nil` for a first attempt of the complete spec.
    var entryText: String? {
        let parts = [attempts > 1 ? "attempt \(attempts)" : nil, partText].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The part of the pipeline that ran; `nil` for the complete pipeline.
    var partText: String? {
        if replay != nil { return "replay of rejects" }
        guard let selection else { return nil }
        let parts = [
            selection.only.map { "\($0) alone" }, selection.from.map { "from \($0) on" },
            selection.limit.map { "at most \(ReportNumbers.several($0, "record")) of each import" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension RunReport.Stage {
    /// The results as a `StageReport`, which describes them in words.
    var stageReport: StageReport {
        var report = StageReport(kind: kind, name: name)
        report.records = records
        report.missedLinks = missedLinks
        report.linksFolder = linksFolder
        report.objects = objects
        report.nested = nested
        report.matched = matched
        report.changed = changed
        report.mirrored = mirrored
        report.denied = denied ?? 0
        report.verified = verified
        report.exported = output.map {
            ExportedFile(
                path: $0.file, rows: $0.rows, bytes: $0.bytes, missingFiles: $0.missingFiles)
        }
        return report
    }

    /// The side effects of a delete on other objects, such as `Step 3, Note 1`, and the rules that
    /// kept matched objects.
    var consequences: [(what: String, text: String)] {
        func list(_ counts: [String: Int]?) -> String {
            (counts ?? [:]).filter { $0.value > 0 }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key) \($0.value.grouped)" }.joined(separator: ", ")
        }
        return [("taken along", list(cascaded)), ("kept by", list(deniedBy))]
            .filter { !$0.1.isEmpty }
            + (nullified.map { [("lost a link", ReportNumbers.several($0, "object"))] } ?? [])
    }
}

extension RecordCounts {
    mutating func add(_ other: RecordCounts) {
        read += other.read
        inserted += other.inserted
        updated += other.updated
        unchanged += other.unchanged
        skipped += other.skipped
        filtered += other.filtered
        superseded += other.superseded
        rejected += other.rejected
        if let other = other.linked { linked = (linked ?? 0) + other }
        if let other = other.replayed { replayed = (replayed ?? 0) + other }
        if let other = other.discarded { discarded = (discarded ?? 0) + other }
        if let other = other.waiting { waiting = (waiting ?? 0) + other }
        if let other = other.blankLines { blankLines = (blankLines ?? 0) + other }
        createdTargets += other.createdTargets
        nulledValues += other.nulledValues
        if let other = other.supersededItems { supersededItems = (supersededItems ?? 0) + other }
    }

    /// The counts of records by result, in display order.
    var ends: [(word: String, count: Int)] {
        [
            ("inserted", inserted), ("updated", updated), ("unchanged", unchanged),
            ("skipped", skipped), ("filtered", filtered), ("superseded", superseded),
        ] + (linked.map { [("linked", $0)] } ?? []) + [("rejected", rejected)]
            + (replayed.map { [("replayed", $0)] } ?? [])
            + (discarded.map { [("discarded", $0)] } ?? [])
            + (waiting.map { [("waiting", $0)] } ?? [])
    }
}
