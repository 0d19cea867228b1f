import Dispatch
import SQLite
import Synchronization

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
        let context = container.newContext()
        if ConcurrencyDebug.isOn {
            let executor = executor
            context.link.check = { executor.checkIsolated() }
        }
        self.context = context
    }

    /// Runs the body on the context's queue; deletions are carried on at its end.
    ///
    /// What the processing of the changes meets is thrown by the context's next save.
    public func perform<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        defer { endEvent() }
        return try body(context)
    }

    /// As `perform(_:)`, but the end of the task that asked for it ends the work, too.
    ///
    /// What the store is doing at that moment is stopped; whatever the context asks of it
    /// afterwards throws `cancelled`. A save that has committed stays committed.
    ///
    /// - Throws: `StoreError` with the code `cancelled`, or what the body throws.
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

    /// Runs the body on the context's queue and blocks until it is done; not for async code.
    ///
    /// From inside another `perform` or `performAndWait` of the same context it runs at once.
    public nonisolated func performAndWait<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) rethrows -> R {
        // The caller is blocked until the queue has run the body, so nothing else uses it
        // meanwhile; the compiler cannot see that through `sync`.
        nonisolated(unsafe) let unshared = body
        if executor.isCurrent {
            return try assumeIsolated { try unshared($0.context) }
        }
        return try executor.sync {
            try assumeIsolated { actor in
                defer { actor.endEvent() }
                return try unshared(actor.context)
            }
        }
    }

    /// Whether what others save is merged by itself, as it comes.
    public func setAutomaticallyMergesChangesFromParent(_ isOn: Bool) {
        context.setMergesAutomatically(isOn) { [weak self] in
            Task { await self?.perform { _ in } }
        }
    }

    private func endEvent() {
        do throws(StoreError) {
            try context.processPendingChanges()
        } catch {
            context.note(error)
        }
    }
}

/// Runs an actor's jobs on a serial queue.
///
/// Which thread is on the queue is noted here and not beside the queue: a queue with a value of its
/// own (`setSpecific`) is destroyed on another thread, and a process that had one thread until then
/// pays more for each read and write of its stores from there on.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue
    /// The number of the thread that runs what is on the queue; 0 for none.
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

    /// Blocks until the queue has run the body.
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
