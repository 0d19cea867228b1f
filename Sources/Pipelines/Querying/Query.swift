package import FoundationEssentials
package import GraphModel

/// A query from the command line, as unparsed text.
package struct Query: Sendable {
    /// The kind of result.
    package enum Wanted: Sendable, Hashable {
        /// The objects, as rows.
        case rows
        /// The number of objects.
        case count
    }

    /// The path of the store.
    package var store: String
    /// The model to read the store with; `nil` uses the store's own model.
    package var model: ManagedObjectModel?
    /// The file of that model.
    package var modelFile: String?
    /// The entity; `nil` lists all entities.
    package var entity: String?
    /// The kind of result.
    package var wanted = Wanted.rows
    /// Whether to explain how the store runs the query, instead of running it.
    package var isExplained = false
    /// A predicate; `nil` selects every object.
    package var predicate: String?
    /// A sort order; `nil` sorts by key.
    package var order: String?
    /// Key paths separated by commas; `nil` selects the default fields.
    package var fields: String?
    /// The maximum number of objects.
    package var limit: Int?
    /// The number of objects to skip.
    package var offset = 0
    /// `name=value` for each variable of the predicate.
    package var sets: [String] = []
    /// The value of `$now`.
    package var now: Date

    /// Creates a query for the list of entities, or for all objects of an entity.
    package init(store: String, entity: String? = nil, now: Date) {
        self.store = store
        self.entity = entity
        self.now = now
    }
}

/// The format of a result.
package enum QueryFormat: Sendable, Hashable {
    /// A table for people: it fits the terminal, and long values are truncated.
    case table(TableStyle)
    /// One JSON object per line.
    case ndjson
    /// CSV with a header.
    case csv
}

/// The result of a query.
package struct QueryOutcome: Sendable {
    /// The exit status of the process.
    package var status = ExitStatus.ok
    /// The errors, as text that is safe to print.
    package var errors: [String] = []
    /// Notes on the result for a user at a terminal.
    package var notes: [String] = []
}
