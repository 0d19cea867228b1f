/// The state machine of a run: it receives events and returns the next actions.
///
/// It uses no store and no file, so each path through a run can be tested as a value. `PipelineRun`
/// performs the actions.
///
/// ```
/// opening ─opened→ working ─done→ placing ─done→ opening (the next group)
///                     └─────done→ closing ←─done────┘ (the last group)
///                                    └─done→ ended
/// ```
struct RunPhase: Hashable, Sendable {
    /// Where the stages of a group work: on the store itself or next to it.
    enum WorkLocation: Hashable, Sendable {
        case store, workingCopy
    }

    enum State: Hashable, Sendable {
        case opening(group: Int)
        case working(group: Int, WorkLocation)
        /// The work next to the store replaces the store, and files get their names.
        case placing(group: Int)
        /// All work is in the store; the report is written, and then the notes are removed.
        case closing
        case ended(Ending)
    }

    enum Ending: Hashable, Sendable {
        case done
        /// Another process holds the store, and nothing has begun.
        case lockedOut
        case failed
    }

    enum Event: Hashable, Sendable {
        /// The notes of this attempt are in the store, or in the file next to it.
        case opened(WorkLocation)
        /// An earlier attempt has already committed the work of the group.
        case wasDone
        /// All actions are done.
        case done
    }

    enum Failure: Hashable, Sendable {
        /// Another process has locked the store.
        case storeInUse
        /// A signal or the time limit stopped the run.
        case stopped
        /// A temporary failure; repeating the run may help.
        case passing
        /// Any other failure.
        case lasting
    }

    enum Action: Hashable, Sendable {
        case open(group: Int)
        case runStages(group: Int)
        /// Builds deferred indexes and views, and checkpoints the WAL.
        case finishStore
        case drainReplay
        case closeStore
        case replaceStore
        /// Gives exports and rejects their final names.
        case publish
        case reportEarly
        case endNotes
    }

    /// An action after a failure.
    enum Remedy: Hashable, Sendable {
        /// Removes the work next to the store, and files without their final names.
        case abandonWork
        /// Removes the effects on the discarded store from the reports of the group's stages.
        case takeBack
        /// Leaves the store in a consistent state.
        case finishAfterFailure(keepsWork: Bool)
        /// Runs the stages with `always: true`.
        case runAlways
    }

    private let way: StoreTarget.Way
    private let isOfApp: Bool
    private let groupCount: Int
    private(set) var state = State.opening(group: 0)
    /// Whether this attempt has noted its beginning, so the notes in the store are its own.
    private(set) var hasBegun = false

    init(_ way: StoreTarget.Way, isOfApp: Bool, groupCount: Int) {
        self.way = way
        self.isOfApp = isOfApp
        self.groupCount = groupCount
    }

    /// The first actions of a run.
    var firstActions: [Action] { [.open(group: 0)] }

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// The group whose work is not yet committed.
    var group: Int? {
        switch state {
        case .opening(let group), .working(let group, _), .placing(let group): group
        case .closing, .ended: nil
        }
    }

    /// Handles an event.
    ///
    /// - Returns: the next actions, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch (state, event) {
        case (.opening(let group), .opened(let place)):
            hasBegun = true
            state = .working(group: group, place)
            return [.runStages(group: group), .finishStore]
        case (.opening(let group), .wasDone):
            guard isLast(group) else { return open(group + 1) }
            state = .closing
            return [.reportEarly, .endNotes]
        case (.working, .done) where way.isDry:
            state = .ended(.done)
            return [.closeStore]
        case (.working(let group, .store), .done):
            guard isLast(group) else { return [.drainReplay, .closeStore] + open(group + 1) }
            state = .closing
            // Remove the notes last: a run that is killed after that is done, and the next run is a
            // new one.
            return [.drainReplay, .reportEarly, .endNotes, .closeStore]
        case (.working(let group, .workingCopy), .done):
            state = .placing(group: group)
            // Until an app's store is replaced, the replayed records exist only in the reject
            // files.
            return isOfApp
                ? [.closeStore, .replaceStore, .publish, .drainReplay]
                : [.drainReplay, .closeStore, .replaceStore, .publish]
        case (.placing(let group), .done):
            guard isLast(group) else { return open(group + 1) }
            state = .closing
            return [.reportEarly, .endNotes]
        case (.closing, .done):
            state = .ended(.done)
            return []
        case (.opening, .done), (.working, .opened), (.placing, .opened), (.closing, .opened),
            (.working, .wasDone), (.placing, .wasDone), (.closing, .wasDone), (.ended, _):
            preconditionFailure("A run that is \(state) cannot be \(event)")
        }
    }

    private mutating func open(_ group: Int) -> [Action] {
        state = .opening(group: group)
        return [.open(group: group)]
    }

    private func isLast(_ group: Int) -> Bool { group + 1 >= groupCount }

    /// Handles a failure of the run, whose store is closed.
    ///
    /// - Returns: the remedies, in order.
    mutating func fail(_ failure: Failure) -> [Remedy] {
        let isLockedOut = failure == .storeInUse && !hasBegun
        state = .ended(isLockedOut ? .lockedOut : .failed)
        // A dry run removes its files in any case.
        guard !isLockedOut, !way.isDry else { return [] }
        switch failure {
        case .stopped: return [.finishAfterFailure(keepsWork: true)]
        case .passing, .storeInUse: return [.finishAfterFailure(keepsWork: true), .runAlways]
        case .lasting:
            return [.abandonWork] + (way.usesWorkingCopy ? [.takeBack] : [])
                + [.finishAfterFailure(keepsWork: false), .runAlways]
        }
    }
}
