import FoundationEssentials
import GraphStore
import Synchronization

/// The progress of a run, written to its store together with everything that the run saves.
///
/// Each batch commits with the position up to which its inputs are consumed, and each stage with
/// its completion mark, in one transaction. So if a run ends for any reason, the next one finds
/// exactly what was saved, and resumes after it. Only a successful run removes its notes.
final class RunJournal: Sendable {
    private static let stageKinds = ["stage", "input", DeferredRecords.kind] + BulkWriter.noteKinds

    private struct State {
        var stages: [StageNote] = []
        /// The progress of the current import; the kinds of its notes have no prefix.
        var present: ResumePoint?
        /// The progress of other interrupted imports.
        ///
        /// The kinds of their notes begin with the stage's name and a colon.
        var suspended: [ResumePoint] = []
        /// The fingerprints computed so far, by name of the stage.
        var fingerprints: [String: String] = [:]

        mutating func take(_ saved: Saved) {
            present = saved.present
            suspended = Array(saved.points.dropFirst(saved.isFirstPresent ? 1 : 0))
        }
    }

    let run: RunNote
    private let paths: NotedPaths
    /// Whether notes are written; `false` if the store is read-only.
    private let takesNotes: Bool
    /// Whether the stages are those with `always: true`, which run after a failure.
    ///
    /// If they are repeatable, they are not noted as completed, and run again with the next
    /// attempt.
    private let isAfterFailure: Bool
    private let state: Mutex<State>

    /// Begins a run or another attempt.
    ///
    /// - Parameter isSameAttempt: whether the saved notes are of this same attempt.
    init(
        _ run: RunNote, _ paths: NotedPaths, _ beginning: Beginning, isSameAttempt: Bool,
        isAfterFailure: Bool = false, in container: PersistentContainer
    ) throws {
        self.paths = paths
        var run = run
        // A damaged counter may be larger than any number that a note may have.
        run.keysBefore = container.largestKeys.mapValues { min(max($0, 0), 1 << 53) }
        var state = State()
        switch beginning {
        case .new: break
        case .continued(let saved):
            let base = run.base
            run = saved.run
            run.base = base
            if !isSameAttempt { run.attempts += 1 }
            state.stages = saved.stages
            state.take(saved)
        case .startedOver(let saved, let stages):
            state.stages = saved.stages.filter { !stages.contains($0.name) }
            run.leavesOut = !state.stages.isEmpty
            if run.leavesOut {
                let isPart = saved.run.isEnded || !saved.run.earlier.isEmpty
                run.earlier = isPart ? saved.run.earlier : [saved.run]
            }
            state.take(saved)
            state.present?.countAbortFromHere()
            for place in state.suspended.indices {
                state.suspended[place].countAbortFromHere()
            }
        }
        self.run = run
        self.isAfterFailure = isAfterFailure
        takesNotes = !container.storeDescription.options.isReadOnly
        let kept = state.stages
        self.state = Mutex(state)
        guard takesNotes else { return }
        let note = Self.encode(run)
        try container.newBackgroundContext().performAndWait { context in
            try context.beginProgressNotes()
            try Self.prepareNotes(for: run.owner, in: context)
            switch beginning {
            case .new:
                try context.endProgressNotes()
                try context.beginProgressNotes()
            case .continued: break
            case .startedOver:
                try context.removeProgressNotes(["done"])
                for (place, stage) in kept.enumerated() {
                    try context.writeProgressNote(
                        "done", Int64(place + 1), Self.encode(stage.mappingPaths(paths.noted)))
                }
            }
            try context.writeProgressNote("run", 0, note)
            try context.save()
        }
        try container.makeProgressNotesDurable()
    }

    /// Suspends the notes of another owner's run, and resumes those of the given owner.
    static func prepareNotes(for owner: String, in context: ManagedObjectContext) throws {
        // The owner of damaged notes is unknown.
        let present = try context.progressNote("run", 0).flatMap { try? Heading($0).owner }
        guard present != owner else { return }
        if let present { try context.suspendProgressNotes(of: present) }
        try context.resumeProgressNotes(of: owner)
    }

    private static func encode(_ note: some JSONWritable) -> [UInt8] {
        Array(note.json.exact.utf8)
    }

    /// The current notes of the run, as in the store.
    var current: Saved {
        state.withLock { state in
            Saved(
                run: run, stages: state.stages,
                points: (state.present.map { [$0] } ?? []) + state.suspended,
                isFirstPresent: state.present != nil)
        }
    }

    // MARK: Stages

    /// Returns the fingerprint of a stage of the run.
    func fingerprint(of stage: Stage) -> String {
        if let known = state.withLock({ $0.fingerprints[stage.name] }) { return known }
        let fingerprint = stage.fingerprint
        state.withLock { $0.fingerprints[stage.name] = fingerprint }
        return fingerprint
    }

    /// Returns the report of a completed stage; `nil` if the stage has changed.
    func report(of stage: Stage) -> StageReport? {
        let notes = state.withLock { state in state.stages.filter { $0.name == stage.name } }
        guard !notes.isEmpty else { return nil }
        let fingerprint = fingerprint(of: stage)
        return notes.first { $0.fingerprint == fingerprint }?.report
    }

    /// Returns the inputs that an import has read completely and saved.
    func inputs(of stage: Stage) -> [InputNote] {
        state.withLock { state in
            state.stages.first { $0.name == stage.name }?.inputs
                ?? (state.present?.stage == stage.name ? state.present?.finished : nil) ?? []
        }
    }

    /// Notes in the open transaction that a stage is completed.
    ///
    /// - Parameter inputs: the inputs that an import has read.
    func finish(
        _ stage: Stage, _ report: StageReport, inputs: [InputNote]? = nil,
        in context: ManagedObjectContext
    ) throws {
        let note = StageNote(
            name: stage.name, fingerprint: fingerprint(of: stage), report: report, inputs: inputs)
        let number = state.withLock { state in
            // A stage that must not be repeated counts as completed, even after a failure.
            guard !isAfterFailure || !stage.kind.isRepeatable else { return Int64(0) }
            state.stages.append(note)
            return Int64(state.stages.count)
        }
        if number > 0 {
            try context.writeProgressNote(
                "done", number, Self.encode(note.mappingPaths(paths.noted)))
        }
        if inputs != nil { try restart(in: context) }
    }

    /// Notes in a separate transaction that a stage without writes is completed.
    func finish(_ stage: Stage, _ report: StageReport, in container: PersistentContainer) throws {
        guard takesNotes else { return }
        try container.newBackgroundContext().performAndWait { context in
            try finish(stage, report, in: context)
            try context.save()
        }
    }

    /// Removes the notes of a successful run.
    ///
    /// The position of an import that this run left out is kept, as long as the spec contains the
    /// import.
    ///
    /// - Parameter stages: all stages of the spec.
    func end(of stages: [Stage], in container: PersistentContainer) throws {
        guard takesNotes else { return }
        try container.newBackgroundContext().performAndWait { context in
            try suspend(in: context)
            let names = Set(stages.map(\.name))
            let gone = state.withLock { state in
                let gone = state.suspended.map(\.stage).filter { !names.contains($0) }
                state.suspended.removeAll { gone.contains($0.stage) }
                return gone
            }
            for stage in gone {
                try context.removeProgressNotes(Self.stageKinds.map { "\(stage):\($0)" })
            }
            // An earlier unfinished run may have completed the stages that this run left out.
            let isComplete = state.withLock { state in
                !run.leavesOut || names.isSubset(of: state.stages.map(\.name))
            }
            if isComplete, state.withLock(\.suspended.isEmpty) {
                try context.endProgressNotes()
            } else {
                var left = run
                left.isEnded = true
                // A partial run leaves the rest of an unfinished run to the next one.
                if !isComplete, let earlier = run.earlier.first { left = earlier }
                try context.writeProgressNote("run", 0, Self.encode(left))
                if isComplete { try context.removeProgressNotes(["done"]) }
                try noteSuspended(in: context)
            }
            try context.save()
        }
        try container.removeEmptyProgressFile()
    }

    // MARK: Imports

    /// Returns how far an earlier attempt got with an import, even if the stage has changed.
    func point(of stage: Stage) -> ResumePoint? {
        state.withLock { state in
            ((state.present.map { [$0] } ?? []) + state.suspended)
                .first { $0.stage == stage.name }
        }
    }

    /// Makes the notes of an import the active ones.
    ///
    /// The notes of another interrupted import are suspended.
    func beginImport(_ stage: Stage, in container: PersistentContainer) throws {
        let isPresent = state.withLock { state in
            state.present.map { $0.stage == stage.name } ?? state.suspended.isEmpty
        }
        guard takesNotes, !isPresent else { return }
        try container.newBackgroundContext().performAndWait { context in
            try beginImport(stage, in: context)
            try context.save()
        }
    }

    private func beginImport(_ stage: Stage, in context: ManagedObjectContext) throws {
        try suspend(in: context)
        let point = state.withLock { state -> ResumePoint? in
            guard let place = state.suspended.firstIndex(where: { $0.stage == stage.name })
            else { return nil }
            return state.suspended.remove(at: place)
        }
        guard let point else { return }
        for kind in Self.stageKinds {
            try context.renameProgressNotes("\(stage.name):\(kind)", to: kind)
        }
        state.withLock { $0.present = point }
        try noteSuspended(in: context)
    }

    private func suspend(in context: ManagedObjectContext) throws {
        let stopped = state.withLock { state -> ResumePoint? in
            guard let point = state.present else { return nil }
            state.suspended.append(point)
            state.present = nil
            return point
        }
        guard let stopped else { return }
        for kind in Self.stageKinds {
            try context.renameProgressNotes(kind, to: "\(stopped.stage):\(kind)")
        }
        try noteSuspended(in: context)
    }

    private func noteSuspended(in context: ManagedObjectContext) throws {
        let names = state.withLock { $0.suspended.map(\.stage) }
        try context.writeProgressNote("stopped", 0, Array(try JSONEncoder().encode(names)))
    }

    /// Removes the progress of an import, in the open transaction, so that it starts over.
    ///
    /// - Parameter note: the note to keep.
    func restart(_ note: ResumePoint? = nil, in context: ManagedObjectContext) throws {
        state.withLock { $0.present = nil }
        try context.removeProgressNotes(Self.stageKinds)
        if let note { try self.note(note, finished: [], in: context) }
    }

    /// Notes the progress of an import in the open transaction.
    ///
    /// - Parameter finished: the inputs that were completely read since the last note.
    func note(
        _ progress: ResumePoint, finished: [InputNote], in context: ManagedObjectContext
    ) throws {
        let first = state.withLock { state in
            let known = state.present?.finished ?? []
            state.present = progress
            state.present?.finished = known + finished
            return known.count
        }
        try context.writeProgressNote(
            "stage", 0, Self.encode(progress.mappingPaths(paths.noted)))
        for (place, input) in finished.enumerated() {
            try context.writeProgressNote(
                "input", Int64(first + place), Self.encode(input.mappingPaths(paths.noted)))
        }
    }
}
