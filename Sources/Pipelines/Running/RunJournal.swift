import FoundationEssentials
import GraphStore
import Synchronization

/// How far a run has come, noted in its store with everything that it saves.
///
/// Each batch commits with the place up to which its inputs are consumed, each stage with the
/// mark that it is done, in one transaction. So whatever ends a run, the next one finds exactly
/// what was saved and goes on behind it. Only a run that ends well removes its notes.
final class RunJournal: Sendable {
    private static let stageKinds = ["stage", "input", ParkedRecords.kind] + BulkWriter.noteKinds

    private struct State {
        var stages: [StageNote] = []
        /// The import whose notes have the plain kinds.
        var present: ResumePoint?
        /// Those whose kinds have the stage's name and a colon before them.
        var suspended: [ResumePoint] = []
        /// What was worked out of each stage, by name.
        var fingerprints: [String: String] = [:]

        mutating func take(_ saved: Saved) {
            present = saved.present
            suspended = Array(saved.points.dropFirst(saved.isFirstPresent ? 1 : 0))
        }
    }

    let run: RunNote
    private let paths: NotedPaths
    /// A store that is only read takes no notes.
    private let takesNotes: Bool
    /// Stages that run after a failure are not noted as done if they may be repeated: they run again
    /// with the next attempt.
    private let isAfterFailure: Bool
    private let state: Mutex<State>

    /// Begins a run, or another attempt of one.
    ///
    /// - Parameter isSameAttempt: what was saved is from this very attempt.
    init(
        _ run: RunNote, _ paths: NotedPaths, _ beginning: Beginning, isSameAttempt: Bool,
        isAfterFailure: Bool = false, in container: PersistentContainer
    ) throws {
        self.paths = paths
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
            state.take(saved)
        case .anew(let saved, let stages):
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
            try Self.makeRoom(for: run.owner, in: context)
            switch beginning {
            case .new:
                try context.endProgressNotes()
                try context.beginProgressNotes()
            case .continued: break
            case .anew:
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

    /// Suspends the notes of another owner's run, and takes those of an owner back.
    static func makeRoom(for owner: String, in context: ManagedObjectContext) throws {
        // Of damaged notes nobody knows whose they are.
        let present = try context.progressNote("run", 0).flatMap { try? Heading($0).owner }
        guard present != owner else { return }
        if let present { try context.suspendProgressNotes(of: present) }
        try context.resumeProgressNotes(of: owner)
    }

    private static func encode(_ note: some JSONWritable) -> [UInt8] {
        Array(note.json.exact.utf8)
    }

    /// What the run has come to by now, as the store's notes say it.
    var current: Saved {
        state.withLock { state in
            Saved(
                run: run, stages: state.stages,
                points: (state.present.map { [$0] } ?? []) + state.suspended,
                isFirstPresent: state.present != nil)
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
                ?? (state.present?.stage == stage.name ? state.present?.finished : nil) ?? []
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
            // What must not be repeated is done, whatever failed before it.
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
            // Of an unfinished run before, stages may be done that this one has left out.
            let isComplete = state.withLock { state in
                !run.leavesOut || names.isSubset(of: state.stages.map(\.name))
            }
            if isComplete, state.withLock(\.suspended.isEmpty) {
                try context.endProgressNotes()
            } else {
                var left = run
                left.isEnded = true
                // A part of an unfinished run leaves the rest of it to the next one.
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

    /// How far an earlier attempt came with an import, whatever the stage says today.
    func point(of stage: Stage) -> ResumePoint? {
        state.withLock { state in
            ((state.present.map { [$0] } ?? []) + state.suspended)
                .first { $0.stage == stage.name }
        }
    }

    /// Makes the notes of an import the present ones.
    ///
    /// Those of another import that has stopped are suspended.
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

    /// Forgets how far an import came, in the open transaction.
    ///
    /// - Parameter note: what stays of it.
    func restart(_ note: ResumePoint? = nil, in context: ManagedObjectContext) throws {
        state.withLock { $0.present = nil }
        try context.removeProgressNotes(Self.stageKinds)
        if let note { try self.note(note, finished: [], in: context) }
    }

    /// Notes in the open transaction how far an import has come.
    ///
    /// - Parameter finished: inputs that were read to their end since the last note.
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
                "input", Int64(first + place), Self.encode(input.mappingPath(paths.noted)))
        }
    }
}
