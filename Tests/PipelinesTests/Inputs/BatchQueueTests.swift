import Foundation
import Synchronization
import Testing

@testable import Pipelines

@Suite("The queue between the reader and the writer")
struct BatchQueueTests {
    private static func expired() -> Interruption {
        let interruption = Interruption()
        interruption.limit(to: .zero)
        return interruption
    }

    @Test("a time limit ends the wait for the reader, except while it re-reads saved records")
    func timeLimit() throws {
        let queue = BatchQueue(count: 1) { 7 }
        #expect(throws: Interrupted.self) { try queue.take(Self.expired()) }
        let reader = Thread {
            // Longer than the interval at which the writer checks the clock.
            Thread.sleep(forTimeInterval: 0.3)
            if let batch = queue.takeIdle() { queue.put(batch) }
            queue.finish()
        }
        reader.start()
        #expect(try queue.take(Self.expired(), ignoringTimeLimit: true) == 7)
        #expect(try queue.take(Self.expired(), ignoringTimeLimit: true) == nil)
    }

    @Test("a signal ends every wait")
    func signal() {
        let queue = BatchQueue(count: 1) { 7 }
        let interruption = Self.expired()
        interruption.request(signal: 15)
        #expect(throws: Interrupted.self) {
            try queue.take(interruption, ignoringTimeLimit: true)
        }
    }

    @Test("the reader fills no batch next to a large one until it is recycled or canceled")
    func largeBatches() throws {
        let queue = BatchQueue(count: 3, isLarge: { $0 > 100 }) { 7 }
        let taken = Mutex(0)
        let reader = Thread {
            for number in [1, 2, 101, 3, 4, 102, 5] {
                guard queue.takeIdle() != nil else { break }
                taken.withLock { $0 += 1 }
                queue.put(number)
            }
            queue.finish()
        }
        reader.start()
        func take() throws -> Int? {
            defer { Thread.sleep(forTimeInterval: 0.05) }
            return try queue.take(Interruption())
        }
        #expect(try take() == 1)
        #expect(try take() == 2)
        #expect(try take() == 101)
        for _ in 0..<2 {
            queue.recycle(7)
            Thread.sleep(forTimeInterval: 0.05)
            #expect(taken.withLock(\.self) == 3)
        }
        queue.recycle(7)
        #expect(try take() == 3)
        #expect(try take() == 4)
        #expect(try take() == 102)
        #expect(taken.withLock(\.self) == 6)
        queue.cancel()
        #expect(try take() == nil)
        #expect(taken.withLock(\.self) == 6)
    }

    @Test("cancel marks the queue as canceled, and the reader gets no more batches")
    func cancelled() {
        let queue = BatchQueue(count: 2) { 7 }
        #expect(!queue.isCancelled)
        queue.cancel()
        #expect(queue.isCancelled)
        #expect(queue.takeIdle() == nil)
        #expect(queue.takeIdle() == nil)
    }
}
