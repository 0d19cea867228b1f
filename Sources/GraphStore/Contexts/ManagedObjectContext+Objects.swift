public import GraphModel

/// Finding, creating, and registering objects.
extension ManagedObjectContext {
    // MARK: By ID

    /// Returns the object with an ID: the one in memory, or else a fault, which may have no row.
    ///
    /// A new object can be merged with a saved one and lose its ID. The old ID then finds the saved
    /// object until a row has the old ID.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        let id = resolved(id)
        if let object = registry.object(for: id) { return object }
        return make(id)
    }

    /// Returns the object with an ID if it is in memory, without reading values.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        registry.object(for: resolved(id))
    }

    /// Returns the object with an ID and its values; never a fault.
    ///
    /// - Throws: `.inaccessible` if it has no row.
    public func existingObject(with id: ManagedObjectID) throws(StoreError) -> ManagedObject {
        let object = object(with: id)
        guard object.pending != .deleted else { throw Self.inaccessible(object) }
        try fire(object)
        guard !object.hasNoRow else { throw Self.inaccessible(object) }
        return object
    }

    /// Returns the object with an ID as the given class, with its values; never a fault.
    ///
    /// - Throws: `.inaccessible` if it has no row, `.invalidRequest` if it has another class.
    public func existingObject<Object: ManagedObject>(
        _ type: Object.Type, with id: ManagedObjectID
    ) throws(StoreError) -> Object {
        try use(Object.self, for: [id.entityNumber])
        return try existingObject(with: id).typed()
    }

    /// Returns the object of a typed reference with its values; never a fault.
    ///
    /// - Throws: `.inaccessible` if it has no row.
    public func existingObject<Object: ManagedObject>(
        _ reference: Ref<Object>
    ) throws(StoreError) -> Object {
        try existingObject(Object.self, with: reference.id)
    }

    /// The object of a typed reference; `nil` if it has another class.
    ///
    /// In that case, the context's next save throws the reason. `existingObject(_:)` throws at once.
    public subscript<Object: ManagedObject>(reference: Ref<Object>) -> Object? {
        do throws(StoreError) {
            try use(Object.self, for: [reference.id.entityNumber])
            return try object(with: reference.id).typed()
        } catch {
            note(error)
            return nil
        }
    }

    static func inaccessible(_ object: ManagedObject) -> StoreError {
        StoreError(
            .inaccessible,
            "The row of '\(object.layout.name)' p\(object.objectID.primaryKey) no longer exists (133000)"
        )
    }

    // MARK: Inserting

    /// Inserts a new object of an entity.
    public func insert(_ entityName: String) throws(StoreError) -> ManagedObject {
        let layout = try container.objects.requiredLayout(named: entityName)
        guard !layout.entity.isAbstract else {
            throw StoreError(.invalidRequest, "'\(entityName)' is abstract")
        }
        let object = classes[Int(layout.number)].init(try seed(of: layout))
        adopt(new: object)
        return object
    }

    /// Inserts a new object of a class's entity.
    @discardableResult
    public func insert<Object: ManagedObject>(_ type: Object.Type) -> Object {
        type.init(in: self)
    }

    /// Inserts a new object of a class's entity and configures it with the body.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ type: Object.Type = Object.self, _ body: (Object) throws -> Void
    ) rethrows -> Object {
        let object = type.init(in: self)
        try body(object)
        return object
    }

    /// Returns the seed of a new object, with a new primary key.
    func seed(forNew entityName: String) -> ManagedObject.Seed {
        guard let layout = container.objects.layout(named: entityName), !layout.entity.isAbstract
        else {
            return noSeed(
                StoreError(
                    .invalidRequest,
                    "'\(entityName)' is abstract or not in the model, so no object can be made"))
        }
        do throws(StoreError) {
            return try seed(of: layout)
        } catch {
            return noSeed(error)
        }
    }

    /// Returns the seed of an object that cannot exist, and records the error.
    private func noSeed(_ error: StoreError) -> ManagedObject.Seed {
        note(error)
        return ManagedObject.Seed(
            id: ManagedObjectID(entityNumber: 0, primaryKey: 0),
            layout: container.objects.placeholder, link: .nowhere(self))
    }

    private func seed(of layout: EntityLayout) throws(StoreError) -> ManagedObject.Seed {
        let root = layout.rootNumber
        guard let key = container.objects.keys.next(root: root) else {
            throw StoreError.keysAtEnd(of: root, in: container.schema)
        }
        let id = ManagedObjectID(entityNumber: layout.number, primaryKey: key)
        return ManagedObject.Seed(id: id, layout: layout, link: link)
    }

    /// Registers a new object, with default values.
    func adopt(new object: ManagedObject) {
        object.becomeNew()
        guard object.link === link else { return }
        undoLog?.note(object, existed: false)
        object.pending = .inserted
        object.changeCount = 1
        list(object)
        register(object)
        noteForEvent { $0.noteInserted(object.objectID) }
        object.awakeFromInsert()
    }

    // MARK: Classes

    /// Makes sure that objects of these entities have the given class, or registers it.
    ///
    /// The class is registered only if the entity has no class yet.
    ///
    /// - Throws: `.invalidRequest` if the objects have another class.
    func use<Object: ManagedObject>(
        _ type: Object.Type, for numbers: some Collection<Int64>
    ) throws(StoreError) {
        let isOther = { (number: Int64) in
            !(self.classes.indices.contains(Int(number))
                && self.classes[Int(number)] is Object.Type)
        }
        guard numbers.contains(where: isOther) else { return }
        if container.objects.registerIfFree(type) { classes = container.objects.classesByNumber() }
        guard let number = numbers.first(where: isOther) else { return }
        let name = container.objects.layout(number)?.name ?? "\(number)"
        let known =
            classes.indices.contains(Int(number)) ? classes[Int(number)] : ManagedObject.self
        let isOfEntity =
            container.schema.entity(named: Object.entityName)?.familyNumbers.contains(number)
            ?? false
        throw StoreError(
            .invalidRequest,
            "Objects of '\(name)' are '\(known)' here, not '\(Object.self)'; "
                + (isOfEntity
                    ? "register the class first: `container.register(\(Object.self).self)`"
                    : "'\(Object.self)' is the class of '\(Object.entityName)'"))
    }

    /// Registers the class of a relationship's objects if their entity has no class yet.
    ///
    /// - Parameter number: The entity number of the destination.
    func use<Object: ManagedObject>(_ type: Object.Type, ofDestination number: Int64) {
        let place = Int(number)
        guard classes.indices.contains(place), !(classes[place] is Object.Type),
            container.objects.registerIfFree(type)
        else { return }
        classes = container.objects.classesByNumber()
    }

    /// Returns the objects as the given class.
    ///
    /// - Throws: `.invalidRequest` if an object was loaded before that class was registered.
    func typed<Object: ManagedObject>(_ objects: [ManagedObject]) throws(StoreError) -> [Object] {
        try objects.map { object throws(StoreError) in try object.typed() }
    }

    // MARK: Registering

    func make(_ id: ManagedObjectID) -> ManagedObject {
        let number = id.entityNumber
        guard let layout = container.objects.layout(number), !layout.entity.isAbstract else {
            return ManagedObject(
                ManagedObject.Seed(id: id, layout: container.objects.placeholder, link: link))
        }
        let object = classes[Int(number)].init(
            ManagedObject.Seed(id: id, layout: layout, link: link))
        register(object)
        return object
    }

    func register(_ object: ManagedObject) {
        registry.set(object, isHeld: object.isListed)
        if retainsRegisteredObjects { retained.append(object) }
    }

    func unregister(_ object: ManagedObject) {
        registry.remove(object)
    }

    /// Records a change; call it before any change of a property.
    func willChange(_ object: ManagedObject, bit: Int, isOther: Bool = true) {
        undoLog?.note(object, existed: true)
        if object.committed == nil, object.isStored, object.presence == .realized {
            object.committed = object.snapshot
        }
        object.mask.insert(bit)
        if isOther {
            object.changeCount &+= 1
            noteForEvent { $0.noteUpdated(object.objectID) }
        }
        if object.pending == .none {
            object.pending = .updated
            list(object)
        }
    }

    func checkDestination(
        _ object: ManagedObject, _ relationship: RelationshipDescription
    ) throws(StoreError) {
        guard object.link === link else {
            throw StoreError(
                .foreignContext,
                "'\(relationship.name)' cannot lead to an object of another context")
        }
        // After the save of its deletion, an object has no row, and `isDeleted` is false.
        guard !object.isDeleted, !object.hasNoRow else {
            throw StoreError(
                .invalidRequest, "'\(relationship.name)' cannot lead to a deleted object")
        }
        let destination = relationship.destinationEntityName
        guard
            let entity = container.schema.entity(named: destination),
            entity.familyNumbers.contains(object.layout.number)
        else {
            throw StoreError(
                .invalidRequest,
                "'\(relationship.name)' leads to '\(destination)', not to '\(object.layout.name)'")
        }
    }
}

extension ManagedObject {
    /// Returns the object as the given class.
    final func typed<Object: ManagedObject>() throws(StoreError) -> Object {
        if let object = self as? Object { return object }
        throw StoreError(
            .invalidRequest,
            "'\(layout.name)' p\(objectID.primaryKey) was read as '\(type(of: self))', not as "
                + "'\(Object.self)'; register the class before its objects are read: "
                + "`container.register(\(Object.self).self)`"
        )
    }
}

/// An object ID with the class of the object.
public struct Ref<Object: ManagedObject>: Sendable, Hashable, Codable {
    /// The ID.
    public let id: ManagedObjectID

    /// Creates a reference to an object.
    public init(_ object: Object) {
        id = object.objectID
    }

    /// Creates a reference from an ID, without checking it.
    public init(id: ManagedObjectID) {
        self.id = id
    }
}
