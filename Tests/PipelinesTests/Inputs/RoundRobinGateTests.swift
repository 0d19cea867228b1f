import Dispatch
import Synchronization
import Testing

@testable import Pipelines

@Suite("Round-robin turns") struct RoundRobinGateTests {
    @Test func runsThreadsInRoundRobinOrder() {
        let turns = RoundRobinGate(count: 3)
        let done = TurnLog()
        let group = DispatchGroup()
        for thread in 0..<3 {
            DispatchQueue(label: "turns").async(group: group) {
                while turns.take(thread, { done.add(thread, before: 30) }) != nil {}
            }
        }
        #expect(group.wait(timeout: .now() + .seconds(60)) == .success)
        #expect(done.threads == (0..<30).map { $0 % 3 })
    }

    @Test func returnsNilToAllThreadsAfterAFailure() {
        struct Failure: Error {}
        let turns = RoundRobinGate(count: 2)
        #expect(throws: Failure.self) { try turns.take(0) { () -> Int? in throw Failure() } }
        #expect(turns.take(1) { 1 } == nil)
        #expect(turns.take(0) { 1 } == nil)
    }

    @Test func endReleasesWaitingThreads() {
        let turns = RoundRobinGate(count: 2)
        let waiting = DispatchGroup()
        DispatchQueue.global().async(group: waiting) { _ = turns.take(1) { 1 } }
        turns.end()
        #expect(waiting.wait(timeout: .now() + .seconds(60)) == .success)
    }
}

/// A log of the thread that had each turn.
private final class TurnLog: Sendable {
    private let log = Mutex<[Int]>([])
    var threads: [Int] { log.withLock(\.self) }

    func add(_ thread: Int, before limit: Int) -> Int? {
        log.withLock { log in
            guard log.count < limit else { return nil }
            log.append(thread)
            return thread
        }
    }
}
