import FoundationEssentials
import GraphStore
import Synchronization

/// How far a run has come, noted in its store with everything that it saves.
///
/// Each batch commits with the place up to which its inputs are consumed, each stage with the
/// mark that it is done, in one transaction. So whatever kills a run, the next one finds exactly
/// what was saved and goes on behind it. The notes are gone when the run is at its end.
final class RunJournal: Sendable {
    /// What an earlier attempt left.
    struct Saved: Sendable {
        var run: RunNote
        var stages: [StageNote]
        var importing: ImportNote?
        var inputs: [InputNote]

        /// Where an import stopped, such as `import tasks at record 12,001 of tasks.csv`.
        var place: String? {
            importing.map { note in
                "import \(note.stage)"
                    + (note.position.map {
                        " at record \(RecordCounts.grouped($0.record + 1)) of \($0.name)"
                    } ?? (note.section == nil ? "" : " at the beginning of an input"))
                    + (note.section.map { ", and \($0.text)" } ?? "")
            }
        }

        /// Whether all of it was made by these stages as they are now.
        func isOf(_ stages: [Stage]) -> Bool {
            let fingerprints = Dictionary(
                stages.map { ($0.name, $0.fingerprint) }, uniquingKeysWith: { first, _ in first })
            return self.stages.allSatisfy { fingerprints[$0.name] == $0.fingerprint }
                && importing.map { fingerprints[$0.stage] == $0.fingerprint } != false
        }
    }

    private static let stageKinds = ["stage", "input", "record"] + BulkWriter.noteKinds

    private struct State {
        var stages: [StageNote] = []
        var importing: ImportNote?
        var inputs: [InputNote] = []
        /// What was worked out of each stage, by name.
        var fingerprints: [String: String] = [:]
    }

    let run: RunNote
    /// A store that is only read takes no notes.
    private let takesNotes: Bool
    /// Stages that run after a failure are not noted as done: they run again with the next attempt.
    private let isAfterFailure: Bool
    private let state: Mutex<State>

    /// Begins a run, or another attempt of one.
    ///
    /// - Parameter isSameAttempt: what was saved is from this very attempt.
    init(
        _ run: RunNote, resuming saved: Saved?, isSameAttempt: Bool, isAfterFailure: Bool = false,
        in container: PersistentContainer
    ) throws {
        var run = run
        if let saved {
            let base = run.base
            run = saved.run
            run.base = base
            if !isSameAttempt { run.attempts += 1 }
        }
        self.run = run
        self.isAfterFailure = isAfterFailure
        takesNotes = !container.storeDescription.options.isReadOnly
        state = Mutex(
            State(
                stages: saved?.stages ?? [], importing: saved?.importing,
                inputs: saved?.inputs ?? []))
        guard takesNotes else { return }
        let note = Self.encode(run)
        try container.newBackgroundContext().performAndWait { context in
            if saved == nil { try context.endProgressNotes() }
            try context.beginProgressNotes()
            try context.writeProgressNote("run", 0, note)
            try context.save()
        }
    }

    /// What an earlier run left unfinished in the store.
    static func saved(in container: PersistentContainer) throws -> Saved? {
        try saved { try container.progressNotes($0) }
    }

    /// The same of a store that nobody has opened, and that may not be opened before the run is
    /// completed.
    static func saved(at path: String) throws -> Saved? {
        let notes = try PersistentContainer.progressNotes(
            ["run", "done", "stage", "input"], ofStoreAt: path)
        return try saved { notes[$0] ?? [] }
    }

    /// - Parameter read: the notes of a kind.
    private static func saved(
        _ read: (String) throws -> [(number: Int64, value: [UInt8])]
    ) throws -> Saved? {
        func decoded<Note: Decodable>(_ kind: String) throws -> [Note] {
            try read(kind).map { try JSONDecoder().decode(Note.self, from: Data($0.value)) }
        }
        guard let run = try read("run").first,
            let note = try? JSONDecoder().decode(RunNote.self, from: Data(run.value)),
            // Notes of another version of ours are of no use.
            note.format == RunNote.currentFormat
        else { return nil }
        let importing: [ImportNote] = try decoded("stage")
        return Saved(
            run: note, stages: try decoded("done"), importing: importing.first,
            inputs: try decoded("input"))
    }

    private static func encode(_ note: some JSONWritable) -> [UInt8] {
        Array(note.json.compact.utf8)
    }

    /// What the run has come to by now, as the store's notes say it.
    var current: Saved {
        state.withLock { state in
            Saved(
                run: run, stages: state.stages, importing: state.importing, inputs: state.inputs)
        }
    }

    // MARK: Stages

    /// What a stage of the run says.
    func fingerprint(of stage: Stage) -> String {
        if let known = state.withLock({ $0.fingerprints[stage.name] }) { return known }
        let fingerprint = stage.fingerprint
        state.withLock { $0.fingerprints[stage.name] = fingerprint }
        return fingerprint
    }

    /// The report of a stage that is done, unless it says something else today.
    func report(of stage: Stage) -> StageReport? {
        let notes = state.withLock { state in state.stages.filter { $0.name == stage.name } }
        guard !notes.isEmpty else { return nil }
        let fingerprint = fingerprint(of: stage)
        return notes.first { $0.fingerprint == fingerprint }?.report
    }

    /// What an import has read to its end, as far as that is saved.
    func inputs(of stage: Stage) -> [InputNote] {
        state.withLock { state in
            state.stages.first { $0.name == stage.name }?.inputs
                ?? (state.importing?.stage == stage.name ? state.inputs : [])
        }
    }

    /// Notes in the open transaction that a stage is done.
    ///
    /// - Parameter inputs: what an import has read.
    func finish(
        _ stage: Stage, _ report: StageReport, inputs: [InputNote]? = nil,
        in context: ManagedObjectContext
    ) throws {
        let note = StageNote(
            name: stage.name, fingerprint: fingerprint(of: stage), report: report, inputs: inputs)
        let number = state.withLock { state in
            state.importing = nil
            state.inputs = []
            guard !isAfterFailure else { return Int64(0) }
            state.stages.append(note)
            return Int64(state.stages.count)
        }
        guard number > 0 else { return try context.removeProgressNotes(Self.stageKinds) }
        try context.writeProgressNote("done", number, Self.encode(note))
        try context.removeProgressNotes(Self.stageKinds)
    }

    /// Notes in a transaction of its own that a stage is done, which wrote nothing to the store.
    func finish(_ stage: Stage, _ report: StageReport, in container: PersistentContainer) throws {
        guard takesNotes else { return }
        try container.newBackgroundContext().performAndWait { context in
            try finish(stage, report, in: context)
            try context.save()
        }
    }

    /// Takes the notes away: there is nothing to complete any more.
    func end(in container: PersistentContainer) throws {
        guard takesNotes else { return }
        try container.newBackgroundContext().performAndWait { context in
            try context.endProgressNotes()
            try context.save()
        }
    }

    // MARK: Imports

    /// How far an earlier attempt came with an import, which says the same today.
    func progress(of stage: Stage) -> (note: ImportNote, inputs: [InputNote])? {
        let (note, inputs) = state.withLock { ($0.importing, $0.inputs) }
        guard let note, note.stage == stage.name, note.fingerprint == fingerprint(of: stage) else {
            return nil
        }
        return (note, inputs)
    }

    /// Forgets how far an import came, in the open transaction.
    func restart(in context: ManagedObjectContext) throws {
        state.withLock { state in
            state.importing = nil
            state.inputs = []
        }
        try context.removeProgressNotes(Self.stageKinds)
    }

    /// Notes in the open transaction how far an import has come.
    ///
    /// - Parameter finished: inputs that were read to their end since the last note.
    func note(
        _ progress: ImportNote, finished: [InputNote], in context: ManagedObjectContext
    ) throws {
        let first = state.withLock { state in
            defer { state.inputs += finished }
            return state.inputs.count
        }
        try context.writeProgressNote("stage", 0, Self.encode(progress))
        for (place, input) in finished.enumerated() {
            try context.writeProgressNote("input", Int64(first + place), Self.encode(input))
        }
    }
}
