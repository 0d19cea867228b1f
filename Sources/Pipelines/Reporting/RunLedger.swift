import Synchronization

/// What the stages of a run have come to so far, for its report; those that fail, too.
final class RunLedger: Sendable {
    /// A stage that has begun.
    struct Entry {
        var state: RunReport.State
        /// Of a stage that did not come to its end, what was saved of it.
        var report: StageReport?
        var inputs: [InputNote] = []
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Notes how a stage stands, and keeps what else is known of it.
    func note(_ stage: Stage, _ state: RunReport.State) {
        entries.withLock { $0[stage.name, default: Entry(state: state)].state = state }
    }

    /// Notes what a stage has saved so far.
    func note(_ stage: Stage, _ report: StageReport) {
        entries.withLock { $0[stage.name, default: Entry(state: .failed)].report = report }
    }

    /// Notes what an import has read; that nothing is known any more changes nothing.
    func note(_ stage: Stage, inputs: [InputNote]) {
        guard !inputs.isEmpty else { return }
        entries.withLock { $0[stage.name, default: Entry(state: .failed)].inputs = inputs }
    }

    /// Notes that what a stage did to the store was thrown away.
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
