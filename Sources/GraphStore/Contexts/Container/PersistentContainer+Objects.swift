public import GraphModel

extension PersistentContainer {
    /// Registers classes for their entities (`ManagedObject.entityName`).
    ///
    /// An entity without a class gets the class of its nearest ancestor that has one, or else
    /// `ManagedObject`. Existing contexts do not use the new classes.
    public func register(_ types: ManagedObject.Type...) {
        register(types)
    }

    /// Registers a list of classes, such as the list that the code generator writes.
    public func register(_ types: [ManagedObject.Type]) {
        for type in types { objects.register(type, for: type.entityName) }
    }

    // MARK: URIs

    /// Returns an object's URI, `x-coredata://<store>/<entity>/p<key>`; `nil` for an unknown
    /// entity.
    ///
    /// The key of an unsaved object may become another object's key. Before you store its URI, save
    /// the object, or call `obtainPermanentIDs(for:)` on its context.
    public func uri(for id: ManagedObjectID) -> String? {
        guard let layout = objects.layout(id.entityNumber) else { return nil }
        return "x-coredata://\(storeUUID(of: layout.entity))/\(layout.name)/p\(id.primaryKey)"
    }

    /// Returns the ID for a URI; `nil` if its store or entity is unknown.
    ///
    /// A temporary ID (`t<n>`) belongs to a context that no longer exists, so the result is `nil`.
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

    /// The converter with which coders write IDs as URIs, also in rows and references.
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

extension PersistentContainer {
    /// Registers a transformer for the attributes that name it in the model.
    public func register(_ transformer: any AttributeTransformer, named name: String) {
        objects.register(transformer, named: name)
    }
}
