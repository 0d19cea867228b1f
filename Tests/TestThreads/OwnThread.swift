import Dispatch
public import Testing

/// Runs a test on a separate thread.
///
/// swift-subprocess needs a thread of Swift's pool, which a few tests that wait for commands at the
/// same time would exhaust.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Applies to the tests of a suite, too.
    public let isRecursive = true

    /// A trait for a suite or a test.
    public init() {}

    /// Runs the test on that thread.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}
