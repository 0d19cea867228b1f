public import GraphModel
import SQLite

/// Finding, making and registering objects.
extension ManagedObjectContext {
    // MARK: By ID

    /// The object with that ID: the one in memory, else a fault, which may turn out to have no row.
    ///
    /// An ID that a new object had before it was united with a saved one finds the saved one, until
    /// a row has the old ID.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        let id = resolved(id)
        if let object = registry.object(for: id) { return object }
        return make(id)
    }

    /// The object with that ID, if it is in memory; no values are read.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        registry.object(for: resolved(id))
    }

    /// The object with that ID, with its values; never a fault.
    ///
    /// - Throws: `inaccessible` where it has no row.
    public func existingObject(with id: ManagedObjectID) throws(StoreError) -> ManagedObject {
        let object = object(with: id)
        guard object.pending != .deleted else { throw Self.inaccessible(object) }
        try fire(object)
        guard !object.isGone else { throw Self.inaccessible(object) }
        return object
    }

    /// The object with that ID as the class that is asked for, with its values; never a fault.
    ///
    /// - Throws: `inaccessible` where it has no row, `invalidRequest` where it is of another class.
    public func existingObject<Object: ManagedObject>(
        _ type: Object.Type, with id: ManagedObjectID
    ) throws(StoreError) -> Object {
        try use(Object.self, for: [id.entityNumber])
        return try existingObject(with: id).typed()
    }

    /// The object that a typed reference names, with its values; never a fault.
    ///
    /// - Throws: `inaccessible` where it has no row.
    public func existingObject<Object: ManagedObject>(
        _ reference: Ref<Object>
    ) throws(StoreError) -> Object {
        try existingObject(Object.self, with: reference.id)
    }

    /// The object that a typed reference names.
    public subscript<Object: ManagedObject>(reference: Ref<Object>) -> Object? {
        do throws(StoreError) {
            try use(Object.self, for: [reference.id.entityNumber])
        } catch {
            note(error)
        }
        return object(with: reference.id) as? Object
    }

    static func inaccessible(_ object: ManagedObject) -> StoreError {
        StoreError(
            .inaccessible,
            "The row of '\(object.layout.name)' p\(object.objectID.primaryKey) is gone (133000)")
    }

    // MARK: Inserting

    /// Inserts a new object of that entity.
    public func insert(_ entityName: String) throws(StoreError) -> ManagedObject {
        guard let layout = container.objects.layout(named: entityName) else {
            throw StoreError(.invalidRequest, "There is no entity '\(entityName)'")
        }
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

    /// Inserts a new object of a class's entity and sets it up.
    @discardableResult
    public func insert<Object: ManagedObject>(
        _ type: Object.Type = Object.self, _ body: (Object) throws -> Void
    ) rethrows -> Object {
        let object = type.init(in: self)
        try body(object)
        return object
    }

    /// What a new object starts from: a key of its own.
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

    /// What an object starts from that cannot be one.
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

    /// Takes a new object in, with its defaults.
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

    /// Makes sure that objects come as the class that somebody asks for: one that no class is
    /// registered for is registered by its use.
    ///
    /// - Throws: `invalidRequest` where they are of another class.
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
        throw StoreError(
            .invalidRequest,
            "Objects of '\(name)' are no '\(Object.self)' but '\(known)' here; register the class "
                + "before: `container.register(\(Object.self).self)`")
    }

    /// The objects as the class that was asked for.
    ///
    /// - Throws: `invalidRequest` where one came into memory before that class was registered.
    func typed<Object: ManagedObject>(_ objects: [ManagedObject]) throws(StoreError) -> [Object] {
        var found: [Object] = []
        found.reserveCapacity(objects.count)
        for object in objects { found.append(try object.typed()) }
        return found
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

    /// Called before any change of a property.
    func willChange(_ object: ManagedObject, bit: Int, isOther: Bool = true) {
        undoLog?.note(object, existed: true)
        if object.committed == nil, object.isStored, object.presence == .realized {
            object.committed = ManagedObject.Snapshot(values: object.values, links: object.links)
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
        guard !object.isDeleted else {
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
    /// The object as the class that was asked for.
    final func typed<Object: ManagedObject>() throws(StoreError) -> Object {
        if let object = self as? Object { return object }
        throw StoreError(
            .invalidRequest,
            "An object of '\(layout.name)' is no '\(Object.self)' but '\(type(of: self))'; register "
                + "the class before its objects are read: `container.register(\(Object.self).self)`"
        )
    }
}

/// An object's ID that knows the object's class.
public struct Ref<Object: ManagedObject>: Sendable, Hashable, Codable {
    /// The ID.
    public let id: ManagedObjectID

    /// Makes a reference to an object.
    public init(_ object: Object) {
        id = object.objectID
    }

    /// Makes a reference from an ID, which nobody checks.
    public init(id: ManagedObjectID) {
        self.id = id
    }
}
