/// The identity of an object: a store, an entity number, and a primary key.
///
/// It has 16 bytes and is cheap to copy and send. An object has its ID from its insertion on, since
/// primary keys are assigned before a save. So there are no temporary IDs that change with a save.
public struct ManagedObjectID: Sendable, Codable {
    private let entity: UInt32
    private let store: UInt16
    // A Bool has unused bit patterns for `nil`, so optional IDs take only 16 bytes, too.
    private let isValid = true
    /// The primary key, `Z_PK`.
    public let primaryKey: Int64

    /// The entity number, `Z_ENT`.
    public var entityNumber: Int64 { Int64(entity) }
    /// The index of the store in its container, from 0.
    public var storeNumber: Int { Int(store) }

    /// Creates an ID from a row's `Z_ENT` and `Z_PK`.
    public init(entityNumber: Int64, primaryKey: Int64, storeNumber: Int = 0) {
        entity = UInt32(truncatingIfNeeded: entityNumber)
        store = UInt16(truncatingIfNeeded: storeNumber)
        self.primaryKey = primaryKey
    }

}

/// The coding of IDs as URIs, which are valid in every process; see
/// `PersistentContainer.objectURIs`.
public struct ObjectURIs: Sendable {
    let uri: @Sendable (ManagedObjectID) -> String?
    let id: @Sendable (String) -> ManagedObjectID?

    /// Creates a coding.
    ///
    /// - Parameters:
    ///   - uri: Returns the URI of an object, or `nil` for an object of another store.
    ///   - id: Returns the object of a URI, or `nil` if it is of another store.
    public init(
        uri: @escaping @Sendable (ManagedObjectID) -> String?,
        id: @escaping @Sendable (String) -> ManagedObjectID?
    ) {
        self.uri = uri
        self.id = id
    }
}

extension CodingUserInfoKey {
    /// The key of the `ObjectURIs` with which coders code IDs.
    public static let objectURIs: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "GraphModel.objectURIs") else {
            preconditionFailure("Every text is a key")
        }
        return key
    }()
}

extension ManagedObjectID {
    private enum CodingKeys: String, CodingKey {
        case entity = "entityNumber"
        case store = "storeNumber"
        case primaryKey
    }

    /// Encodes the object's URI if the encoder has `ObjectURIs`, otherwise the numbers.
    public func encode(to encoder: any Encoder) throws {
        if let uris = encoder.userInfo[.objectURIs] as? ObjectURIs {
            guard let uri = uris.uri(self) else {
                throw EncodingError.invalidValue(
                    self,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription: "The store has no such entity"))
            }
            var container = encoder.singleValueContainer()
            return try container.encode(uri)
        }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(entity, forKey: .entity)
        try container.encode(store, forKey: .store)
        try container.encode(primaryKey, forKey: .primaryKey)
    }

    /// Decodes the output of `encode(to:)`.
    public init(from decoder: any Decoder) throws {
        if let uris = decoder.userInfo[.objectURIs] as? ObjectURIs {
            let container = try decoder.singleValueContainer()
            let uri = try container.decode(String.self)
            guard let id = uris.id(uri) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(uri)' is not an object of the store")
            }
            self = id
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            entityNumber: Int64(try container.decode(UInt32.self, forKey: .entity)),
            primaryKey: try container.decode(Int64.self, forKey: .primaryKey),
            storeNumber: Int(try container.decode(UInt16.self, forKey: .store)))
    }
}

extension ManagedObjectID: Hashable, Comparable {
    /// Returns whether store, entity, and primary key are the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.primaryKey == right.primaryKey && left.entity == right.entity
            && left.store == right.store
    }

    /// Hashes all three parts as one word.
    public func hash(into hasher: inout Hasher) {
        let place = UInt64(entity) << 48 ^ UInt64(store) << 32
        hasher.combine(UInt64(bitPattern: primaryKey) ^ place)
    }

    /// Compares by store, then by entity, then by primary key.
    public static func < (left: Self, right: Self) -> Bool {
        (left.store, left.entity, left.primaryKey)
            < (right.store, right.entity, right.primaryKey)
    }
}
