import FoundationEssentials
import GraphStore
import Synchronization

/// How far a run has come, noted in its store with everything that it saves.
///
/// Each batch commits with the place up to which its inputs are consumed, each stage with the
/// mark that it is done, in one transaction. So whatever ends a run, the next one finds exactly
/// what was saved and goes on behind it. Only a run that ends well removes them.
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

        /// Whether the next run has anything to go on with.
        var isEmpty: Bool { stages.isEmpty && importing == nil }
    }

    /// What a run takes over from the notes in the store.
    enum Beginning {
        /// Nothing.
        case new
        /// Everything: it completes the earlier run.
        case continued(Saved)
        /// The place where an import stopped; all other stages run again.
        case anew(Saved)

        /// The run that is completed.
        var continued: Saved? { if case .continued(let saved) = self { saved } else { nil } }
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
        _ run: RunNote, _ beginning: Beginning, isSameAttempt: Bool, isAfterFailure: Bool = false,
        in container: PersistentContainer
    ) throws {
        var run = run
        var state = State()
        switch beginning {
        case .new: break
        case .continued(let saved):
            let base = run.base
            run = saved.run
            run.base = base
            if !isSameAttempt { run.attempts += 1 }
            state.stages = saved.stages
            (state.importing, state.inputs) = (saved.importing, saved.inputs)
        case .anew(let saved):
            (state.importing, state.inputs) = (saved.importing, saved.inputs)
            state.importing?.countAbortFromHere()
        }
        self.run = run
        self.isAfterFailure = isAfterFailure
        takesNotes = !container.storeDescription.options.isReadOnly
        self.state = Mutex(state)
        guard takesNotes else { return }
        let note = Self.encode(run)
        try container.newBackgroundContext().performAndWait { context in
            try context.beginProgressNotes()
            try Self.makeRoom(for: run.owner, in: context)
            switch beginning {
            case .new:
                try context.endProgressNotes()
                try context.beginProgressNotes()
            case .continued: break
            case .anew: try context.removeProgressNotes(["done"])
            }
            try context.writeProgressNote("run", 0, note)
            try context.save()
        }
    }

    /// Parks the notes of another owner's run, and takes those of an owner back.
    private static func makeRoom(for owner: String, in context: ManagedObjectContext) throws {
        let present = try context.progressNote("run", 0).map { try Heading($0).owner }
        guard present != owner else { return }
        if let present { try context.parkProgressNotes(of: present) }
        try context.unparkProgressNotes(of: owner)
    }

    /// What notes of every version say of their run.
    private struct Heading: Decodable {
        var format: Int?
        var pipeline: String
        var runID: String
        var replay: String?

        init(_ note: [UInt8]) throws {
            self = try JSONDecoder().decode(Heading.self, from: Data(note))
        }

        var owner: String { RunNote.owner(pipeline: pipeline, isReplay: replay != nil) }
    }

    /// What an earlier run of an owner left unfinished in the store.
    ///
    /// - Throws: `RunFailure` (65) if another version of etl left it.
    static func saved(by owner: String, in container: PersistentContainer) throws -> Saved? {
        try saved(by: owner) { try container.progressNotes($0) }
    }

    /// The same of a store that nobody has opened, and that may not be opened before the run is
    /// completed.
    static func saved(by owner: String, at path: String) throws -> Saved? {
        let notes = try PersistentContainer.progressNotes(
            ofStoreAt: path, ["run", "done", "stage", "input"], owner: owner)
        return try saved(by: owner) { notes[$0] ?? [] }
    }

    /// - Parameter read: the notes of a kind.
    private static func saved(
        by owner: String, _ read: (String) throws -> [(number: Int64, value: [UInt8])]
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
        let importing: [ImportNote] = try decoded("stage")
        return Saved(
            run: try JSONDecoder().decode(RunNote.self, from: Data(found.value)),
            stages: try decoded("done"), importing: importing.first,
            inputs: try decoded("input"))
    }

    private static func oldNotes(_ heading: Heading) -> RunFailure {
        RunFailure(
            .dataError, code: "run.cannot-resume",
            "The run \(heading.runID) is unfinished, and another version of etl wrote its notes",
            fix: "complete it with that version, or begin anew with --restart")
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

    /// Removes the notes of a run that ended well.
    ///
    /// The place of an import that this run left out stays, as long as the spec has it.
    ///
    /// - Parameter stages: all stages of the spec.
    func end(of stages: [Stage], in container: PersistentContainer) throws {
        guard takesNotes else { return }
        let stopped = state.withLock { $0.importing?.stage }
        try container.newBackgroundContext().performAndWait { context in
            if let stopped, stages.contains(where: { $0.name == stopped }) {
                var ended = run
                ended.isEnded = true
                try context.writeProgressNote("run", 0, Self.encode(ended))
                try context.removeProgressNotes(["done"])
            } else {
                try context.endProgressNotes()
            }
            try context.save()
        }
    }

    // MARK: Imports

    /// How far an earlier attempt came with an import, whatever the stage says today.
    func progress(of stage: Stage) -> (note: ImportNote, inputs: [InputNote])? {
        let (note, inputs) = state.withLock { ($0.importing, $0.inputs) }
        guard let note, note.stage == stage.name else { return nil }
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
            state.importing = progress
            defer { state.inputs += finished }
            return state.inputs.count
        }
        try context.writeProgressNote("stage", 0, Self.encode(progress))
        for (place, input) in finished.enumerated() {
            try context.writeProgressNote("input", Int64(first + place), Self.encode(input))
        }
    }
}
