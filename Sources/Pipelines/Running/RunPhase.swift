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
    /// The file on which the stages of a group work: the store itself, or a copy next to it.
    ///
    /// One commit saves the work of a group.
    enum WorkLocation: Hashable, Sendable {
        case store, workingCopy
    }

    enum State: Hashable, Sendable {
        case opening(group: Int)
        case working(group: Int, WorkLocation)
        /// The working copy of a finished group replaces the store, and exports and rejects get
        /// their final names.
        case placing(group: Int)
        /// All groups are committed to the store. The run writes its report, and then removes its
        /// notes.
        case closing
        case ended(Ending)
    }

    enum Ending: Hashable, Sendable {
        case done
        /// The run was given up before its first stage, because another process holds the store.
        case lockedOut
        case failed
    }

    enum Event: Hashable, Sendable {
        /// A container is open for the group, and has the notes of this attempt.
        case opened(WorkLocation)
        /// An earlier attempt of the run has committed the group, so none of its stages must run.
        case wasDone
        /// All actions that the state machine requested last are performed.
        case done
    }

    enum Failure: Hashable, Sendable {
        /// Another process has locked the store.
        case storeInUse
        /// A signal or the time limit stopped the run.
        case stopped
        /// The failure is temporary, such as a full disk; repeating the run may help.
        case passing
        /// Any other failure, which repeating the run does not avoid.
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

    /// An action of the run after a failure.
    enum Remedy: Hashable, Sendable {
        /// Removes the working copy, and the files that have only hidden names.
        case abandonWork
        /// Removes the changes that were discarded with the working copy from the reports of the
        /// group's stages.
        case takeBack
        /// Opens the store to build deferred indexes and to checkpoint it, and removes the notes of
        /// a run that has saved nothing.
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

    /// The index of the group of stages that is being opened, run, or moved to the store; `nil`
    /// after the last one.
    var group: Int? {
        switch state {
        case .opening(let group), .working(let group, _), .placing(let group): group
        case .closing, .ended: nil
        }
    }

    /// Changes the state after an event, and returns the actions that the run performs next, in
    /// order.
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

    /// Changes the state after a failure, when the store is closed, and returns what the run then
    /// does, in order.
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
