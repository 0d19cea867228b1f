import Foundation
import Testing

@testable import Pipelines

@Suite("The queue between reader and writer")
struct BatchQueueTests {
    private static func expired() -> Interruption {
        let interruption = Interruption()
        interruption.limit(to: .zero)
        return interruption
    }

    @Test("a time limit ends the wait for the reader, unless it reads over what is saved")
    func timeLimit() throws {
        let queue = BatchQueue(count: 1) { 7 }
        #expect(throws: Interrupted.self) { try queue.take(Self.expired()) }
        let reader = Thread {
            // Longer than the writer's look at the clock takes.
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

    @Test("a reader learns that nobody wants more")
    func cancelled() {
        let queue = BatchQueue(count: 2) { 7 }
        #expect(!queue.isCancelled)
        queue.cancel()
        #expect(queue.isCancelled)
        #expect(queue.takeIdle() == nil)
        #expect(queue.takeIdle() == nil)
    }
}
