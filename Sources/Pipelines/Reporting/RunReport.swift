/// What a run did, as its report file says it: `runs/nightly-20261121T030000Z-4711.json`.
///
/// Each attempt of a run writes its own report, with the totals of all attempts so far. So the report
/// of a failed attempt stays when a later one completes the run. The keys are a promise: within one
/// `report` version, no key changes its meaning or is removed.
package struct RunReport: Decodable, Sendable, Hashable {
    /// The version of the format that this etl writes.
    package static let currentFormat = 1

    /// The version of the format.
    package var report = RunReport.currentFormat
    /// The version of the etl that ran.
    package var version: String
    /// The name of the spec.
    package var pipeline: String
    /// Names the run: its start, and the process of its first attempt.
    package var run: String
    /// The spec's file, without links where it has any.
    package var spec: String
    /// The folder of rejects that the run replayed, where it did.
    package var replay: String?
    /// The part of the spec that was asked for; nil where that is all of it.
    package var selection: Selection?
    /// When the first attempt began, in ISO 8601 and UTC like all times here.
    package var started: String
    /// When this attempt ended.
    package var ended: String
    /// How long this attempt took.
    package var secondsElapsed: Double
    /// 1, or more if the run continued what earlier attempts had left.
    package var attempts: Int
    /// Names this attempt as `run` names the first one; `nil` for the first attempt.
    package var attempt: String?
    /// How this attempt ended.
    package var exit: Exit
    /// The parameters in the order of the spec, secrets as `***`.
    package var parameters: [Parameter]
    /// The store; nil where its path is not known without a parameter.
    package var store: Store?
    /// All stages of the spec in their order, those that did not run, too.
    package var stages: [Stage]
    /// Objects that were changed, per entity, by all stages together.
    package var objects: [ObjectCounts]
    /// What was told on stderr, the first hundred of them.
    package var messages: [Message]
    /// The most memory that the process had, in bytes.
    package var memoryPeak: Int?
    /// How this attempt came along; few and evenly spread, however long it took.
    package var samples: [RunSample]

    /// The name of this attempt, which its files have after the pipeline's.
    var name: String { attempt ?? run }

    /// When this attempt began, in ISO 8601.
    var attemptStarted: String {
        attempt.flatMap { RunName.started($0[...]) }.map(TimeText.iso) ?? started
    }

    /// How long the stages took in all attempts together.
    var stageSeconds: Double { stages.reduce(0) { $0 + ($1.secondsElapsed ?? 0) } }

    /// What `--only`, `--from` and `--limit` left of a spec.
    package struct Selection: Decodable, Sendable, Hashable {
        /// The only stage that was to run.
        package var only: String?
        /// The first stage that was to run.
        package var from: String?
        /// Records that each import was to read at most.
        package var limit: Int?
    }

    /// How the process ended.
    package struct Exit: Decodable, Sendable, Hashable {
        /// The exit status.
        package var code: Int32
        /// The name of the code, such as `DATAERR`.
        package var name: String
        /// What the code says, in one sentence.
        package var meaning: String
    }

    /// A parameter of the spec with its value.
    package struct Parameter: Decodable, Sendable, Hashable {
        /// Its name in the spec.
        package var name: String
        /// Its kind, such as `path`.
        package var type: String
        /// Its value as text, `***` for a secret.
        package var value: String
    }

    /// The store that the stages worked on.
    package struct Store: Decodable, Sendable, Hashable {
        package var path: String
        /// The digest of the model's version hashes; nil where no model was found.
        package var model: String?
        /// The size of the file after the run.
        package var bytes: Int?
    }

    /// What became of a stage.
    package enum State: String, Decodable, Sendable, Hashable {
        case done
        /// Done by an earlier attempt.
        case resumed
        case failed
        /// Interrupted by a signal or a time limit; the next run goes on.
        case stopped
        /// It came to its end, and what it did was thrown away with all others of its transaction.
        case discarded
        /// It did not run: an earlier one failed, or it was not asked for.
        case skipped
    }

    /// A stage with what it did.
    package struct Stage: Decodable, Sendable, Hashable {
        package var name: String
        package var kind: String
        package var state: State
        /// What the stage is about; nil for `verify`.
        package var entity: String?
        /// In all attempts together.
        package var secondsElapsed: Double?
        /// Records by what became of them; imports alone.
        package var records: RecordCounts?
        /// Records read, or rows written, per second.
        package var rowsPerSecond: Double?
        /// Fields of the records that nothing maps.
        package var extraFields: [FieldCount] = []
        /// Links that records went without, by relationship; nil where there are none.
        package var missedLinks: [MissedLinks]?
        /// Where the files of these links are, if `missing: report` wants them.
        package var linksFolder: String?
        package var rejects: [RejectTally.Code] = []
        /// Where the rejected records are.
        package var rejectsFolder: String?
        package var objects: [ObjectCounts] = []
        /// Those of them that stand inside the records of an import; nil for no changes.
        package var nested: [ObjectCounts]?
        /// Objects that an update or delete matched, and of those the ones it changed.
        package var matched: Int?
        package var changed: Int?
        /// Objects that a mirroring import deleted.
        package var mirrored: Int?
        /// Objects that a Deny rule kept.
        package var denied: Int?
        /// These by the relationship whose rule it is, such as `Person.tasks`.
        package var deniedBy: [String: Int]?
        /// Objects that a delete took along, by entity.
        package var cascaded: [String: Int]?
        /// Objects that lost a link to a deleted one.
        package var nullified: Int?
        /// Statements that hold.
        package var verified: Int?
        /// The inputs that were read to their end.
        package var inputs: [Input] = []
        package var output: Output?
    }

    /// A file that an import has read.
    package struct Input: Decodable, Sendable, Hashable {
        /// Its absolute path.
        package var file: String
        /// As stored.
        package var bytes: Int
        /// Of the text in it: inflated, and in UTF-8.
        package var sha256: String
        /// Records in it, rejected ones included.
        package var records: Int
    }

    /// A file that an export has made.
    package struct Output: Decodable, Sendable, Hashable {
        /// Its absolute path.
        package var file: String
        /// Rows in it, without a header.
        package var rows: Int
        /// As stored.
        package var bytes: Int
        /// Values exported as null because their files are missing; nil if there are none.
        package var missingFiles: Int?
    }

    /// Something that was told on stderr.
    package struct Message: Decodable, Sendable, Hashable {
        /// `error`, `warning` or `note`.
        package var severity: String
        package var code: String
        /// As it was shown, place and fix included.
        package var text: String
    }
}

extension RunReport {
    /// Adds up what stages changed, per entity, in the order in which they come.
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
        }
        return sums
    }

    /// What became of the objects of each entity, such as `Items: 1 inserted, 2 updated`.
    static func words(_ counts: [ObjectCounts]) -> [String] {
        counts.map { "\($0.entity): \($0.words)" }
    }

    /// The records of all imports together; nil where none ran.
    package var records: RecordCounts? {
        let all = stages.compactMap(\.records)
        guard let first = all.first else { return nil }
        return all.dropFirst().reduce(into: first) { $0.add($1) }
    }

    /// Whether the whole spec ran well, so that its pipeline has done what it is there for.
    package var isSuccess: Bool { exit.code == 0 && replay == nil && selection == nil }

    /// Which attempt it is, and which part of the spec ran; `nil` for a first attempt of all of it.
    var entryText: String? {
        let parts = [attempts > 1 ? "attempt \(attempts)" : nil, partText].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// What of its pipeline the run was; nil for all of it.
    var partText: String? {
        if replay != nil { return "replay of rejects" }
        guard let selection else { return nil }
        let parts = [
            selection.only.map { "\($0) alone" }, selection.from.map { "from \($0) on" },
            selection.limit.map { "at most \(ReportWords.several($0, "record")) of each import" },
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}

extension RunReport.Stage {
    /// What is told of the stage in words.
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

    /// What a delete did besides to objects that it did not name: `Step 3, Note 1`; and which
    /// rules kept some that it did name.
    var consequences: [(what: String, text: String)] {
        func list(_ counts: [String: Int]?) -> String {
            (counts ?? [:]).filter { $0.value > 0 }
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key) \(ReportWords.count($0.value))" }.joined(separator: ", ")
        }
        return [("taken along", list(cascaded)), ("kept by", list(deniedBy))]
            .filter { !$0.1.isEmpty }
            + (nullified.map { [("lost a link", ReportWords.several($0, "object"))] } ?? [])
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
        if let other = other.replayed { replayed = (replayed ?? 0) + other }
        if let other = other.discarded { discarded = (discarded ?? 0) + other }
        if let other = other.waiting { waiting = (waiting ?? 0) + other }
        if let other = other.blankLines { blankLines = (blankLines ?? 0) + other }
        createdTargets += other.createdTargets
        nulledValues += other.nulledValues
        if let other = other.supersededItems { supersededItems = (supersededItems ?? 0) + other }
    }

    /// What became of records, with its word, in the order in which it is shown.
    var ends: [(word: String, count: Int)] {
        [
            ("inserted", inserted), ("updated", updated), ("unchanged", unchanged),
            ("skipped", skipped), ("filtered", filtered), ("superseded", superseded),
            ("rejected", rejected),
        ] + (replayed.map { [("replayed", $0)] } ?? [])
            + (discarded.map { [("discarded", $0)] } ?? [])
            + (waiting.map { [("waiting", $0)] } ?? [])
    }
}
