import GraphModel

extension StoreMigration {
    /// Creates a migration that adds entities and properties to a store that etl created.
    ///
    /// - Parameters:
    ///   - model: the store's model with the additions; it is not in a file.
    ///   - discardedRun: the pipeline whose unfinished run is discarded first; `nil` keeps it.
    init(
        store: String, adding model: ManagedObjectModel, discarding discardedRun: String?,
        ifLocked: RunOptions.LockedPolicy?,
        progress: RunProgress, interruption: Interruption
    ) {
        self.init(
            store: store, to: store, ifLocked: ifLocked, progress: progress,
            interruption: interruption)
        extended = model
        self.discardedRun = discardedRun
    }
}

extension StoreMigration {
    /// Removes the notes of the run to discard, if there is one.
    func discardRun() throws(RunFailure) {
        guard let discardedRun else { return }
        do {
            try RunJournal.discard(by: discardedRun, inStoreAt: store)
        } catch {
            throw RunFailure(error)
        }
    }
}
