import Dispatch
public import Testing

/// Runs a test on a thread of its own: swift-subprocess needs a thread of the language's pool, and a
/// few tests that wait for commands at once would take them all.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Also the tests of a suite.
    public let isRecursive = true

    /// A trait for a suite or a test.
    public init() {}

    /// Runs the test there.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}
