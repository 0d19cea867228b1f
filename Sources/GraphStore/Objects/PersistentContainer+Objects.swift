public import GraphModel

extension PersistentContainer {
    /// Names the classes whose objects stand for their entities (`ManagedObject.entityName`).
    ///
    /// An entity without a class gets that of its nearest ancestor that has one, else
    /// `ManagedObject`. Contexts made before do not know of it.
    public func register(_ types: ManagedObject.Type...) {
        register(types)
    }

    /// The same for a list of classes, such as the one that the code generator writes.
    public func register(_ types: [ManagedObject.Type]) {
        for type in types { objects.register(type, for: type.entityName) }
    }

    // MARK: URIs

    /// An object's URI: `x-coredata://<store>/<entity>/p<key>`; nil of an unknown entity.
    ///
    /// The key of an unsaved object may become another object's; before you keep its URI, save it or
    /// call `obtainPermanentIDs(for:)` of its context.
    public func uri(for id: ManagedObjectID) -> String? {
        guard let layout = objects.layout(id.entityNumber) else { return nil }
        return "x-coredata://\(storeUUID(of: layout.entity))/\(layout.name)/p\(id.primaryKey)"
    }

    /// The ID that a URI stands for; nil where it is of another store or of no known entity.
    ///
    /// A temporary ID (`t<n>`) belongs to a context that is gone, so it stands for nothing.
    public func managedObjectID(forURI uri: String) -> ManagedObjectID? {
        let prefix = "x-coredata://"
        guard uri.hasPrefix(prefix) else { return nil }
        let parts = uri.dropFirst(prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].first == "p",
            let layout = objects.layout(named: String(parts[1])),
            parts[0] == storeUUID(of: layout.entity),
            let key = Int64(parts[2].dropFirst()), key > 0
        else { return nil }
        return ManagedObjectID(entityNumber: layout.number, primaryKey: key)
    }

    /// What makes coders write IDs as URIs, in rows and references as well.
    ///
    /// ```swift
    /// let encoder = JSONEncoder()
    /// encoder.userInfo[.objectURIs] = container.objectURIs
    /// let json = try encoder.encode(Task.Row(task))  // {"objectID":"x-coredata://…/Task/p1", …}
    /// ```
    public var objectURIs: ObjectURIs {
        ObjectURIs { [self] id in
            uri(for: id)
        } id: { [self] uri in
            managedObjectID(forURI: uri)
        }
    }

    private func storeUUID(of entity: StoreLayout.Entity) -> String {
        schema.parts[entity.rootNumber]?.metadata.current.uuid ?? storeUUID
    }
}
