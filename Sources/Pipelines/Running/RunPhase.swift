/// Where a run stands: it is told what has happened, and says what is to be done next.
///
/// It knows no store and no file, so that each way through a run can be tested as a value.
/// `PipelineRun` does what it says.
///
/// ```
/// opening ─opened→ working ─done→ placing ─done→ opening (the next group)
///                     └─────done→ closing ←─done────┘ (the last group)
///                                    └─done→ ended
/// ```
struct RunPhase: Hashable, Sendable {
    /// On what the stages of a group work.
    enum Place: Hashable, Sendable {
        case store, beside
    }

    enum State: Hashable, Sendable {
        case opening(group: Int)
        case working(group: Int, Place)
        /// What was made beside the store gets its place and its names.
        case placing(group: Int)
        /// All is in its place; the report is written, and then the notes go.
        case closing
        case ended(Ending)
    }

    enum Ending: Hashable, Sendable {
        case done
        /// Another process has the store, and nothing has begun.
        case lockedOut
        case failed
    }

    enum Event: Hashable, Sendable {
        /// The notes of this attempt are in the store, or in what is worked on beside it.
        case opened(Place)
        /// An earlier attempt has put the work of the group in its place.
        case wasDone
        /// All that was to be done is done.
        case done
    }

    enum Failure: Hashable, Sendable {
        /// Another process has the store locked.
        case storeInUse
        /// A signal, or the time limit.
        case stopped
        /// A reason that passes, so that repeating the run may help.
        case passing
        /// Any other.
        case lasting
    }

    enum Action: Hashable, Sendable {
        case open(group: Int)
        case runStages(group: Int)
        /// Makes the indexes and views that were put off, and folds the log in.
        case finishStore
        case drainReplay
        case closeStore
        case putInPlace
        /// Gives exports and rejects their names.
        case publish
        case reportEarly
        case endNotes
    }

    /// What is done after a failure.
    enum Remedy: Hashable, Sendable {
        /// Removes what was made beside the store, and files that wait for their names.
        case abandonWork
        /// Takes from what is told of the group's stages what they did to a store that is gone.
        case takeBack
        /// Leaves the store in order.
        case settle(keepsWork: Bool)
        /// Runs the stages that run after a failure, too.
        case runAlways
    }

    private let way: StoreTarget.Way
    private let isOfApp: Bool
    private let groupCount: Int
    private(set) var state = State.opening(group: 0)
    /// This attempt has noted its beginning, so that the notes in the store are its own.
    private(set) var hasBegun = false

    init(_ way: StoreTarget.Way, isOfApp: Bool, groupCount: Int) {
        self.way = way
        self.isOfApp = isOfApp
        self.groupCount = groupCount
    }

    /// What a run does first.
    var firstActions: [Action] { [.open(group: 0)] }

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// The group whose work has not got its place.
    var group: Int? {
        switch state {
        case .opening(let group), .working(let group, _), .placing(let group): group
        case .closing, .ended: nil
        }
    }

    /// Takes note of what has happened.
    ///
    /// - Returns: what is to be done, in order.
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
            // Last of all: a run that is killed behind it is done, and the next one is another.
            return [.drainReplay, .reportEarly, .endNotes, .closeStore]
        case (.working(let group, .beside), .done):
            state = .placing(group: group)
            // What was replayed is in no other place until an app's store is in its own.
            return isOfApp
                ? [.closeStore, .putInPlace, .publish, .drainReplay]
                : [.drainReplay, .closeStore, .putInPlace, .publish]
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

    /// Takes note that the run has failed; its store is closed.
    ///
    /// - Returns: what is to be done, in order.
    mutating func fail(_ failure: Failure) -> [Remedy] {
        let isLockedOut = failure == .storeInUse && !hasBegun
        state = .ended(isLockedOut ? .lockedOut : .failed)
        // A dry run takes away what it made, however it ends.
        guard !isLockedOut, !way.isDry else { return [] }
        switch failure {
        case .stopped: return [.settle(keepsWork: true)]
        case .passing, .storeInUse: return [.settle(keepsWork: true), .runAlways]
        case .lasting:
            return [.abandonWork] + (way.isBeside ? [.takeBack] : [])
                + [.settle(keepsWork: false), .runAlways]
        }
    }
}
