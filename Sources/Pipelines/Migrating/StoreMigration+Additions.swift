import GraphModel

extension StoreMigration {
    /// Creates a migration that adds entities and properties to a store that etl created.
    ///
    /// - Parameters:
    ///   - model: the store's model with the additions; it is not in a file.
    ///   - discardedRuns: the owners of the unfinished runs that are discarded first.
    init(
        store: String, adding model: ManagedObjectModel, discarding discardedRuns: [String],
        ifLocked: RunOptions.LockedPolicy?,
        progress: RunProgress, interruption: Interruption
    ) {
        self.init(
            store: store, to: store, ifLocked: ifLocked, progress: progress,
            interruption: interruption)
        extended = model
        self.discardedRuns = discardedRuns
    }
}

extension StoreMigration {
    /// Removes the notes of the runs to discard.
    func discardRuns() throws(RunFailure) {
        do {
            for owner in discardedRuns { try RunJournal.discard(by: owner, inStoreAt: store) }
        } catch {
            throw RunFailure(error)
        }
    }
}
