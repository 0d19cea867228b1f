import Diagnostics
import Files
import GraphStore
import RecordStreams

/// The note that a run writes when it begins.
struct RunNote: Decodable, Sendable, Hashable {
    static let currentFormat = 9

    var format = RunNote.currentFormat
    var pipeline: String
    /// The name of the run, which its rejects and report contain; attempts that complete the run
    /// keep it.
    var runID: String
    /// The start of the first attempt in seconds since 2001-01-01 UTC: `$now` of all attempts.
    var started: Double
    /// The fingerprint of the run's parameters, `--only`, and similar flags.
    var fingerprint: String
    /// The digest of the store that the working copy is a clone of; `nil` without one.
    var base: String?
    var attempts = 1
    /// The largest key of each hierarchy of the store when the run began, by the number of its root
    /// entity; objects with larger keys are the run's.
    var keysBefore: [Int64: Int64]?
    /// The folder of rejects that the run replays; `nil` if it is not a replay.
    var replay: String?
    /// Whether the run is of `etl import`; `nil` in notes of other runs.
    var isOfImport: Bool?
    /// Whether the run has succeeded, but left out an import whose position stays noted.
    var isEnded = false
    /// Whether an earlier, unfinished run has completed stages that this run leaves out.
    var leavesOut = false
    /// The notes of the unfinished run that must still be completed; at most one element.
    var earlier: [RunNote] = []

    /// The owner of the notes: only a run of the same owner completes the run.
    var owner: String { Self.owner(pipeline: pipeline, isReplay: replay != nil) }

    /// Returns the name of the owner of notes.
    ///
    /// It has no slash, because names of pipelines contain neither slashes nor colons.
    static func owner(pipeline: String, isReplay: Bool) -> String {
        isReplay ? replayPrefix + pipeline : pipeline
    }

    private static let replayPrefix = "replay:"

    /// Returns the pipeline of the owner of notes.
    static func pipeline(ofOwner owner: String) -> String {
        owner.hasPrefix(replayPrefix) ? String(owner.dropFirst(replayPrefix.count)) : owner
    }
}

/// A completed stage.
struct StageNote: Decodable, Sendable, Hashable {
    var name: String
    /// The fingerprint of the stage when it ran.
    var fingerprint: String
    var report: StageReport
    /// The inputs that an import has read.
    var inputs: [InputNote]?
}

/// An input that an import has read completely.
struct InputNote: Decodable, Sendable, Hashable {
    var path: FileName
    /// The size in bytes, as stored.
    var byteCount: Int
    /// The SHA-256 of the decompressed bytes.
    var digest: [UInt8]
    var records: Int
}

/// The position of an import in an input.
struct InputPosition: Decodable, Sendable, Hashable {
    var path: FileName
    /// The number of consumed records, including rejects.
    var record: Int
    /// The number of consumed decompressed bytes.
    var offset: Int
    /// The SHA-256 hash of the consumed decompressed bytes.
    var digest: [UInt8]
    /// Whether the input is not a regular file, so it cannot be identified again.
    var isStream: Bool

    /// The name of the input in messages.
    var name: String { InputFile.name(of: path) }
}

/// The progress of an import, as of the batch in the same transaction.
struct ResumePoint: Decodable, Sendable {
    /// The encoded properties.
    ///
    /// `finished` is not encoded: each finished input is a separate note, so thousands of inputs
    /// are not rewritten with each save.
    private enum CodingKeys: String, CodingKey {
        case stage, fingerprint, position, counts, objects, rejectTally, nextToken, inputs, rejects
        case secondsElapsed, section, abortBase, stop, left, unmet, fitsNothing, missedLinks
        case links, lacking, facts
    }

    var stage: String
    var fingerprint: String
    /// The position in the input that is being read; `nil` between two inputs.
    var position: InputPosition?
    var counts: RecordCounts
    var objects: ObjectTally
    /// The rejects by code; `nil` before the first reject.
    var rejectTally: RejectTally?
    var nextToken: Int64
    /// The formats of the inputs by path, for rejects that occur late.
    ///
    /// They are stored as a list in which each path is followed by its format. As keys of a JSON
    /// object, paths that differ only in Unicode normalization would be equal.
    var inputs: [FileName: InputForm] = [:]
    var rejects: [RejectFileNote]
    var secondsElapsed: Double
    /// The records after `position` that are written in another order; `nil` if all are in order.
    var section: SectionNote?
    /// The counts at which `rejects.abort` starts to count.
    var abortBase = RejectBase()
    /// The reject that ended the import; `nil` if none did.
    var stop: StopNote?
    /// The positions in other inputs at which earlier attempts stopped, and which have been missing
    /// since.
    var left: [InputPosition] = []
    /// The paths of the spec that no record has contained; `nil` before the first record.
    var unmet: [String]?
    /// The paths of `unmet` that are missing in some record.
    ///
    /// The other paths of `unmet` lead through a field that is null, or an element of a list that
    /// is empty, in every record.
    var lacking: [String]?
    /// Whether no record has had any field that the stage reads; `nil` before the first record.
    var fitsNothing: Bool?
    /// The links that were left out of records; `nil` before the first one.
    var missedLinks: [MissedLinks]?
    /// The files of left-out links; `nil` before the first one.
    var links: [LinkFileNote]?
    /// Facts about the fields of the records; `nil` before the first record.
    var facts: ReadFacts?
    /// The inputs that were read completely.
    var finished: [InputNote] = []
}

extension ResumePoint {
    /// All positions at which attempts stopped.
    var positions: [InputPosition] {
        left.filter { $0.path != position?.path } + (position.map { [$0] } ?? [])
    }

    /// Returns the note to keep if the import continues with other inputs: only the given
    /// positions.
    ///
    /// - Parameter positions: the positions to keep.
    func keeping(_ positions: [InputPosition]) -> ResumePoint {
        var note = ResumePoint(
            stage: stage, fingerprint: fingerprint, position: nil, counts: RecordCounts(),
            objects: ObjectTally(), nextToken: 1, rejects: [], secondsElapsed: 0)
        note.left = positions
        return note
    }

    /// Whether an attempt of the import has made progress.
    var isBegun: Bool { counts.read > 0 || position != nil || section != nil }

    /// Whether nothing has been read, so nothing can be read twice even if the stage has changed.
    var isEmpty: Bool { !isBegun && finished.isEmpty && left.isEmpty }

    /// Counts a link that was left out of a record.
    ///
    /// - Parameter place: called only for the first links.
    mutating func note(
        missed link: MissedLink, at place: () throws -> RecordLocation?
    ) rethrows {
        var all = missedLinks ?? []
        let index = all.firstIndex { $0.relationship == link.relationship } ?? all.endIndex
        if index == all.endIndex {
            all.append(MissedLinks(relationship: link.relationship, count: 0, first: []))
        }
        all[index].count += 1
        if all[index].first.count < MissedLinks.shownMax {
            let line = try place().map {
                "\(OutputText.masked($0.source)):\($0.line ?? $0.record ?? 0)"
            }
            // Masks before it truncates, so that no part of a secret remains.
            let key = link.key.map { "'\(OutputText.masked($0).prefix(200))'" }
            all[index].first.append([line, key].compactMap(\.self).joined(separator: " "))
        }
        missedLinks = all
    }

    /// Notes that replays have saved rejected records.
    mutating func noteReplayed(_ count: Int) {
        counts.noteReplayed(count)
        abortBase.rejected = max(0, abortBase.rejected - count)
    }

    /// Makes `rejects.abort` count from the current position.
    mutating func countAbortFromHere() {
        abortBase = RejectBase(read: counts.read, rejected: counts.rejected)
    }
}

/// The counts of records at which counting of rejects starts.
struct RejectBase: Decodable, Sendable, Hashable {
    var read = 0
    var rejected = 0
}

/// A reject that ended an import.
struct StopNote: Decodable, Sendable, Hashable {
    var code: String
    var reject: RejectTally.Example
    /// The number of rejects that replays had saved by then.
    var replayed: Int
}

/// The progress of writing buffered records in the order of their objects' rows.
///
/// All of the records are counted, and the records that could not be mapped are among the rejects.
struct SectionNote: Decodable, Sendable, Hashable {
    /// The position after the records; `nil` at the end of an input.
    var end: InputPosition?
    /// The number of records, including rejects.
    var records: Int
    /// The inputs whose last record is among the records.
    var finished: [InputNote]
    /// The last row before the run; higher rows are of new objects.
    var lastRow: Int64
    /// The row up to which records are written.
    var writtenUpTo: Int64
    /// The number of written records of the next row, in their order.
    var writtenOfNext: Int
    /// The number of written records of new objects, in their order.
    var newWritten: Int
    /// A hash of the rows found for the records; it differs if another process changed the table.
    var rowsHash: Int64

    /// A description such as `the 169,287 from there are written up to row 54,321 of 300,000`.
    var text: String {
        "the \(records.grouped) from there are written up to row "
            + (Int(writtenUpTo) + (writtenOfNext > 0 ? 1 : 0)).grouped
            + " of \(Int(lastRow).grouped)"
            + (newWritten > 0 ? ", and \(newWritten.grouped) new ones" : "")
    }
}

/// The format of an input's records.
struct InputForm: Decodable, Sendable {
    var format: String
    var columnNames: [String]?
    /// Whether a lone CR ends a record of a table; `nil` if not.
    var endsAtReturn: Bool?
}

/// The length of an input's file of left-out links when a batch was saved.
struct LinkFileNote: Decodable, Sendable, Hashable {
    /// The input.
    var source: FileName
    var path: FileName
    var length: Int
}

/// The lengths of an input's reject files when a batch was saved.
struct RejectFileNote: Decodable, Sendable, Hashable {
    /// The input.
    var source: FileName
    var path: FileName
    var recordsLength: Int
    var reasonsLength: Int
    var isArray: Bool
    var isFirst: Bool
    /// The number of their records that replays had saved by then.
    var replayed = 0
    /// Whether a CR ends the lines of the file; `nil` if not.
    var endsAtReturn: Bool?
    /// Whether the records are not among those that the import reads, because it started over
    /// after an input changed; `nil` if not.
    ///
    /// A replay of these records does not count for the records of the new input.
    var isOfOtherRecords: Bool?
}
