import SQLite

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// A phase of a migration.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Reads the store and the model.
        case planning
        /// Copies objects to the new store.
        case copying
        /// Copies the objects' links.
        case linking
        /// Creates indexes, derived values, and folded texts.
        case indexing
        /// Verifies the new store, as `etl verify` does.
        case verifying
        /// Replaces the old store with the new one.
        case swapping
    }

    /// The current phase.
    public var phase: Phase
    /// The number of objects copied so far.
    public var completed: Int
    /// The number of objects to copy.
    public var total: Int

    /// The fraction of copied objects, from 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}

/// A handle that cancels a migration from any thread; the store is then unchanged.
public struct MigrationCancellation: Sendable {
    let flag: InterruptFlag

    /// Creates a handle that is not canceled.
    public init() {
        flag = InterruptFlag()
    }

    /// Creates a handle that is also canceled once the closure returns `true`.
    ///
    /// The closure is polled while statements run.
    package init(orWhen isRequested: @escaping @Sendable () -> Bool) {
        flag = InterruptFlag(orWhen: isRequested)
    }

    /// Cancels every migration that uses the handle, permanently.
    public func cancel() { flag.raise() }
}
