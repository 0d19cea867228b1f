public import GraphModel

/// An open store of a container.
public struct OpenStore: Sendable {
    /// The description with which the store was opened.
    public let description: StoreDescription
    /// The UUID of the store, which is the host of its objects' URIs.
    public let uuid: String
    /// The metadata of the store.
    public let metadata: [String: PropertyListValue]
    /// The names of the entities whose objects the store holds.
    public let entityNames: [String]
}

extension PersistentContainer {
    /// Opens stores like `init(model:stores:)`, but not on the caller's thread.
    @concurrent
    public static func load(
        model: ManagedObjectModel?, stores: [StoreDescription]
    ) async throws(StoreError) -> PersistentContainer {
        try PersistentContainer(model: model, stores: stores)
    }

    /// The open stores, in the order in which they were passed.
    public var stores: [OpenStore] {
        let elsewhere = parts.reduce(into: Set<String>()) { $0.formUnion($1.entityNames) }
        let first = metadataState.current
        return [
            OpenStore(
                description: storeDescription, uuid: first.uuid, metadata: first.propertyList,
                entityNames: schema.heldNames.subtracting(elsewhere).sorted())
        ]
            + parts.map { part in
                let metadata = part.metadata.current
                return OpenStore(
                    description: part.description, uuid: metadata.uuid,
                    metadata: metadata.propertyList, entityNames: part.entityNames.sorted())
            }
    }

    /// Returns the store that holds an entity's objects; `nil` if no store does.
    public func store(of entityName: String) -> OpenStore? {
        stores.first { $0.entityNames.contains(entityName) }
    }
}
