import FoundationEssentials
import GraphStore

/// What runs left in a store, and what the next one takes over from it.
extension RunJournal {
    /// What an earlier attempt left.
    struct Saved: Sendable {
        var run: RunNote
        var stages: [StageNote]
        /// Where imports stopped, the one that was at work last before the others.
        var points: [ResumePoint] = []
        /// The first of them was at work, and its notes have the plain kinds.
        var isFirstPresent = false

        /// Where the import that was at work stopped.
        var present: ResumePoint? { isFirstPresent ? points.first : nil }

        /// Where an import stopped, such as `import tasks at record 12,001 of tasks.csv`.
        var place: String? {
            points.first.map { point in
                "import \(point.stage)"
                    + (point.positions.last.map {
                        " at record \(RecordCounts.grouped($0.record + 1)) of \($0.name)"
                    } ?? (point.section == nil ? "" : " at the beginning of an input"))
                    + (point.section.map { ", and \($0.text)" } ?? "")
            }
        }

        /// Whether all of it was made by these stages as they are now.
        func isOf(_ stages: [Stage]) -> Bool {
            let fingerprints = Dictionary(
                stages.map { ($0.name, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
            return self.stages.allSatisfy { fingerprints[$0.name] == $0.fingerprint }
                && present.map { fingerprints[$0.stage] == $0.fingerprint } != false
        }

        /// Whether the next run has anything to go on with.
        var isEmpty: Bool { stages.isEmpty && points.isEmpty }
    }

    /// What a run takes over from the notes in the store.
    enum Beginning {
        /// Nothing.
        case new
        /// Everything: it completes the earlier run.
        case continued(Saved)
        /// The places where imports stopped; and which stages are done that are not to run.
        case anew(Saved, stages: Set<String>)

        /// The run that is completed.
        var continued: Saved? { if case .continued(let saved) = self { saved } else { nil } }
    }

    /// What notes of every version say of their run.
    struct Heading: Decodable {
        var format: Int?
        var pipeline: String
        var runID: String
        var replay: String?

        init(_ note: [UInt8]) throws(RunFailure) {
            do {
                self = try JSONDecoder().decode(Heading.self, from: Data(note))
            } catch {
                throw RunFailure(
                    .dataError, code: "run.cannot-resume",
                    "The notes of an unfinished run in the store are damaged",
                    fix: "start over with --restart")
            }
        }

        var owner: String { RunNote.owner(pipeline: pipeline, isReplay: replay != nil) }
    }

    /// What an earlier run of an owner left unfinished in the store.
    ///
    /// - Throws: `RunFailure` (65) if another version of etl left it.
    static func saved(
        by owner: String, _ paths: NotedPaths, in container: PersistentContainer
    ) throws -> Saved? {
        try saved(by: owner, paths) { try container.progressNotes($0) }
    }

    /// The same of a store that nobody has opened, and that may not be opened before the run is
    /// completed.
    ///
    /// - Parameter stages: the stages whose stopped imports are looked for.
    static func saved(
        by owner: String, _ paths: NotedPaths, at path: String, stages: [Stage]
    ) throws -> Saved? {
        let kinds =
            ["run", "done", "stage", "input", "stopped"]
            + stages.flatMap { ["\($0.name):stage", "\($0.name):input"] }
        let notes = try PersistentContainer.progressNotes(ofStoreAt: path, kinds, owner: owner)
        return try saved(by: owner, paths) { notes[$0] ?? [] }
    }

    /// The pipeline and the name of the run whose notes are in a store; `nil` if there are none.
    ///
    /// - Parameter owner: whose notes count also if they are suspended.
    static func unfinished(inStoreAt path: String, owner: String) throws -> Heading? {
        let notes = try PersistentContainer.progressNotes(
            ofStoreAt: path, ["run"], owner: owner)
        return try (notes["\(owner)/run"]?.first ?? notes["run"]?.first).map {
            try Heading($0.value)
        }
    }

    /// Removes the notes of an owner's unfinished run, so that its next run starts over.
    static func discard(by owner: String, inStoreAt path: String) throws {
        let container = try PersistentContainer(model: nil, .sqlite(at: path))
        // Notes next to the store are removed with their file.
        try container.keepProgressNotesBeside()
        try container.newBackgroundContext().performAndWait { context in
            try context.beginProgressNotes()
            try makeRoom(for: owner, in: context)
            try context.endProgressNotes()
            try context.save()
        }
        try container.removeEmptyProgressFile()
    }

    /// - Parameter read: the notes of a kind.
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
        func decoded<Note: Decodable>(_ kind: String) throws -> [Note] {
            try read(prefix + kind).map {
                try JSONDecoder().decode(Note.self, from: Data($0.value))
            }
        }
        func point(_ prefix: String) throws -> ResumePoint? {
            let points: [ResumePoint] = try decoded(prefix + "stage")
            guard var point = points.first else { return nil }
            point.finished = try decoded(prefix + "input")
            return point.mappingPaths(paths.path)
        }
        let stages: [StageNote] = try decoded("done")
        let suspended: [[String]] = try decoded("stopped")
        let present = try point("")
        return Saved(
            run: try JSONDecoder().decode(RunNote.self, from: Data(found.value)),
            stages: stages.map { $0.mappingPaths(paths.path) },
            points: (present.map { [$0] } ?? [])
                + (try suspended.joined().compactMap { try point("\($0):") }),
            isFirstPresent: present != nil)
    }

    private static func oldNotes(_ heading: Heading) -> RunFailure {
        RunFailure(
            .dataError, code: "run.cannot-resume",
            "The run \(heading.runID) is unfinished, and another version of etl started it",
            fix: "complete it with that version, or start over with --restart")
    }
}
