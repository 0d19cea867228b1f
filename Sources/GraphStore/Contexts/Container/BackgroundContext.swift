import Dispatch
import SQLite
import Synchronization

/// A context on its own serial queue, because SQLite blocks its thread.
public actor BackgroundContext {
    private let executor: QueueExecutor
    private let context: ManagedObjectContext

    /// The executor that runs the actor on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(container: PersistentContainer) {
        executor = QueueExecutor(label: "GraphStore.BackgroundContext")
        let context = container.newContext()
        if ConcurrencyDebug.isOn {
            let executor = executor
            context.link.check = { executor.checkIsolated() }
        }
        self.context = context
    }

    /// Runs the body on the context's queue and processes pending changes at its end.
    ///
    /// The context's next save throws any error of that processing.
    public func perform<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        defer { endEvent() }
        return try body(context)
    }

    /// Runs the body as `perform(_:)` does, but stops the work if the calling task is canceled.
    ///
    /// Cancellation interrupts the running statement. Later requests of the context to the store
    /// throw `.cancelled`. A committed save stays committed.
    ///
    /// - Throws: `StoreError` with the code `.cancelled`, or the error of the body.
    public nonisolated func performCancellable<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) async throws -> R {
        let flag = InterruptFlag()
        // Only the actor runs it, once.
        nonisolated(unsafe) let unshared = body
        return try await withTaskCancellationHandler {
            try await run({ try unshared($0) }, watching: flag)
        } onCancel: {
            flag.raise()
        }
    }

    private func run<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R, watching flag: InterruptFlag
    ) throws -> R {
        context.interruptFlag = flag
        defer {
            context.stopWatching()
            endEvent()
        }
        try context.checkInterrupt()
        return try body(context)
    }

    /// Runs the body on the context's queue and blocks until it finishes; not for async code.
    ///
    /// Inside `perform` or `performAndWait` of the same context, it runs the body immediately.
    public nonisolated func performAndWait<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        // The caller is blocked until the queue has run the body, so no other code uses the body at
        // the same time; the compiler cannot see that through `sync`.
        nonisolated(unsafe) let unshared = body
        if executor.isCurrent {
            return try assumeIsolated { try unshared($0.context) }
        }
        return try executor.sync {
            try assumeIsolated { own in
                defer { own.endEvent() }
                return try unshared(own.context)
            }
        }
    }

    /// Sets whether the context merges changes saved elsewhere as soon as they arrive.
    public func setAutomaticallyMergesChangesFromParent(_ isOn: Bool) {
        context.setMergesAutomatically(isOn) { [weak self] in
            Task { await self?.perform { _ in } }
        }
    }

    private func endEvent() {
        context.endEvent()
    }
}

/// An executor that runs an actor's jobs on a serial queue.
///
/// The executor stores the current thread itself instead of in a queue-specific value. Dispatch
/// destroys a queue that has such a value (`setSpecific`) on another thread. In a process that was
/// single-threaded until then, that makes every later read and write of its stores slower.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue
    /// The number of the thread that runs the queue's jobs; 0 if no job is running.
    private let thread = Atomic<UInt>(0)

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Whether the caller runs on the queue.
    var isCurrent: Bool { thread.load(ordering: .relaxed) == ThreadNumber.current }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { [self] in noting { job.runSynchronously(on: executor) } }
    }

    /// Runs the body on the queue and blocks until it finishes.
    func sync<R>(_ body: () throws -> R) rethrows -> R {
        try queue.sync { try noting(body) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }

    private func noting<R>(_ body: () throws -> R) rethrows -> R {
        thread.store(ThreadNumber.current, ordering: .relaxed)
        defer { thread.store(0, ordering: .relaxed) }
        return try body()
    }
}
