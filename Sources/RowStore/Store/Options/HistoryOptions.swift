import GraphModel

/// The retention of a store's persistent history, which records each save in Core Data's tables.
///
/// An unlimited history fills the disk, so each option sets a retention. Later saves purge older
/// transactions in batches.
public struct HistoryOptions: Sendable, Hashable {
    /// How long transactions are kept.
    public enum Retention: Sendable, Hashable {
        /// Keeps transactions for N days; opening a store with a negative number fails.
        case days(Int)
        /// Keeps the last N transactions, at least one; opening a store with a negative number fails.
        case transactions(Int)
        /// Keeps transactions until `purgeHistory(before:)` or `purgeHistory(upTo:)` is called.
        case untilPurged
        /// Keeps no history: opening the store drops the history tables with all their rows.
        ///
        /// Readers with an old token get `HistoryError.off` and, after history is turned on again,
        /// `HistoryError.expired`.
        case nothing
    }

    /// How long transactions are kept.
    public var retention: Retention

    /// Keeps no history, and drops the history of the store.
    public static let off = HistoryOptions(keeping: .nothing)

    /// Keeps transactions for the given retention, 7 days by default.
    public init(keeping retention: Retention = .days(7)) {
        self.retention = retention
    }

    /// Throws if the retention is negative: the next save would purge transactions that no reader
    /// has seen.
    func check() throws(StoreError) {
        switch retention {
        case .days(let count) where count < 0, .transactions(let count) where count < 0:
            throw StoreError(
                .invalidRequest,
                "The history retention \(retention) is negative; use 0 or more, or"
                    + " `HistoryOptions.off` to keep no history")
        case .days, .transactions, .untilPurged, .nothing: return
        }
    }
}
