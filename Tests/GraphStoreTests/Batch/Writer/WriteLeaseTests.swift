import Foundation
import Synchronization
import Testing

@testable import GraphStore

/// The wait for the write lease: order, duration, and errors.
@Suite("Write lease") struct WriteLeaseTests {
    @Test("a canceled task stops waiting for the write lease")
    func cancelledWait() async throws {
        let lease = WriteLease()
        var patient = StoreOptions()
        patient.busyTimeoutMilliseconds = 600_000
        let options = patient
        await withCheckedContinuation { continuation in
            // A separate thread, because a thread does not wait for itself.
            Thread {
                try? lease.take(as: "a test", options, path: "S")
                continuation.resume()
            }.start()
        }
        let task = Task.detached {
            storeError { try lease.take(as: "another", options, path: "S") }
        }
        try await Task.sleep(for: .milliseconds(100))
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test("a thread waits for the lease of an ended thread, even if it reuses that thread's ID")
    func endedThread() throws {
        let lease = WriteLease()
        var options = StoreOptions()
        options.busyTimeoutMilliseconds = 1
        func onItsOwnThread(_ body: @escaping @Sendable () -> Void) {
            let done = DispatchSemaphore(value: 0)
            Thread {
                body()
                done.signal()
            }.start()
            done.wait()
        }
        onItsOwnThread { [options] in try? lease.take(as: "a test", options, path: "S") }
        let messages = Mutex<Set<String>>([])
        for _ in 0..<20 {
            onItsOwnThread { [options] in
                let error = storeError { try lease.take(as: "another", options, path: "S") }
                _ = messages.withLock { $0.insert(error?.message ?? "no error") }
            }
        }
        #expect(
            messages.withLock(\.self) == [
                "S is being written by a test, which did not end in time; try again later, or raise"
                    + " `busyTimeoutMilliseconds`"
            ])
    }

    @Test("an observer of saves can save, and hears of its own save afterward")
    func savingObserver() throws {
        try withObjects { store in
            let container = store.container
            let seen = Mutex<[Int]>([])
            let failures = Mutex<[String]>([])
            container.observeChanges { change in
                let isFirst = seen.withLock { seen in
                    seen.append(change.inserted.count)
                    return seen.count == 1
                }
                guard isFirst else { return }
                let context = container.newContext()
                context.insert(Todo.self)
                context.insert(Todo.self)
                if let error = storeError({ try context.save() }) {
                    failures.withLock { $0.append(error.message) }
                }
            }
            let context = store.context()
            context.insert(Todo.self)
            try context.save()
            #expect(failures.withLock(\.self) == [])
            #expect(seen.withLock(\.self) == [1, 2])
        }
    }

    @Test("performAndWait runs at once inside a call of its context, also through another context")
    func nestedContexts() throws {
        try withObjects { store in
            let (first, second) = (
                store.container.newBackgroundContext(), store.container.newBackgroundContext()
            )
            let counts = try first.performAndWait { context in
                context.insert(Todo.self)
                try context.save()
                return try second.performAndWait { context in
                    context.insert(Todo.self)
                    try context.save()
                    return try first.performAndWait { context in
                        context.insert(Todo.self)
                        try context.save()
                        return try second.performAndWait { try $0.count(for: Todo.request) }
                    }
                }
            }
            #expect(counts == 3)
        }
    }

    @Test("performAndWait fails at once if it would write during a unit of work of the same thread")
    func writesInsideAUnit() throws {
        try withObjects { store in
            let background = store.container.newBackgroundContext()
            let context = store.context()
            let start = ContinuousClock.now
            let error = try context.unitOfWork { context -> StoreError? in
                _ = try context.execute(
                    BatchInsertRequest(entityName: "Task", objects: [["title": "a"]]))
                return background.performAndWait { other in
                    other.insert(Todo.self)
                    return storeError { try other.save() }
                }
            }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("on this thread, which cannot wait for itself") == true)
            #expect(ContinuousClock.now - start < .seconds(4))
            try background.performAndWait { _ = try $0.save() }
            #expect(try context.count(for: Todo.request) == 2)
        }
    }

    @Test("the timeout error names no writer if a change check holds the lease")
    func looking() throws {
        let lease = WriteLease()
        var options = StoreOptions()
        options.busyTimeoutMilliseconds = 20
        #expect(lease.takeToCheckIfFree())
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<StoreError?>(nil)
        let waiting = Thread { [options] in
            let error = storeError { try lease.take(as: "a test", options, path: "S") }
            failure.withLock { $0 = error }
            done.signal()
        }
        waiting.start()
        done.wait()
        #expect(
            failure.withLock { $0?.message }
                == "S is being checked for changes of others, which did not end in time; try again"
                + " later, or raise `busyTimeoutMilliseconds`")
    }
}
