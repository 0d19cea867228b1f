public import FoundationEssentials
public import GraphModel

/// The name of an attribute, with the type of its values.
public struct AttributeKey<Value: AttributeValue>: Sendable {
    /// The attribute's name.
    public let name: String
    @usableFromInline let slot: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The attribute's name.
    ///   - slot: The attribute's index among the entity's attributes, with inherited ones first. It
    ///     saves a lookup; a wrong index has no other effect.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

/// The name of a to-one relationship, with the class of its destination.
public struct ToOneKey<Destination: ManagedObject>: Sendable {
    /// The relationship's name.
    public let name: String
    let slot: Int

    /// Creates a key; the slot counts only to-ones.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

/// The name of a to-many relationship, with the class of its destinations.
public struct ToManyKey<Destination: ManagedObject>: Sendable {
    /// The relationship's name.
    public let name: String
    let slot: Int

    /// Creates a key; the slot counts only to-manys.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

extension AttributeKey where Value == String {
    /// Returns a key for an attribute of type String.
    public static func string(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Int {
    /// Returns a key for an attribute of any integer type.
    public static func integer(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Double {
    /// Returns a key for an attribute of type Double, or of another number type.
    public static func double(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Bool {
    /// Returns a key for an attribute of type Boolean.
    public static func boolean(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Date {
    /// Returns a key for an attribute of type Date.
    public static func date(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == UUID {
    /// Returns a key for an attribute of type UUID.
    public static func uuid(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Decimal {
    /// Returns a key for an attribute of type Decimal.
    public static func decimal(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == [UInt8] {
    /// Returns a key for the bytes of an attribute of type Binary or Transformable.
    public static func binary(_ name: String) -> Self { Self(name) }
}

extension ToOneKey where Destination == ManagedObject {
    /// Returns a key for a to-one relationship.
    public static func toOne(_ name: String) -> Self { Self(name) }
}

extension ToManyKey where Destination == ManagedObject {
    /// Returns a key for a to-many relationship.
    public static func toMany(_ name: String) -> Self { Self(name) }
}

extension ManagedObject {
    /// The value of an attribute: `task[.string("title")]`.
    ///
    /// It is `nil` if the attribute has no value or has another type. The subscript does not throw:
    /// the context's next save throws the error.
    public final subscript<Value>(key: AttributeKey<Value>) -> Value? {
        // Inlined, so that the caller's code knows the type and reads no type metadata.
        @inlinable get {
            storedValue(named: key.name, slot: key.slot).flatMap { Value(storedValue: $0) }
        }
        @inlinable set {
            set(newValue?.storedValue ?? .null, named: key.name, slot: key.slot)
        }
    }

    @usableFromInline
    final func storedValue(named name: String, slot: Int) -> StoredValue? {
        attempting { () throws(StoreError) in
            try attribute(try attributeSlot(name, slot))
        }
    }

    @usableFromInline
    final func set(_ value: StoredValue, named name: String, slot: Int) {
        _ = attempting { () throws(StoreError) in
            try setAttribute(try attributeSlot(name, slot), value)
        }
    }

    /// The destination of a to-one: `task[.toOne("category")]`.
    ///
    /// The process traps if the destination was read with a class that is not the key's.
    public final subscript<Destination>(key: ToOneKey<Destination>) -> Destination? {
        get {
            let destination = attempting { () throws(StoreError) -> ManagedObject? in
                let slot = try slot(of: key)
                link.context?.use(Destination.self, ofDestination: layout.toOnes[slot].destination)
                return try toOne(slot)
            }
            return destination.flatMap(\.self).map { typed($0, by: key.name) }
        }
        set {
            _ = attempting { () throws(StoreError) in
                try setToOne(try slot(of: key), newValue)
            }
        }
    }

    /// The destinations of a to-many, in order if it is ordered: `task[.toMany("tags")]`.
    ///
    /// The process traps if a destination was read with a class that is not the key's.
    public final subscript<Destination>(key: ToManyKey<Destination>) -> [Destination] {
        get {
            let destinations = attempting { () throws(StoreError) in
                let slot = try slot(of: key)
                link.context?.use(Destination.self, ofDestination: layout.toManys[slot].destination)
                return try toMany(slot)
            }
            return (destinations ?? []).map { typed($0, by: key.name) }
        }
        set {
            _ = attempting { () throws(StoreError) in
                try setToMany(try slot(of: key), newValue)
            }
        }
    }

    /// Adds an object to a to-many, at the end if it is ordered.
    public final func add<Destination>(_ object: Destination, to key: ToManyKey<Destination>) {
        _ = attempting { () throws(StoreError) in
            try changeable(readsRow: false).addLink(self, try slot(of: key), object)
        }
    }

    /// Inserts an object at a position of an ordered to-many.
    public final func insert<Destination>(
        _ object: Destination, into key: ToManyKey<Destination>, at index: Int
    ) {
        _ = attempting { () throws(StoreError) in
            let slot = try slot(of: key)
            var objects = try toMany(slot).filter { $0 !== object }
            objects.insert(object, at: min(max(0, index), objects.count))
            try setToMany(slot, objects)
        }
    }

    /// Removes an object from a to-many.
    public final func remove<Destination>(_ object: Destination, from key: ToManyKey<Destination>) {
        _ = attempting { () throws(StoreError) in
            try changeable(readsRow: false).removeLink(self, try slot(of: key), object)
        }
    }

    // MARK: Slots

    private func attributeSlot(_ name: String, _ slot: Int) throws(StoreError) -> Int {
        if slot < layout.attributeNames.count, layout.attributeNames[slot] == name { return slot }
        if case .attribute(let slot) = try property(name) { return slot }
        throw mismatch(name, "an attribute")
    }

    private func slot<Value>(of key: ToOneKey<Value>) throws(StoreError) -> Int {
        if key.slot < layout.toOnes.count, layout.toOnes[key.slot].name == key.name {
            return key.slot
        }
        if case .toOne(let slot) = try property(key.name) { return slot }
        throw mismatch(key.name, "a to-one relationship")
    }

    final func slot<Value>(of key: ToManyKey<Value>) throws(StoreError) -> Int {
        if key.slot < layout.toManys.count, layout.toManys[key.slot].name == key.name {
            return key.slot
        }
        if case .toMany(let slot) = try property(key.name) { return slot }
        throw mismatch(key.name, "a to-many relationship")
    }

    private func mismatch(_ key: String, _ kind: String) -> StoreError {
        StoreError(.unknownKey, "'\(layout.name).\(key)' is not \(kind)")
    }

    /// Performs an accessor's work; the context records its error.
    final func attempting<R>(_ body: () throws(StoreError) -> R) -> R? {
        do throws(StoreError) {
            return try body()
        } catch {
            // Without a context, the error would be lost and the result would be wrong.
            guard let listener = link.listener else { trap(error) }
            listener.note(error)
            return nil
        }
    }

    /// Traps with an error of an accessor that cannot throw.
    final func trap(_ error: StoreError, _ property: String? = nil) -> Never {
        let name = layout.name + (property.map { ".\($0)" } ?? "")
        fatalError("'\(name)' of p\(objectID.primaryKey) cannot be used: \(error.message)")
    }

    /// Returns the destination of a property as the class of its key.
    ///
    /// It traps if the object was read with another class. An empty result would be wrong, and the
    /// error would come only with the next save.
    final func typed<Destination>(
        _ destination: ManagedObject, by property: String
    ) -> Destination where Destination: ManagedObject {
        do throws(StoreError) {
            return try destination.typed()
        } catch {
            trap(error, property)
        }
    }

    /// Returns a required attribute's value; traps if the object cannot be read.
    @usableFromInline
    final func requiredValue(named name: String, slot: Int) -> StoredValue {
        do throws(StoreError) {
            return try attribute(try attributeSlot(name, slot))
        } catch {
            trap(error, name)
        }
    }

    @usableFromInline
    final func trapMisfit(_ value: StoredValue, named name: String, _ type: Any.Type) -> Never {
        trap(StoreError(.invalidRequest, "\(value) is not of type \(type)"), name)
    }
}
