public import FoundationEssentials
public import GraphModel

/// A position in a store's history; transactions after it are unread.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The number of the last transaction that was read; 0 is before the first.
    public let sequence: Int64
    /// The ID of the file at the store's path, which changes on replacement; `nil` for the first.
    public let lineage: String?

    /// Creates a token; `sequence` 0 is before the first transaction.
    public init(storeUUID: String, sequence: Int64, lineage: String? = nil) {
        self.storeUUID = storeUUID
        self.sequence = sequence
        self.lineage = lineage
    }

    /// Returns a token for another position in the same history.
    package func with(sequence: Int64) -> HistoryToken {
        HistoryToken(storeUUID: storeUUID, sequence: sequence, lineage: lineage)
    }

    /// Returns whether both positions are in the same history.
    package func isOfSameStore(as other: HistoryToken) -> Bool {
        storeUUID == other.storeUUID && lineage == other.lineage
    }
}

/// One save in the history.
public struct HistoryTransaction: Sendable, Hashable {
    /// The position after this transaction.
    public let token: HistoryToken
    /// The time of the save.
    public let timestamp: Date
    /// The author that the context set.
    public let author: String?
    /// The name of the context that saved.
    public let contextName: String?
    /// The bundle ID or name of the program that saved.
    public let bundleID: String?
    /// The ID of the process that saved.
    public let processID: String?
    /// The changes of the save, in the order of writing.
    public let changes: [HistoryChange]

    func with(changes: [HistoryChange]) -> HistoryTransaction {
        HistoryTransaction(
            token: token, timestamp: timestamp, author: author, contextName: contextName,
            bundleID: bundleID, processID: processID, changes: changes)
    }
}

/// The change of one object in the history.
public struct HistoryChange: Sendable, Hashable {
    /// The kind of a change; the raw value is the one in the store.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// The object was inserted.
        case insert = 0
        /// Properties of the object were updated.
        case update = 1
        /// The object was deleted.
        case delete = 2
    }

    /// The number of the change.
    public let changeID: Int64
    /// The kind of the change.
    public let kind: Kind
    /// The ID of the changed object.
    public let objectID: ManagedObjectID
    /// The properties that an update set; `nil` if they were not recorded.
    public let updatedProperties: [String]?
    /// The values of a deleted object's preserved attributes.
    public let tombstone: [String: StoredValue]
}

/// A filter for transactions and changes of a history.
public struct HistoryFilter: Sendable, Hashable {
    /// Includes only transactions of these authors; `nil` includes all.
    public var authors: Set<String>?
    /// Excludes transactions of these authors, such as your own.
    public var excludedAuthors: Set<String> = []
    /// Includes only transactions of contexts with these names; `nil` includes all.
    public var contextNames: Set<String>?
    /// Includes only transactions after this time.
    public var after: Date?
    /// Includes only changes of these entities and their sub-entities; `nil` includes all.
    public var entityNames: Set<String>?
    /// Includes only changes of these kinds.
    public var kinds = Set(HistoryChange.Kind.allCases)

    /// Creates a filter that includes everything.
    public init() {}
}

/// The reason why a history cannot be read after a token.
public enum HistoryError: Error, Sendable, CustomStringConvertible {
    /// Changes after the token have been purged.
    ///
    /// Read the complete store, and continue from the current token.
    case expired(HistoryToken)
    /// The token belongs to another store, or to another copy of this store.
    case foreign(HistoryToken)
    /// The store keeps no history; `StoreOptions.history` turns it on.
    case off
    /// The store could not be read.
    case store(StoreError)

    /// One sentence.
    public var description: String { message(ofStore: nil) }

    /// Returns one sentence that names the store if its path is known.
    package func message(ofStore path: String?) -> String {
        switch self {
        case .expired(let token):
            "Changes after transaction \(token.sequence) have been purged and not read"
        case .foreign:
            "The token is of another store, or of one that had this one's place, and not of"
                + " \(path ?? "this one")"
        case .off: "\(path ?? "The store") keeps no history"
        case .store(let error): error.description
        }
    }
}

extension HistoryError: LocalizedError {
    /// The description, which the command also prints.
    public var errorDescription: String? { description }
    /// The fix.
    public var recoverySuggestion: String? {
        switch self {
        case .expired, .foreign: "read the whole store, and continue from its current token"
        case .off: "set `StoreOptions.history`; the history then begins"
        case .store: nil
        }
    }
}
