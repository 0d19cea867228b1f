import Synchronization

/// Where a run is, for whoever watches; read from another thread at any time.
package final class RunProgress: Sendable {
    /// A look at a run.
    package struct Snapshot: Sendable {
        /// The stage that is running, such as `import tasks`.
        package var stage: String
        /// What it does besides reading, such as `indexes`.
        package var phase: String
        /// When it began.
        package var started = ContinuousClock().now
        /// Bytes of its inputs, as stored, and how many of them were read; 0 where unknown.
        package var bytesTotal: Int
        package var bytesRead: Int
        /// Records read, or rows written.
        package var records: Int
    }

    fileprivate struct State {
        var snapshot = Snapshot(stage: "", phase: "", bytesTotal: 0, bytesRead: 0, records: 0)
        var sampler = RunSampler()
    }

    private let state = Mutex(State())

    package init() {}

    package var snapshot: Snapshot { state.withLock { $0.snapshot } }

    /// - Parameter records: what earlier attempts of the stage have done.
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

    /// The stage is over: nothing is to be shown of it any more.
    func end() {
        state.withLock { state in
            state.takeSample()
            state.snapshot.stage = ""
        }
    }

    /// How the run came along up to now.
    func finishSamples() -> [RunSample] {
        state.withLock { state in
            state.takeSample()
            return state.sampler.samples
        }
    }
}

extension RunProgress.State {
    /// Before the first stage there is nothing to be seen.
    fileprivate mutating func takeSample(at now: ContinuousClock.Instant = .now) {
        guard !snapshot.stage.isEmpty else { return }
        sampler.add(snapshot.stage, records: snapshot.records, at: now)
    }
}
