public import FoundationEssentials
public import GraphModel

/// The way a save resolves conflicts with a changed row or with an object that has the same unique
/// values.
public struct MergePolicy: Sendable {
    /// The resolution of one conflict.
    public enum Resolution: String, Sendable, Hashable {
        /// The save fails.
        case fail
        /// Merges by property: your changes win, and the store's other changes are kept.
        case objectTrump
        /// Merges by property: the store's changes win, and your other changes are saved.
        case storeTrump
        /// Writes the complete object with its current values.
        case overwrite
        /// Discards your changes.
        case rollback
    }

    let resolve: @Sendable (MergeConflict) throws -> Resolution
    /// Whether conflict details are visible, to a deciding closure or to the catcher of the error.
    let showsConflicts: Bool

    private init(_ resolution: Resolution) {
        showsConflicts = resolution == .fail
        resolve = { _ in resolution }
    }

    /// Creates a policy that calls a closure for each conflict.
    public init(_ decide: @escaping @Sendable (MergeConflict) throws -> Resolution) {
        showsConflicts = true
        resolve = decide
    }

    /// A policy that fails the save and reports the conflicts; the default of a context.
    public static let error = MergePolicy(.fail)
    /// A policy that merges by property; your changes win.
    public static let mergeByPropertyObjectTrump = MergePolicy(.objectTrump)
    /// A policy that merges by property; the store's changes win.
    public static let mergeByPropertyStoreTrump = MergePolicy(.storeTrump)
    /// A policy that writes complete objects with their current values.
    public static let overwrite = MergePolicy(.overwrite)
    /// A policy that discards your changes.
    public static let rollback = MergePolicy(.rollback)
}

/// A conflict that a save encountered.
public struct MergeConflict: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a conflict.
    public enum Kind: String, Sendable, Hashable {
        /// The row was changed since the object was read.
        case changed
        /// The row was deleted.
        case deleted
        /// Another saved or pending object has the same unique values.
        case constraint
    }

    /// The kind of the conflict.
    public var kind: Kind
    /// The ID of the object that cannot be saved.
    public var objectID: ManagedObjectID
    /// The name of the object's entity.
    public var entityName: String
    /// The other object of a constraint conflict, which is in the store or in the same context.
    public var otherID: ManagedObjectID?
    /// The properties of the violated constraint.
    public var constraint: [String]
    /// The `Z_OPT` that was read with the object.
    public var oldVersion: Int64
    /// The current `Z_OPT` of the row; 0 if the row was deleted.
    public var newVersion: Int64
    /// The names of the properties that you changed.
    public var changedKeys: Set<String>
    /// The object's current attribute values.
    public var objectValues: [String: StoredValue]
    /// The attribute values in the store; `nil` if the row was deleted.
    public var storedValues: [String: StoredValue]?

    /// A sentence that describes the conflict.
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

/// The conflicts that made a save fail.
public struct MergeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All conflicts of the save.
    public var conflicts: [MergeConflict]

    /// The Core Data error code: 133021 if a uniqueness constraint is violated, otherwise 133020.
    public var code: Int {
        conflicts.contains { $0.kind == .constraint } ? 133_021 : 133_020
    }

    /// The descriptions of the conflicts, one per line.
    public var description: String {
        conflicts.map(\.description).joined(separator: "\n")
    }
}

extension MergeError: LocalizedError {
    /// The description, which the `etl` command also prints.
    public var errorDescription: String? { description }
}
