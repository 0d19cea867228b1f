public import FoundationEssentials
public import GraphModel

/// What a save does where the store has changed since an object was read, and where a new object
/// has the unique values of one that is there.
public struct MergePolicy: Sendable {
    /// What becomes of one conflict.
    public enum Resolution: String, Sendable, Hashable {
        /// The save fails.
        case fail
        /// Property by property: what was changed here wins, the store's other changes stay.
        case objectTrump
        /// Property by property: what was changed in the store wins, other changes here are saved.
        case storeTrump
        /// The object as it is here is written whole.
        case overwrite
        /// The changes made here are dropped.
        case rollback
    }

    let resolve: @Sendable (MergeConflict) throws -> Resolution
    /// Whether a caller sees the conflicts: a closure that decides, or the one that catches the error.
    let showsConflicts: Bool

    private init(_ resolution: Resolution) {
        showsConflicts = resolution == .fail
        resolve = { _ in resolution }
    }

    /// Decides conflict by conflict.
    public init(_ decide: @escaping @Sendable (MergeConflict) throws -> Resolution) {
        showsConflicts = true
        resolve = decide
    }

    /// The save fails and lists the conflicts; what contexts begin with.
    public static let error = MergePolicy(.fail)
    /// What was changed here wins, property by property.
    public static let mergeByPropertyObjectTrump = MergePolicy(.objectTrump)
    /// What was changed in the store wins, property by property.
    public static let mergeByPropertyStoreTrump = MergePolicy(.storeTrump)
    /// Objects are written whole, as they are here.
    public static let overwrite = MergePolicy(.overwrite)
    /// What was changed here is dropped.
    public static let rollback = MergePolicy(.rollback)
}

/// One conflict that a save met.
public struct MergeConflict: Sendable, Hashable, CustomStringConvertible {
    /// What kind.
    public enum Kind: String, Sendable, Hashable {
        /// The row was changed since the object was read.
        case changed
        /// The row is gone.
        case deleted
        /// Another object, saved or about to be, has the same unique values.
        case constraint
    }

    /// What kind.
    public var kind: Kind
    /// The object that cannot be saved as it is.
    public var objectID: ManagedObjectID
    /// Its entity.
    public var entityName: String
    /// The other object, of a constraint; it is in the store, or in the same context.
    public var otherID: ManagedObjectID?
    /// The attributes of the constraint.
    public var constraint: [String]
    /// `Z_OPT` as it was read, and as it is; 0 where the row is gone.
    public var oldVersion: Int64
    /// As it is; 0 where the row is gone.
    public var newVersion: Int64
    /// The properties changed here.
    public var changedKeys: Set<String>
    /// The attributes as they are here.
    public var objectValues: [String: StoredValue]
    /// The attributes as they are in the store; nil where the row is gone.
    public var storedValues: [String: StoredValue]?

    /// One sentence.
    public var description: String {
        let name = "\(entityName) p\(objectID.primaryKey)"
        switch kind {
        case .changed:
            return "\(name) was changed by another save (version \(oldVersion), now \(newVersion))"
        case .deleted: return "\(name) was deleted by another save"
        case .constraint:
            let other = otherID.map { " as p\($0.primaryKey)" } ?? ""
            return "\(name) has the same \(constraint.joined(separator: ", "))\(other)"
        }
    }
}

/// The conflicts for which a save failed.
public struct MergeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All of them.
    public var conflicts: [MergeConflict]

    /// Core Data's number: 133021 where uniqueness is at stake, else 133020.
    public var code: Int {
        conflicts.contains { $0.kind == .constraint } ? 133_021 : 133_020
    }

    /// One line each.
    public var description: String {
        conflicts.map(\.description).joined(separator: "\n")
    }
}

extension MergeError: LocalizedError {
    /// What the command prints of it, too.
    public var errorDescription: String? { description }
}
