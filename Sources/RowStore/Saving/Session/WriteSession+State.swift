/// The changes that a transaction has recorded so far.
extension WriteSession {
    /// The records of a transaction, which a rollback to a savepoint restores.
    package struct State {
        fileprivate var change: StoreChange
        fileprivate var outerChanges: [StoreChange]
        fileprivate var ends: LinkEnds
        fileprivate var details: [HistoryDetails]
        fileprivate var filesReleased: [String]
    }

    /// The changes and links recorded so far, to pass to `restore(_:)` after a rollback.
    package var state: State {
        State(
            change: change, outerChanges: outerChanges, ends: ends,
            details: history?.parts ?? [], filesReleased: filesReleased)
    }

    /// Restores the recorded changes and links after the rows were rolled back to the time of
    /// `state`.
    package func restore(_ state: State) {
        change = state.change
        outerChanges = state.outerChanges
        ends = state.ends
        history?.parts = state.details
        filesReleased = state.filesReleased
    }

    // MARK: Parts

    /// The changes of all open parts.
    var allChanges: [StoreChange] { (outerChanges + [change]).filter { !$0.isEmpty } }

    /// Starts a part of the transaction, whose changes `change` then contains alone.
    ///
    /// Swaps instead of copying, since a part may be as small as a record.
    package func beginPart() {
        outerChanges.append(StoreChange())
        swap(&outerChanges[outerChanges.count - 1], &change)
    }

    /// Ends a part, and adds its changes to the earlier ones.
    ///
    /// - Returns: The changes of the part.
    @discardableResult
    package func endPart() -> StoreChange {
        let part = change
        dropPart()
        change.add(part)
        return part
    }

    /// Ends a part that was rolled back.
    package func dropPart() {
        if let outer = outerChanges.popLast() { change = outer }
    }

    /// Returns whether the transaction has updated the object.
    func isUpdated(_ id: ManagedObjectID) -> Bool {
        change.updated.contains(id) || outerChanges.contains { $0.updated.contains(id) }
    }

    /// Removes an object from the updated ones, because its row is unchanged again.
    ///
    /// Its links may still differ, which the commit finds.
    func forgetUpdate(of id: ManagedObjectID) {
        change.updated.remove(id)
        for place in outerChanges.indices { outerChanges[place].updated.remove(id) }
        history?.forget(id)
    }

    /// Returns whether the transaction has inserted or updated objects of these entities.
    func hasWritten(entities numbers: [Int64]) -> Bool {
        allChanges.contains { change in
            numbers.contains {
                change.inserted.count(entityNumber: $0) > 0
                    || change.updated.count(entityNumber: $0) > 0
            }
        }
    }
}

extension StoreChange {
    /// Returns whether the object was inserted or updated.
    package func contains(_ id: ManagedObjectID) -> Bool {
        updated.contains(id) || inserted.contains(id)
    }
}
