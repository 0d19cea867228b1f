/// Which object: a store, an entity number and a primary key; 16 bytes, cheap to copy and send.
///
/// An object has its ID from its insertion on: keys are handed out before they are saved, so there
/// are no temporary IDs that change with a save.
public struct ManagedObjectID: Sendable, Codable {
    private let entity: UInt32
    private let store: UInt16
    // A Bool has room for an optional's nil, so that optional IDs take 16 bytes, too.
    private let isValid = true
    /// `Z_PK`.
    public let primaryKey: Int64

    /// `Z_ENT`.
    public var entityNumber: Int64 { Int64(entity) }
    /// Which of a container's stores, from 0.
    public var storeNumber: Int { Int(store) }

    /// Creates an ID from a row's `Z_ENT` and `Z_PK`.
    public init(entityNumber: Int64, primaryKey: Int64, storeNumber: Int = 0) {
        entity = UInt32(truncatingIfNeeded: entityNumber)
        store = UInt16(truncatingIfNeeded: storeNumber)
        self.primaryKey = primaryKey
    }

    private enum CodingKeys: String, CodingKey {
        case entity = "entityNumber"
        case store = "storeNumber"
        case primaryKey
    }
}

extension ManagedObjectID: Hashable, Comparable {
    /// The same store, entity and key.
    public static func == (left: Self, right: Self) -> Bool {
        left.primaryKey == right.primaryKey && left.entity == right.entity
            && left.store == right.store
    }

    /// Feeds all three parts as one word.
    public func hash(into hasher: inout Hasher) {
        let place = UInt64(entity) << 48 ^ UInt64(store) << 32
        hasher.combine(UInt64(bitPattern: primaryKey) ^ place)
    }

    /// By store, then by entity, then by key.
    public static func < (left: Self, right: Self) -> Bool {
        (left.store, left.entity, left.primaryKey)
            < (right.store, right.entity, right.primaryKey)
    }
}
