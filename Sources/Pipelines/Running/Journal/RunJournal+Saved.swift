import Diagnostics
import FoundationEssentials
import GraphStore

/// The notes of a run that are stored in a store, and their use by the next run.
extension RunJournal {
    /// The notes that an earlier attempt left in the store.
    struct Saved: Sendable {
        var run: RunNote
        var stages: [StageNote]
        /// The positions at which imports stopped; the one of the active import comes first.
        var points: [ResumePoint] = []
        /// Whether `points` begins with the import that was running when the attempt ended.
        ///
        /// The kinds of this import's notes have no prefix. Kinds for other imports begin with the
        /// stage's name.
        var isFirstPresent = false
        /// The number of records that the interrupted imports have saved.
        var recordsLoaded = 0

        /// The position at which the import that was running has stopped; `nil` if none was
        /// running.
        var present: ResumePoint? { isFirstPresent ? points.first : nil }

        /// The position at which an import stopped, such as
        /// `import tasks at record 12,001 of tasks.csv`.
        var place: String? {
            points.first.map { point in
                "import \(point.stage)"
                    + (point.positions.last.map {
                        " at record \(($0.record + 1).grouped) of \($0.name)"
                    } ?? (point.section == nil ? "" : " at the beginning of an input"))
                    + (point.section.map { ", and \($0.text)" } ?? "")
            }
        }

        /// The number of records that all imports have saved, also those of completed stages.
        var recordsSaved: Int {
            stages.compactMap(\.report.records).map(\.saved).reduce(recordsLoaded, +)
        }

        /// Returns whether all notes were written by these stages, and none of the stages has
        /// changed since.
        func isOf(_ stages: [Stage]) -> Bool {
            let fingerprints = Dictionary(
                stages.map { ($0.name, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
            return self.stages.allSatisfy { fingerprints[$0.name] == $0.fingerprint }
                && present.map { fingerprints[$0.stage] == $0.fingerprint } != false
        }

        /// Whether there is nothing for the next run to continue.
        var isEmpty: Bool { stages.isEmpty && points.isEmpty }
    }

    /// The use that a run makes of the notes in its store when it begins.
    enum Beginning {
        /// It starts without notes: there are none, or the user asked to start over.
        case new
        /// It completes the run that wrote the notes.
        case continued(Saved)
        /// It starts over, but keeps the notes about imports and completed stages that it does not
        /// run.
        case startedOver(Saved, stages: Set<String>)

        /// The notes of the earlier run, if this run completes it.
        var continued: Saved? { if case .continued(let saved) = self { saved } else { nil } }
    }

    /// The part of a run's note that every version of etl can read, to find out whose note it is.
    struct Heading: Decodable {
        var format: Int?
        var pipeline: String
        var runID: String
        var replay: String?
        var isOfImport: Bool?

        init(_ note: [UInt8]) throws(RunFailure) {
            self = try RunJournal.decoded(note)
        }

        var owner: String { RunNote.owner(pipeline: pipeline, isReplay: replay != nil) }
    }

    /// The kinds of notes that describe the progress of one import.
    private static let pointKinds = ["stage", "input", BulkWriter.stateKind]

    /// Returns what an earlier run of an owner left unfinished in the store.
    ///
    /// - Throws: `RunFailure` (65) if another version of etl wrote it.
    static func saved(
        by owner: String, _ paths: NotedPaths, in container: PersistentContainer
    ) throws -> Saved? {
        try saved(by: owner, paths) { try container.progressNotes($0) }
    }

    /// Returns the notes in a store that is not open, and that must not be opened before the run is
    /// completed.
    ///
    /// - Parameter stages: the stages whose interrupted imports are included.
    static func saved(
        by owner: String, _ paths: NotedPaths, at path: String, stages: [Stage]
    ) throws -> Saved? {
        let kinds =
            ["run", "done", "stopped"] + Self.pointKinds
            + stages.flatMap { stage in Self.pointKinds.map { "\(stage.name):\($0)" } }
        let notes = try ProgressNotes.read(ofStoreAt: path, kinds, owner: owner)
        return try saved(by: owner, paths) { notes[$0] ?? [] }
    }

    /// Returns the pipeline and the name of the run whose notes are in a store; `nil` if there are
    /// none.
    ///
    /// - Parameter owner: the owner whose notes count even if they are suspended.
    static func unfinished(inStoreAt path: String, owner: String) throws -> Heading? {
        let notes = try ProgressNotes.read(ofStoreAt: path, ["run"], owner: owner)
        return try (notes["\(owner)/run"]?.first ?? notes["run"]?.first).map {
            try Heading($0.value)
        }
    }

    /// Returns the owners of the unfinished runs in a store; the one that used it last comes first.
    static func owners(inStoreAt path: String) throws -> [String] {
        let (present, suspended) = try ProgressNotes.owners(ofStoreAt: path, "run")
        return (try present.map { [try Heading($0).owner] } ?? []) + suspended
    }

    /// Removes the notes of an owner's unfinished run, so that its next run starts over.
    static func discard(by owner: String, inStoreAt path: String) throws {
        let container = try PersistentContainer(model: nil, .sqlite(at: path))
        // Notes next to the store are removed with their file.
        try container.keepProgressNotesInFile()
        try container.newBackgroundContext().performAndWait { context in
            try context.beginProgressNotes()
            try prepareNotes(for: owner, in: context)
            try context.endProgressNotes()
            try context.save()
        }
        try container.removeEmptyProgressFile()
    }

    /// Returns what an owner's run left unfinished, read from the notes by a closure.
    ///
    /// - Parameter read: returns the notes of a kind.
    private static func saved(
        by owner: String, _ paths: NotedPaths,
        _ read: (String) throws -> [(number: Int64, value: [UInt8])]
    ) throws -> Saved? {
        var prefix = ""
        var found = try read("run").first
        if let run = found, try Heading(run.value).owner != owner { found = nil }
        if found == nil {
            prefix = owner + "/"
            found = try read(prefix + "run").first
        }
        guard let found else { return nil }
        let heading = try Heading(found.value)
        guard heading.format == RunNote.currentFormat else { throw oldNotes(heading) }
        func decoded<Note: Decodable & JSONWritable>(_ kind: String) throws -> [Note] {
            try read(prefix + kind).map { try plausible($0.value) }
        }
        var loads: [BulkTally] = []
        let ownPrefix = prefix
        func point(_ prefix: String) throws -> ResumePoint? {
            let points: [ResumePoint] = try decoded(prefix + "stage")
            guard var point = points.first else { return nil }
            loads += try read(ownPrefix + prefix + BulkWriter.stateKind).compactMap {
                BulkWriter.tally(inNote: $0.value)
            }
            point.finished = try decoded(prefix + "input")
            return point.mappingPaths(paths.path)
        }
        let stages: [StageNote] = try decoded("done")
        let suspended: [[String]] = try read(prefix + "stopped").map { try self.decoded($0.value) }
        let present = try point("")
        let run: RunNote = try plausible(found.value)
        // It is part of the names of folders.
        guard !run.runID.isEmpty, !run.runID.utf8.contains(UInt8(ascii: "/")) else {
            throw RunFailure.damagedNotes
        }
        return Saved(
            run: run,
            stages: stages.map { $0.mappingPaths(paths.path) },
            points: (present.map { [$0] } ?? [])
                + (try suspended.joined().compactMap { try point("\($0):") }),
            isFirstPresent: present != nil, recordsLoaded: loads.map(\.records).reduce(0, +))
    }

    private static func decoded<Note: Decodable>(_ bytes: [UInt8]) throws(RunFailure) -> Note {
        do {
            return try JSONDecoder().decode(Note.self, from: Data(bytes))
        } catch {
            throw .damagedNotes
        }
    }

    /// Decodes a note, and checks that its numbers are in the range that runs write.
    ///
    /// - Throws: `RunFailure` (65) if the note is damaged.
    private static func plausible<Note: Decodable & JSONWritable>(
        _ bytes: [UInt8]
    ) throws(RunFailure) -> Note {
        let note: Note = try decoded(bytes)
        guard note.json.hasPlausibleNumbers else { throw .damagedNotes }
        return note
    }

    private static func oldNotes(_ heading: Heading) -> RunFailure {
        RunFailure(
            .dataError, code: "run.cannot-resume",
            "The run \(heading.runID) is unfinished, and another version of etl started it",
            fix: "complete it with that version, or start over with --restart")
    }
}
