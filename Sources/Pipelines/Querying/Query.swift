package import FoundationEssentials
package import GraphModel

/// What a person asks a store on the command line, still as text.
package struct Query: Sendable {
    /// What is wanted.
    package enum Wanted: Sendable, Hashable {
        /// The objects.
        case rows
        /// Their number.
        case count
    }

    /// The store's file.
    package var store: String
    /// The model to read the store by; nil takes its own.
    package var model: ManagedObjectModel?
    /// The file of that model.
    package var modelFile: String?
    /// The entity; nil asks for a list of all of them.
    package var entity: String?
    /// What is wanted of the entity.
    package var wanted = Wanted.rows
    /// How the store would answer is wanted, instead of the answer.
    package var isExplained = false
    /// A predicate; nil means every object.
    package var predicate: String?
    /// An order; nil means that of the key.
    package var order: String?
    /// Key paths between commas; nil means the entity's own.
    package var fields: String?
    /// At most so many objects.
    package var limit: Int?
    /// So many are passed over first.
    package var offset = 0
    /// `name=value` for each variable of the predicate.
    package var sets: [String] = []
    /// `$now`.
    package var now: Date

    /// Asks for the list of entities, or for everything that the store has of one.
    package init(store: String, entity: String? = nil, now: Date) {
        self.store = store
        self.entity = entity
        self.now = now
    }
}

/// The form of an answer.
package enum QueryFormat: Sendable, Hashable {
    /// For eyes: it fits the terminal and cuts what is long.
    case table(TableStyle)
    /// A JSON object on each line.
    case ndjson
    /// With a header.
    case csv
}

/// How a query ended.
package struct QueryOutcome: Sendable {
    /// How the process ends.
    package var status = ExitStatus.ok
    /// What went wrong, already as text that is safe to show.
    package var errors: [String] = []
    /// What a person who watches should know of the answer.
    package var notes: [String] = []
}
