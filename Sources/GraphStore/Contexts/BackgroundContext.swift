import Dispatch

/// A context on a serial queue of its own, since SQLite blocks its thread.
public actor BackgroundContext {
    private let executor: QueueExecutor
    private let context: ManagedObjectContext

    /// The actor runs on its queue.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    init(container: PersistentContainer) {
        executor = QueueExecutor(label: "GraphStore.BackgroundContext")
        context = container.newContext()
    }

    /// Runs the body on the context's queue.
    public func perform<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        try body(context)
    }

    /// Runs the body on the context's queue and blocks until it is done; not for async code.
    public nonisolated func performAndWait<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        // The caller is blocked until the queue has run the body, so nothing else uses it
        // meanwhile; the compiler cannot see that through `sync`.
        nonisolated(unsafe) let unshared = body
        return try executor.queue.sync {
            try assumeIsolated { try unshared($0.context) }
        }
    }
}

/// Runs an actor's jobs on a serial queue.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
