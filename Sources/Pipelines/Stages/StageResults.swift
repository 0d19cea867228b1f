import Synchronization

/// The results of the stages so far, including failed stages, for the report of the run.
final class StageResults: Sendable {
    /// The result of a stage that has started.
    struct Entry {
        var state: RunReport.State
        /// The report of the stage; of a stage that did not finish, the results that were saved.
        var report: StageReport?
        var inputs: [InputNote] = []
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Sets the state of a stage, and keeps its other results.
    func note(_ stage: Stage, _ state: RunReport.State) {
        entries.withLock { $0[stage.name, default: Entry(state: state)].state = state }
    }

    /// Sets the saved results of a stage.
    func note(_ stage: Stage, _ report: StageReport) {
        entries.withLock { $0[stage.name, default: Entry(state: .failed)].report = report }
    }

    /// Sets the inputs that an import has read; an empty list has no effect.
    func note(_ stage: Stage, inputs: [InputNote]) {
        guard !inputs.isEmpty else { return }
        entries.withLock { $0[stage.name, default: Entry(state: .failed)].inputs = inputs }
    }

    /// Notes that the changes of a stage to the store were discarded.
    func discard(_ stage: Stage) {
        entries.withLock { entries in
            guard var entry = entries[stage.name] else { return }
            if [.done, .resumed].contains(entry.state) { entry.state = .discarded }
            entry.report?.discard()
            entries[stage.name] = entry
        }
    }

    func entry(of stage: Stage) -> Entry? { entries.withLock { $0[stage.name] } }
}
