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

    private let state = Mutex(
        Snapshot(stage: "", phase: "", bytesTotal: 0, bytesRead: 0, records: 0))

    package init() {}

    package var snapshot: Snapshot { state.withLock { $0 } }

    func begin(stage: String, bytesTotal: Int) {
        state.withLock {
            $0 = Snapshot(
                stage: stage, phase: "", bytesTotal: bytesTotal, bytesRead: 0, records: 0)
        }
    }

    func update(bytesRead: Int, records: Int) {
        state.withLock {
            $0.bytesRead = bytesRead
            $0.records = records
        }
    }

    func enter(phase: String) {
        state.withLock { $0.phase = phase }
    }
}
