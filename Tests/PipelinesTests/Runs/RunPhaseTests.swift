import Testing

@testable import Pipelines

@Suite("Phases of a run")
struct RunPhaseTests {
    typealias Action = RunPhase.Action
    typealias Remedy = RunPhase.Remedy

    /// Returns all steps of an undisturbed run.
    private func steps(
        _ way: StoreTarget.Way, isOfApp: Bool = false, groups: [RunPhase.WorkLocation]
    ) -> [Action] {
        var phase = RunPhase(way, isOfApp: isOfApp, groupCount: groups.count)
        var left = phase.firstActions[...]
        var done: [Action] = []
        while let action = left.popFirst() {
            done.append(action)
            if case .open(let group) = action { left += phase.handle(.opened(groups[group])) }
            if left.isEmpty, !phase.hasEnded { left += phase.handle(.done) }
        }
        #expect(phase.state == .ended(.done))
        #expect(phase.hasBegun)
        return done
    }

    @Test("In place, the run writes the report, deletes its notes, and closes the store")
    func inPlace() {
        let expected: [Action] = [
            .open(group: 0), .runStages(group: 0), .finishStore, .drainReplay, .reportEarly,
            .endNotes, .closeStore,
        ]
        #expect(steps(.inPlace, groups: [.store]) == expected)
        #expect(steps(.readOnly, groups: [.store]) == expected)
    }

    @Test("A store that is built separately is moved into place before the report is written")
    func workingCopy() {
        let expected: [Action] = [
            .open(group: 0), .runStages(group: 0), .finishStore, .drainReplay, .closeStore,
            .replaceStore, .publish, .reportEarly, .endNotes,
        ]
        #expect(steps(.replacement, groups: [.workingCopy]) == expected)
        #expect(steps(.workingCopy(.atTheEnd), groups: [.workingCopy]) == expected)
    }

    @Test("A replay into an app's store is drained after the store is replaced")
    func appStore() {
        #expect(
            steps(.workingCopy(.atTheEnd), isOfApp: true, groups: [.workingCopy]) == [
                .open(group: 0), .runStages(group: 0), .finishStore, .closeStore, .replaceStore,
                .publish,
                .drainReplay, .reportEarly, .endNotes,
            ])
    }

    @Test("Each stage replaces the store separately; a stage that only reads uses the store itself")
    func stageByStage() {
        #expect(
            steps(.workingCopy(.afterEachStage), groups: [.workingCopy, .store, .workingCopy]) == [
                .open(group: 0), .runStages(group: 0), .finishStore, .drainReplay, .closeStore,
                .replaceStore, .publish,
                .open(group: 1), .runStages(group: 1), .finishStore, .drainReplay, .closeStore,
                .open(group: 2), .runStages(group: 2), .finishStore, .drainReplay, .closeStore,
                .replaceStore, .publish, .reportEarly, .endNotes,
            ])
    }

    @Test("A dry run replaces nothing and leaves no notes")
    func dry() {
        for way in [StoreTarget.Way.inPlace, .replacement, .workingCopy(.afterEachStage)] {
            #expect(
                steps(.snapshot(of: way), groups: [.workingCopy]) == [
                    .open(group: 0), .runStages(group: 0), .finishStore, .closeStore,
                ])
        }
    }

    /// Returns the steps after a failure in a phase that some events reach.
    private func remedies(
        _ way: StoreTarget.Way, after events: [RunPhase.Event], _ failure: RunPhase.Failure
    ) -> [Remedy] {
        var phase = RunPhase(way, isOfApp: false, groupCount: 1)
        for event in events { _ = phase.handle(event) }
        return phase.fail(failure)
    }

    @Test("A temporary failure keeps the work; other failures discard work next to the store")
    func failures() {
        let working: [RunPhase.Event] = [.opened(.workingCopy)]
        let placing = working + [.done]
        for events in [[], working, placing, placing + [.done]] {
            #expect(
                remedies(.replacement, after: events, .lasting) == [
                    .abandonWork, .takeBack, .finishAfterFailure(keepsWork: false), .runAlways,
                ])
            #expect(
                remedies(.replacement, after: events, .passing) == [
                    .finishAfterFailure(keepsWork: true), .runAlways,
                ])
            #expect(
                remedies(.replacement, after: events, .stopped) == [
                    .finishAfterFailure(keepsWork: true)
                ])
        }
        #expect(remedies(.snapshot(of: .inPlace), after: working, .lasting) == [])
        #expect(
            remedies(.inPlace, after: [.opened(.store)], .lasting) == [
                .abandonWork, .finishAfterFailure(keepsWork: false), .runAlways,
            ])
    }

    @Test("A store in use is a failure only if the run has begun")
    func locked() {
        var phase = RunPhase(.inPlace, isOfApp: false, groupCount: 1)
        #expect(phase.fail(.storeInUse) == [])
        #expect(phase.state == .ended(.lockedOut))
        #expect(
            remedies(.inPlace, after: [.opened(.store)], .storeInUse) == [
                .finishAfterFailure(keepsWork: true), .runAlways,
            ])
    }

    @Test("Skips a group that an earlier attempt has already put in place")
    func wasDone() {
        var phase = RunPhase(.workingCopy(.afterEachStage), isOfApp: false, groupCount: 2)
        #expect(phase.handle(.wasDone) == [.open(group: 1)])
        #expect(!phase.hasBegun)
        #expect(phase.handle(.wasDone) == [.reportEarly, .endNotes])
        #expect(phase.handle(.done) == [])
        #expect(phase.state == .ended(.done))
    }

    @Test("The store's settings select where stages write")
    func ways() {
        func way(
            _ open: StoreSpec.OpenMode, _ commit: StoreSpec.CommitMode, isOnlyRead: Bool = false,
            isOfApp: Bool = false
        ) -> StoreTarget.Way {
            StoreTarget.Way(open, commit, isOnlyRead: isOnlyRead, isOfApp: isOfApp)
        }
        #expect(way(.create, .batch) == .inPlace)
        #expect(way(.existing, .stage) == .workingCopy(.afterEachStage))
        #expect(way(.existing, .run) == .workingCopy(.atTheEnd))
        #expect(way(.replace, .stage) == .replacement)
        #expect(way(.replace, .batch, isOfApp: true) == .replacement)
        #expect(way(.existing, .batch, isOfApp: true) == .workingCopy(.atTheEnd))
        #expect(way(.existing, .stage, isOfApp: true) == .workingCopy(.atTheEnd))
        #expect(way(.existing, .run, isOnlyRead: true) == .inPlace)
        #expect(way(.existing, .run, isOnlyRead: true, isOfApp: true) == .readOnly)
    }
}
