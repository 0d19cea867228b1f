/// Which object: a store's entity number and primary key; 16 bytes, cheap to copy and send.
public struct ManagedObjectID: Sendable, Hashable, Comparable {
    /// `Z_ENT`.
    public let entityNumber: Int64
    /// `Z_PK`.
    public let primaryKey: Int64

    /// Creates an ID from a row's `Z_ENT` and `Z_PK`.
    public init(entityNumber: Int64, primaryKey: Int64) {
        self.entityNumber = entityNumber
        self.primaryKey = primaryKey
    }

    /// By entity, then by key.
    public static func < (left: Self, right: Self) -> Bool {
        (left.entityNumber, left.primaryKey) < (right.entityNumber, right.primaryKey)
    }
}
