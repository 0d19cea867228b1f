import Synchronization

/// The progress of a run for observers; can be read from any thread at any time.
package final class RunProgress: Sendable {
    /// The progress at one moment.
    package struct Snapshot: Sendable {
        /// The stage that is running, such as `import tasks`.
        package var stage: String
        /// The current phase if the stage is not reading, such as `indexes`.
        package var phase: String
        /// The start of the stage.
        package var started = ContinuousClock().now
        /// The stored size of the stage's inputs in bytes; 0 if unknown.
        package var bytesTotal: Int
        /// The number of stored bytes read so far; 0 for a stage without inputs.
        package var bytesRead: Int
        /// The number of records read, or of rows written.
        package var records: Int
    }

    fileprivate struct State {
        var snapshot = Snapshot(stage: "", phase: "", bytesTotal: 0, bytesRead: 0, records: 0)
        var sampler = RunSampler()
    }

    private let state = Mutex(State())

    /// Creates the progress of a run that has not started a stage.
    package init() {}

    /// A copy of the current progress; its `stage` is empty if no stage is running.
    package var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// Shows a stage as the one that is running.
    ///
    /// - Parameter records: The number of records that earlier attempts of the stage have
    ///   processed.
    func begin(stage: String, bytesTotal: Int, records: Int = 0) {
        state.withLock { state in
            state.takeSample()
            state.snapshot = Snapshot(
                stage: stage, phase: "", bytesTotal: bytesTotal, bytesRead: 0, records: records)
            state.takeSample()
        }
    }

    func update(bytesRead: Int, records: Int) {
        state.withLock { state in
            state.snapshot.bytesRead = bytesRead
            state.snapshot.records = records
            let now = ContinuousClock.now
            if state.sampler.isDue(now) { state.takeSample(at: now) }
        }
    }

    func enter(phase: String) {
        state.withLock { $0.snapshot.phase = phase }
    }

    /// Ends the stage, so that no progress is shown.
    func end() {
        state.withLock { state in
            state.takeSample()
            state.snapshot.stage = ""
        }
    }

    /// Returns the samples of the run so far.
    func finishSamples() -> [RunSample] {
        state.withLock { state in
            state.takeSample()
            return state.sampler.samples
        }
    }
}

extension RunProgress.State {
    /// Takes a sample; does nothing before the first stage.
    fileprivate mutating func takeSample(at now: ContinuousClock.Instant = .now) {
        guard !snapshot.stage.isEmpty else { return }
        sampler.add(snapshot.stage, records: snapshot.records, at: now)
    }
}
