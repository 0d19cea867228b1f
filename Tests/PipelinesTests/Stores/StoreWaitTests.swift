import Testing

@testable import Pipelines

@Suite("How long a run waits for a store that another program has locked")
struct StoreWaitTests {
    /// Returns whether waits continue after 10 ms and 0.5, 3, 7, and 100 s.
    private func answers(
        _ policy: RunOptions.LockedPolicy?, _ interruption: Interruption = Interruption(),
        _ prepare: (StoreWait) -> Void = { _ in }
    ) -> [Bool] {
        let wait = StoreWait(policy, interruption)
        prepare(wait)
        return [10, 500, 3_000, 7_000, 100_000].map {
            wait.shouldContinue(after: .milliseconds($0))
        }
    }

    @Test("before the run begins, waits 1 s, or as long as --if-locked allows")
    func beginning() {
        for policy in [nil, .fail, .skip, .wait(seconds: 0)] as [RunOptions.LockedPolicy?] {
            #expect(answers(policy) == [true, true, false, false, false])
        }
        // The limit counts from the start of the run, which is now.
        #expect(answers(.wait(seconds: 50)) == [true, true, true, true, true])
    }

    @Test("during the run, waits 5 s, or as long as --if-locked allows")
    func running() {
        for policy in [nil, .fail, .skip, .wait(seconds: 2)] as [RunOptions.LockedPolicy?] {
            #expect(answers(policy) { $0.noteBegin() } == [true, true, true, false, false])
        }
        #expect(
            answers(.wait(seconds: 50)) { $0.noteBegin() } == [true, true, true, true, false])
    }

    @Test("a failed run waits up to 1 s to clean up")
    func failed() {
        let answers = answers(.wait(seconds: 50)) { wait in
            wait.noteBegin()
            wait.noteFailure()
        }
        #expect(answers == [true, true, false, false, false])
    }

    @Test(
        "waits up to 1 s after the time limit, and less than 0.5 s after a signal",
        arguments: [false, true])
    func stopped(_ hasBegun: Bool) {
        let interruption = Interruption()
        func now() -> [Bool] {
            answers(.wait(seconds: 50), interruption) { if hasBegun { $0.noteBegin() } }
        }
        interruption.limit(to: .zero)
        #expect(now() == [true, true, false, false, false])
        interruption.request(signal: 15)
        #expect(now() == [true, false, false, false, false])
    }
}
