import Diagnostics
import Files
import GraphStore
import RecordStreams

/// What a run notes of itself when it begins.
struct RunNote: Decodable, Sendable, Hashable {
    static let currentFormat = 9

    var format = RunNote.currentFormat
    var pipeline: String
    /// Names the rejects and the report, also of the attempts that complete the run.
    var runID: String
    /// When the first attempt began, in seconds since 2001-01-01 UTC: `$now` of all attempts.
    var started: Double
    /// What the run was asked to do: its parameters, `--only` and the like.
    var fingerprint: String
    /// What the store was that the run works beside, where it does.
    var base: String?
    var attempts = 1
    /// The folder of rejects that the run replays, where it does.
    var replay: String?
    /// The run has ended well, and left out an import whose place stays noted.
    var isEnded = false
    /// Stages that this run leaves out are done by an earlier run, whose others are not.
    var leavesOut = false
    /// That run, if it is to be completed; one at most.
    var earlier: [RunNote] = []

    /// Whose notes these are: a run is completed by a run of the same owner.
    var owner: String { Self.owner(pipeline: pipeline, isReplay: replay != nil) }

    /// The name of the owner of notes, which has no slash: names of pipelines have none, and no colon.
    static func owner(pipeline: String, isReplay: Bool) -> String {
        isReplay ? "replay:" + pipeline : pipeline
    }
}

/// A stage that is done.
struct StageNote: Decodable, Sendable, Hashable {
    var name: String
    /// What the stage said when it ran.
    var fingerprint: String
    var report: StageReport
    /// What an import has read.
    var inputs: [InputNote]?
}

/// An input that an import has read to its end.
struct InputNote: Decodable, Sendable, Hashable {
    var path: FileName
    /// Bytes as stored.
    var byteCount: Int
    /// SHA-256 of the inflated bytes.
    var digest: [UInt8]
    var records: Int
}

/// How far an import has come into an input.
struct InputPosition: Decodable, Sendable, Hashable {
    var path: FileName
    /// Records consumed, good and bad.
    var record: Int
    /// Inflated bytes consumed.
    var offset: Int
    /// SHA-256 of these bytes.
    var digest: [UInt8]
    /// The input is no regular file, so that it cannot be known again.
    var isStream: Bool

    /// The input as messages name it.
    var name: String { InputFile.name(of: path) }
}

/// Where an import goes on: how far it has come, as of the batch in the same transaction.
struct ResumePoint: Decodable, Sendable {
    /// Without `finished`: each of those is a note of its own, so that thousands of inputs are not
    /// written with each save.
    private enum CodingKeys: String, CodingKey {
        case stage, fingerprint, position, counts, objects, rejectTally, nextToken, inputs, rejects
        case secondsElapsed, section, abortBase, stop, left, unmet, fitsNothing, missedLinks
        case links, lacking
    }

    var stage: String
    var fingerprint: String
    /// The input that is being read; nil between two.
    var position: InputPosition?
    var counts: RecordCounts
    var objects: ObjectTally
    /// The rejects by code; nil as long as there are none.
    var rejectTally: RejectTally?
    var nextToken: Int64
    /// What is known of the inputs, by their path, for rejects that come late.
    ///
    /// As a list of paths, each with its form behind it: as names of an object, paths that differ in
    /// their normalization alone would be one.
    var inputs: [FileName: InputForm] = [:]
    var rejects: [RejectFileNote]
    var secondsElapsed: Double
    /// The records behind `position` that are written in another order; nil while none are.
    var section: SectionNote?
    /// Where `rejects.abort` begins to count.
    var abortBase = RejectBase()
    /// The reject that ended the import; nil if none did.
    var stop: StopNote?
    /// Where earlier attempts stopped in other inputs, which were not there since.
    var left: [InputPosition] = []
    /// The paths of the spec that no record has had; nil as long as there was no record.
    var unmet: [String]?
    /// Those of them that some record lacks; the others are behind null or in empty lists.
    var lacking: [String]?
    /// No record has had any field that the stage reads; nil as long as there was no record.
    var fitsNothing: Bool?
    /// Links that records went without; nil where there are none.
    var missedLinks: [MissedLinks]?
    /// The files of left-out links; nil where there are none.
    var links: [LinkFileNote]?
    /// The inputs that were read to their ends.
    var finished: [InputNote] = []
}

extension ResumePoint {
    /// All places where attempts stopped.
    var positions: [InputPosition] {
        left.filter { $0.path != position?.path } + (position.map { [$0] } ?? [])
    }

    /// What stays of the note once the import goes on with other inputs: the places in these.
    ///
    /// - Parameter positions: the places.
    func setAside(_ positions: [InputPosition]) -> ResumePoint {
        var note = ResumePoint(
            stage: stage, fingerprint: fingerprint, position: nil, counts: RecordCounts(),
            objects: ObjectTally(), nextToken: 1, rejects: [], secondsElapsed: 0)
        note.left = positions
        return note
    }

    /// Whether an attempt of the import has come anywhere.
    var isBegun: Bool { counts.read > 0 || position != nil || section != nil }

    /// Nothing is read, so that whatever the stage is now, nothing can be read twice.
    var isEmpty: Bool { !isBegun && finished.isEmpty && left.isEmpty }

    /// Counts a link that a record went without.
    ///
    /// - Parameter place: called for the first ones alone.
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
            let line = try place().map { "\($0.source):\($0.line ?? $0.record ?? 0)" }
            let key = link.key.map { "'\(OutputText.masked(String($0.prefix(200))))'" }
            all[index].first.append([line, key].compactMap(\.self).joined(separator: " "))
        }
        missedLinks = all
    }

    /// Notes that replays have saved records that were rejected.
    mutating func noteReplayed(_ count: Int) {
        counts.noteReplayed(count)
        abortBase.rejected = max(0, abortBase.rejected - count)
    }

    /// Lets `rejects.abort` count what comes from here on.
    mutating func countAbortFromHere() {
        abortBase = RejectBase(read: counts.read, rejected: counts.rejected)
    }
}

/// Counts of records from which on rejects are counted.
struct RejectBase: Decodable, Sendable, Hashable {
    var read = 0
    var rejected = 0
}

/// A reject that ended an import.
struct StopNote: Decodable, Sendable, Hashable {
    var code: String
    var reject: RejectTally.Example
    /// How many rejects replays had saved by then.
    var replayed: Int
}

/// How far records are written that were kept aside to be written in the order of their objects' rows.
///
/// All of them are counted, and what could not be mapped is among the rejects.
struct SectionNote: Decodable, Sendable, Hashable {
    /// Where they end; nil at the end of an input.
    var end: InputPosition?
    /// How many they are, good and bad.
    var records: Int
    /// The inputs that ended among them.
    var finished: [InputNote]
    /// Rows behind that one are of new objects.
    var lastRow: Int64
    /// Up to which row their records are written.
    var writtenUpTo: Int64
    /// How many records of the next row are, in their own order.
    var writtenOfNext: Int
    /// How many records of new objects are written, in their own order.
    var newWritten: Int
    /// Tells which row was found for which record: another one, where others changed the table.
    var rowsHash: Int64

    /// Such as `the 169,287 from there are written up to row 54,321 of 300,000`.
    var text: String {
        "the \(RecordCounts.grouped(records)) from there are written up to row "
            + RecordCounts.grouped(Int(writtenUpTo) + (writtenOfNext > 0 ? 1 : 0))
            + " of \(RecordCounts.grouped(Int(lastRow)))"
            + (newWritten > 0 ? ", and \(RecordCounts.grouped(newWritten)) new ones" : "")
    }
}

/// How the records of an input are written.
struct InputForm: Decodable, Sendable {
    var format: String
    var columnNames: [String]?
}

/// How long the file of the left-out links of one input was when a batch was saved.
struct LinkFileNote: Decodable, Sendable, Hashable {
    /// The input.
    var source: FileName
    var path: FileName
    var length: Int
}

/// How long the reject files of one input were when a batch was saved.
struct RejectFileNote: Decodable, Sendable, Hashable {
    /// The input.
    var source: FileName
    var path: FileName
    var recordsLength: Int
    var reasonsLength: Int
    var isArray: Bool
    var isFirst: Bool
    /// How many of their records replays had saved by then.
    var replayed = 0
}
