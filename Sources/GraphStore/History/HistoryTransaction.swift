public import FoundationEssentials
public import GraphModel

/// A place in a store's history: what comes after it has not been read.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The store that it belongs to.
    public let storeUUID: String
    /// The number of the last transaction that was read; 0 is before the first.
    public let sequence: Int64
    /// Which of the files that had the store's place one after the other; nil of the first.
    public let lineage: String?

    /// Creates a token, such as one for the beginning (`sequence` 0).
    public init(storeUUID: String, sequence: Int64, lineage: String? = nil) {
        self.storeUUID = storeUUID
        self.sequence = sequence
        self.lineage = lineage
    }

    /// Another place in the same history.
    package func with(sequence: Int64) -> HistoryToken {
        HistoryToken(storeUUID: storeUUID, sequence: sequence, lineage: lineage)
    }

    func isOfSameStore(as other: HistoryToken) -> Bool {
        storeUUID == other.storeUUID && lineage == other.lineage
    }
}

/// One save as history tells it.
public struct HistoryTransaction: Sendable, Hashable {
    /// The place behind this transaction.
    public let token: HistoryToken
    /// When it was saved.
    public let timestamp: Date
    /// Who saved, by the context's word.
    public let author: String?
    /// The context's name.
    public let contextName: String?
    /// The program that saved.
    public let bundleID: String?
    /// The process that saved.
    public let processID: String?
    /// What it changed, in the order of writing.
    public let changes: [HistoryChange]

    func with(changes: [HistoryChange]) -> HistoryTransaction {
        HistoryTransaction(
            token: token, timestamp: timestamp, author: author, contextName: contextName,
            bundleID: bundleID, processID: processID, changes: changes)
    }
}

/// One object's change as history tells it.
public struct HistoryChange: Sendable, Hashable {
    /// What happened to the object; the raw value is that of the store.
    public enum Kind: Int64, Sendable, Hashable, CaseIterable {
        /// It is new.
        case insert = 0
        /// Some of its properties changed.
        case update = 1
        /// It is gone.
        case delete = 2
    }

    /// The change's number.
    public let changeID: Int64
    /// What happened.
    public let kind: Kind
    /// To which object.
    public let objectID: ManagedObjectID
    /// The properties that an update set; nil where that was not written down.
    public let updatedProperties: [String]?
    /// Values of a deleted object, of attributes that the model preserves.
    public let tombstone: [String: StoredValue]
}

/// Which part of a history is wanted.
public struct HistoryFilter: Sendable, Hashable {
    /// Only transactions of these authors; nil takes all.
    public var authors: Set<String>?
    /// No transactions of these authors, such as one's own.
    public var excludedAuthors: Set<String> = []
    /// Only transactions of contexts of these names; nil takes all.
    public var contextNames: Set<String>?
    /// Only transactions after that moment.
    public var after: Date?
    /// Only changes of these entities and their sub-entities; nil takes all.
    public var entityNames: Set<String>?
    /// Only changes of these kinds.
    public var kinds = Set(HistoryChange.Kind.allCases)

    /// Everything.
    public init() {}
}

/// Why a history cannot be read from where a token says.
public enum HistoryError: Error, Sendable, CustomStringConvertible {
    /// What followed the token has been purged in part; read the whole store, and go on from the
    /// current token.
    case expired(HistoryToken)
    /// The token is of another store, or of a copy that has gone its own way.
    case foreign(HistoryToken)
    /// The store keeps no history; `StoreOptions.history` turns it on.
    case off
    /// The store could not be read.
    case store(StoreError)

    /// One sentence.
    public var description: String { message(ofStore: nil) }

    /// One sentence that names the store, where that is known.
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
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
    /// How to go on.
    public var recoverySuggestion: String? {
        switch self {
        case .expired, .foreign: "read the whole store, and go on from its current token"
        case .off: "set `StoreOptions.history`; changes are kept from then on"
        case .store: nil
        }
    }
}
