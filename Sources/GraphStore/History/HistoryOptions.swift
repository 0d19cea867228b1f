/// Keeps a persistent history in a store: what each save changed, in Core Data's own tables.
///
/// A history without end is what fills disks, so it says how long it keeps a transaction; what is
/// older goes with later saves, a part at a time.
public struct HistoryOptions: Sendable, Hashable {
    /// How long a transaction is kept.
    public enum Retention: Sendable, Hashable {
        /// So many days.
        case days(Int)
        /// The last so many.
        case transactions(Int)
        /// Until `purgeHistory(before:)` is called, by whoever has read it.
        case untilPurged
        /// Not at all: opening the store takes the history out of it, with all that it holds.
        ///
        /// Whoever has read a part of it is told so by `HistoryError.off`, and, once there is a
        /// history again, by `HistoryError.expired`.
        case nothing
    }

    /// How long a transaction is kept.
    public var retention: Retention

    /// Keeps no history, and takes out what a store has of one.
    public static let off = HistoryOptions(keeping: .nothing)

    /// Keeps transactions for so long; seven days, if nothing else is said.
    public init(keeping retention: Retention = .days(7)) {
        self.retention = retention
    }
}
