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

}

/// How IDs are coded as URIs, which mean the same in every process; see
/// `PersistentContainer.objectURIs`.
public struct ObjectURIs: Sendable {
    let uri: @Sendable (ManagedObjectID) -> String?
    let id: @Sendable (String) -> ManagedObjectID?

    /// - Parameters:
    ///   - uri: the URI of an object; nil for an object of another store.
    ///   - id: the object of a URI; nil where it is of another store.
    public init(
        uri: @escaping @Sendable (ManagedObjectID) -> String?,
        id: @escaping @Sendable (String) -> ManagedObjectID?
    ) {
        self.uri = uri
        self.id = id
    }
}

extension CodingUserInfoKey {
    /// Where coders find the `ObjectURIs` by which IDs are coded.
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

    /// Codes the object's URI where the coder has `ObjectURIs`, and the numbers otherwise.
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

    /// Decodes what `encode(to:)` gives.
    public init(from decoder: any Decoder) throws {
        if let uris = decoder.userInfo[.objectURIs] as? ObjectURIs {
            let container = try decoder.singleValueContainer()
            let uri = try container.decode(String.self)
            guard let id = uris.id(uri) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(uri)' is no object of the store")
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
