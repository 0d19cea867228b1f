public import FoundationEssentials
public import GraphModel

/// An attribute by name, with the type that it is read and set as.
public struct AttributeKey<Value: AttributeValue>: Sendable {
    /// The attribute's name.
    public let name: String
    @usableFromInline let slot: Int

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: the attribute's name.
    ///   - slot: where the attribute stands among all of its entity's, inherited ones first; saves
    ///     a look-up, and does no harm where it is wrong.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

/// A to-one relationship by name, with the class at its other end.
public struct ToOneKey<Destination: ManagedObject>: Sendable {
    /// The relationship's name.
    public let name: String
    let slot: Int

    /// Creates a key; the slot counts to-ones alone.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

/// A to-many relationship by name, with the class at its other end.
public struct ToManyKey<Destination: ManagedObject>: Sendable {
    /// The relationship's name.
    public let name: String
    let slot: Int

    /// Creates a key; the slot counts to-manys alone.
    public init(_ name: String, slot: Int = 0) {
        self.name = name
        self.slot = slot
    }
}

extension AttributeKey where Value == String {
    /// An attribute of type String.
    public static func string(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Int {
    /// An attribute of any integer type.
    public static func integer(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Double {
    /// An attribute of type Double, or another number read as one.
    public static func double(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Bool {
    /// An attribute of type Boolean.
    public static func boolean(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Date {
    /// An attribute of type Date.
    public static func date(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == UUID {
    /// An attribute of type UUID.
    public static func uuid(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == Decimal {
    /// An attribute of type Decimal.
    public static func decimal(_ name: String) -> Self { Self(name) }
}

extension AttributeKey where Value == [UInt8] {
    /// An attribute of type Binary or Transformable, as bytes.
    public static func binary(_ name: String) -> Self { Self(name) }
}

extension ToOneKey where Destination == ManagedObject {
    /// A to-one by its name.
    public static func toOne(_ name: String) -> Self { Self(name) }
}

extension ToManyKey where Destination == ManagedObject {
    /// A to-many by its name.
    public static func toMany(_ name: String) -> Self { Self(name) }
}

extension ManagedObject {
    /// An attribute: `task[.string("title")]`; nil where it has no value, or one of another type.
    ///
    /// Does not throw: what goes wrong is thrown by the context's next save.
    public final subscript<Value>(key: AttributeKey<Value>) -> Value? {
        // Inlined, so that a caller's code knows the type and looks up no metadata.
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

    /// A to-one: `task[.toOne("category")]`.
    public final subscript<Destination>(key: ToOneKey<Destination>) -> Destination? {
        get {
            attempting {
                () throws(StoreError) -> Destination? in
                try toOne(try slot(of: key))?.typed()
            } ?? nil
        }
        set {
            _ = attempting { () throws(StoreError) in
                try setToOne(try slot(of: key), newValue)
            }
        }
    }

    /// A to-many, in its order if it has one: `task[.toMany("tags")]`.
    public final subscript<Destination>(key: ToManyKey<Destination>) -> [Destination] {
        get {
            attempting {
                () throws(StoreError) in
                try toMany(try slot(of: key)).map { object throws(StoreError) in
                    try object.typed()
                }
            } ?? []
        }
        set {
            _ = attempting { () throws(StoreError) in
                try setToMany(try slot(of: key), newValue)
            }
        }
    }

    /// Adds an object to a to-many, at its end where it has an order.
    public final func add<Destination>(_ object: Destination, to key: ToManyKey<Destination>) {
        _ = attempting { () throws(StoreError) in
            try live().addLink(self, try slot(of: key), object)
        }
    }

    /// Puts an object at a place of an ordered to-many.
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

    /// Takes an object out of a to-many.
    public final func remove<Destination>(_ object: Destination, from key: ToManyKey<Destination>) {
        _ = attempting { () throws(StoreError) in
            try live().removeLink(self, try slot(of: key), object)
        }
    }

    // MARK: Slots

    private func attributeSlot(_ name: String, _ slot: Int) throws(StoreError) -> Int {
        if slot < layout.attributeNames.count, layout.attributeNames[slot] == name { return slot }
        if case .attribute(let slot) = try property(name) { return slot }
        throw mismatch(name, "attribute")
    }

    private func slot<Value>(of key: ToOneKey<Value>) throws(StoreError) -> Int {
        if key.slot < layout.toOnes.count, layout.toOnes[key.slot].name == key.name {
            return key.slot
        }
        if case .toOne(let slot) = try property(key.name) { return slot }
        throw mismatch(key.name, "to-one relationship")
    }

    final func slot<Value>(of key: ToManyKey<Value>) throws(StoreError) -> Int {
        if key.slot < layout.toManys.count, layout.toManys[key.slot].name == key.name {
            return key.slot
        }
        if case .toMany(let slot) = try property(key.name) { return slot }
        throw mismatch(key.name, "to-many relationship")
    }

    private func mismatch(_ key: String, _ kind: String) -> StoreError {
        StoreError(.unknownKey, "'\(layout.name).\(key)' is no \(kind)")
    }

    /// Does what an accessor wants; an error goes to the context.
    final func attempting<R>(_ body: () throws(StoreError) -> R) -> R? {
        do throws(StoreError) {
            return try body()
        } catch {
            // Nobody would ever hear of it, and the answer would be wrong.
            guard let listener = link.listener else { trap(error) }
            listener.note(error)
            return nil
        }
    }

    /// Ends the process where an accessor that cannot throw has no answer.
    final func trap(_ error: StoreError, _ property: String? = nil) -> Never {
        let name = layout.name + (property.map { ".\($0)" } ?? "")
        fatalError("'\(name)' of p\(objectID.primaryKey) cannot be used: \(error.message)")
    }

    /// A required attribute; ends the process where the object cannot be read.
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
        trap(StoreError(.invalidRequest, "\(value) is no \(type)"), name)
    }
}
