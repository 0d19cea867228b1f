import SQLite

/// How far a migration has come.
public struct MigrationProgress: Sendable, Hashable {
    /// What is being done.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The store and the model are looked at.
        case planning
        /// Objects are written into the new store.
        case copying
        /// Their links are.
        case linking
        /// Indexes, derived values and folded texts are made.
        case indexing
        /// The new store is looked at as `etl verify` does.
        case verifying
        /// It takes the place of the old one.
        case swapping
    }

    /// What is being done.
    public var phase: Phase
    /// Objects that are written.
    public var completed: Int
    /// Objects that are to be.
    public var total: Int

    /// From 0 to 1, of the objects alone.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// Stops a migration from any thread; the store is as it was then.
public struct MigrationCancellation: Sendable {
    let flag: InterruptFlag

    /// Not cancelled.
    public init() {
        flag = InterruptFlag()
    }

    /// Cancelled also once the body says so, which is asked now and then while statements run.
    package init(orWhen isRequested: @escaping @Sendable () -> Bool) {
        flag = InterruptFlag(orWhen: isRequested)
    }

    /// Stops what uses it, for good.
    public func cancel() { flag.raise() }
}
