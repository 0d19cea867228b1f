package import FoundationEssentials
package import GraphModel

/// A query for a store's history from the command line, as unparsed text.
package struct HistoryQuery: Sendable {
    /// The path of the store.
    package var store: String
    /// The model to read the store with; `nil` uses the store's own model.
    package var model: ManagedObjectModel?
    /// A token or a date; `nil` starts with the oldest change.
    package var since: String?
    /// A file that stores the position between two calls, instead of `since`.
    package var placeFile: String?
    /// The authors whose transactions are selected; empty selects all.
    package var authors: [String] = []
    /// The entities whose changes are selected, with sub-entities; empty selects all.
    package var entities: [String] = []
    /// The maximum number of changes.
    package var limit: Int?
    /// Whether to wait for new changes.
    package var follows = false
    /// Whether to print only the position after the newest change.
    package var wantsToken = false
    /// The value of `now` and `today`.
    package var now: Date

    /// Creates a query for the complete history.
    package init(store: String, now: Date) {
        self.store = store
        self.now = now
    }
}
