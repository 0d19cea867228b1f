import GraphModel

extension StoreMigration {
    /// Creates a migration that adds entities and properties to a store that etl created.
    ///
    /// - Parameter model: the store's model with the additions; it is in no file.
    init(
        store: String, adding model: ManagedObjectModel, ifLocked: RunOptions.LockedPolicy?,
        progress: RunProgress, interruption: Interruption
    ) {
        self.init(
            store: store, to: store, ifLocked: ifLocked, progress: progress,
            interruption: interruption)
        extended = model
    }
}
