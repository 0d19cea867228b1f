package import FoundationEssentials
package import GraphModel

/// What a person asks of a store's history on the command line, still as text.
package struct HistoryQuery: Sendable {
    /// The store's file.
    package var store: String
    /// The model to read the store by; nil takes its own.
    package var model: ManagedObjectModel?
    /// A token, or a date; nil begins with the oldest change that is kept.
    package var since: String?
    /// A file that keeps the place between two calls, in place of `since`.
    package var placeFile: String?
    /// Only transactions of these authors; empty takes all.
    package var authors: [String] = []
    /// Only changes of these entities and their sub-entities; empty takes all.
    package var entities: [String] = []
    /// So many changes at the most.
    package var limit: Int?
    /// New changes are waited for.
    package var follows = false
    /// Only the place behind the newest change is wanted.
    package var wantsToken = false
    /// `now` and `today`.
    package var now: Date

    /// Asks for everything that the history holds.
    package init(store: String, now: Date) {
        self.store = store
        self.now = now
    }
}
