public import GraphModel

/// One of a container's open stores.
public struct OpenStore: Sendable {
    /// Which store it is, and how it was opened.
    public let description: StoreDescription
    /// The host of the URIs of its objects.
    public let uuid: String
    /// What it says of itself.
    public let metadata: [String: PropertyListValue]
    /// The entities whose objects it holds, by name.
    public let entityNames: [String]
}

extension PersistentContainer {
    /// Opens stores away from the caller's thread, as `init(model:stores:)` does.
    @concurrent
    public static func load(
        model: ManagedObjectModel?, stores: [StoreDescription]
    ) async throws(StoreError) -> PersistentContainer {
        try PersistentContainer(model: model, stores: stores)
    }

    /// The open stores, in the order in which they were given.
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

    /// The store that holds an entity's objects; nil where none does.
    public func store(of entityName: String) -> OpenStore? {
        stores.first { $0.entityNames.contains(entityName) }
    }
}
