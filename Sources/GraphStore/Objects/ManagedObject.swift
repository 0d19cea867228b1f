public import GraphModel

/// An object of a graph: a row of a store, or an object that is not saved yet.
///
/// An object belongs to its context and must stay in the context's isolation region. It is not
/// `Sendable`; send its `objectID` instead. Values are stored in slots, which the entity's layout
/// assigns. A subclass declares properties with keys:
/// ```swift
/// final class Task: ManagedObject {
///     enum Keys {
///         static let title = AttributeKey<String>("title", slot: 0)
///         static let category = ToOneKey<Category>("category", slot: 0)
///         static let tags = ToManyKey<Tag>("tags", slot: 0)
///     }
///     var title: String? { get { self[Keys.title] } set { self[Keys.title] = newValue } }
///     var category: Category? { get { self[Keys.category] } set { self[Keys.category] = newValue } }
///     var tags: [Tag] { get { self[Keys.tags] } set { self[Keys.tags] = newValue } }
/// }
/// container.register(Task.self)
/// ```
/// These accessors cannot throw. The context records their errors, such as a fault whose row was
/// deleted or a value that is too large, and its next `save()` throws them. `value(forKey:)` and
/// `setValue(_:forKey:)` throw immediately.
open class ManagedObject {
    /// The part of the row that is in memory.
    enum Presence: UInt8 {
        /// Only the ID is in memory.
        case fault
        /// The row is in memory, but no property has been accessed yet.
        case cached
        case realized
    }

    /// The operation that a save will perform.
    enum Pending: UInt8 {
        case none
        case inserted
        case updated
        case deleted
    }

    /// The saved attributes and to-ones.
    struct Snapshot {
        var values: [StoredValue]
        var links: [ManagedObjectID?]
    }

    /// The arguments of a class's initializer; only a context creates them.
    public struct Seed {
        let id: ManagedObjectID
        let layout: EntityLayout
        let link: ContextLink
    }

    /// The object's ID, which is set when the object is inserted.
    ///
    /// It never changes, with two exceptions before the first save. A new object may be merged into
    /// a saved one (see `MergePolicy`). And if another process writes a row with the primary key of
    /// a new object, the new object gets another ID, and the old ID refers to that row.
    /// `obtainPermanentIDs(for:)` prevents that.
    public internal(set) final var objectID: ManagedObjectID {
        willSet { link.context?.unregister(self) }
    }
    final let layout: EntityLayout
    final var link: ContextLink
    final var values: [StoredValue] { didSet { leaveIndex() } }
    final var links: [ManagedObjectID?] { didSet { leaveIndex() } }
    final var lists: [ToManyState]
    /// The properties set since the last fetch or save.
    final var mask = ChangeMask()
    /// The saved values; `nil` while attributes and to-ones are unchanged.
    final var committed: Snapshot?
    /// The value of `Z_OPT` in the row; 0 if the object has no row.
    final var version: Int64 = 0
    final var presence: Presence { didSet { leaveIndex() } }
    final var pending: Pending = .none { didSet { leaveIndex() } }
    /// Whether the context holds the object strongly, among its changed objects.
    final var isListed = false { didSet { if !isListed { isIndexed = false } } }
    /// Whether the context's index of pending objects has the object's current state.
    final var isIndexed = false
    /// Whether the store is known to have the object's row.
    final var isStored: Bool { didSet { leaveIndex() } }
    /// Whether the object has no row any longer, or will never have one.
    final var hasNoRow = false
    /// Whether the object was loaded only to be deleted, so that its hooks are not called.
    final var skipsHooks = false
    /// Whether another context or process deleted the row.
    final var isDeletedElsewhere = false
    /// A counter of changes, so that a save finds objects that changed after their `willSave`.
    final var changeCount: UInt32 = 0
    final var reportedCount: UInt32 = 0
    /// The state that few objects need.
    final var extra: ObjectExtra?

    /// Creates an object for a context; use `init(in:)` or `ManagedObjectContext.insert(_:)`
    /// instead.
    public required init(_ seed: Seed) {
        objectID = seed.id
        layout = seed.layout
        link = seed.link
        values = []
        links = []
        lists = []
        presence = .fault
        isStored = true
    }

    /// Removes the object from the context's index of pending objects until it is indexed again.
    private final func leaveIndex() {
        guard isIndexed else { return }
        isIndexed = false
        link.context?.pendingIndex.noteChange(of: self)
    }

    /// Inserts a new object of this class's entity.
    ///
    /// If the model has no such entity or the entity is abstract, the object belongs to no context,
    /// and the context's next save throws an error.
    public required convenience init(in context: ManagedObjectContext) {
        self.init(context.seed(forNew: Self.entityName))
        context.adopt(new: self)
    }

    /// The name of the class's entity; the name of the class unless overridden.
    open class var entityName: String { String(describing: self) }

    // MARK: Where it stands

    /// The object's context.
    ///
    /// It is `nil` after the context was deallocated or reset, and after the object's deletion was
    /// saved.
    public final var managedObjectContext: ManagedObjectContext? {
        hasNoRow && !isDeletedElsewhere && pending == .none ? nil : link.context
    }
    /// The name of the object's entity, which may be a descendant of the class's entity.
    public final var entityName: String { layout.name }
    /// Whether the object's values are not in memory yet.
    public final var isFault: Bool { presence != .realized }
    /// Whether the next save will insert the object.
    public final var isInserted: Bool { pending == .inserted }
    /// Whether the object was changed since the last save.
    public final var isUpdated: Bool { pending == .updated }
    /// Whether the next save will delete the object, or its row no longer exists.
    public final var isDeleted: Bool { pending == .deleted || isDeletedElsewhere }
    /// Whether the object has any change since the last save, including transient attributes.
    public final var hasChanges: Bool { pending != .none }

    /// Whether a stored value differs from the saved one; setting an equal value is not a change.
    public final var hasPersistentChangedValues: Bool {
        switch pending {
        case .none: false
        case .inserted, .deleted: true
        case .updated: !effectiveMask().isEmpty
        }
    }

    // MARK: Hooks

    /// Called once in an object's lifetime, after its insertion, when defaults are set.
    ///
    /// It is not called for rows written by batch requests and imports.
    open func awakeFromInsert() {}
    /// Called each time the object's row is loaded into memory.
    open func awakeFromFetch() {}
    /// Called by a save before validation; the save includes changes made here.
    open func willSave() {}
    /// Called after a save, for every object that it wrote.
    open func didSave() {}
    /// Called by `delete`, while the object still has its relationships.
    open func prepareForDeletion() {}
    /// Called before the object's values leave memory.
    open func willTurnIntoFault() {}
    /// Called after the object's values have left memory.
    open func didTurnIntoFault() {}
    /// Validates the object before a save, and adds errors to `failures`.
    ///
    /// The model's own rules are always validated.
    open func validate(_ operation: SaveOperation, into failures: inout ValidationFailures) {}

    // MARK: By name

    /// Returns the value of a property by name, or of a composite's element by path.
    ///
    /// An example of a path is `magnitude.richter`. Override the method to name computed
    /// properties, and call `super` for other names.
    open func value(forKey key: String) throws(StoreError) -> PropertyValue {
        if layout.fetchedProperties[key] != nil {
            return .objects(try fetchedObjects(for: key))
        }
        if let elements = layout.composites[key] {
            return try composite(key, elements) { slot throws(StoreError) in try attribute(slot) }
        }
        switch try property(key) {
        case .attribute(let slot): return .attribute(try attribute(slot))
        case .toOne(let slot): return .object(try toOne(slot))
        case .toMany(let slot): return .objects(try toMany(slot))
        }
    }

    /// Sets the value of a property by name.
    ///
    /// A composite is replaced by the dictionary: elements that it omits have no value.
    open func setValue(_ value: PropertyValue, forKey key: String) throws(StoreError) {
        if let elements = layout.composites[key] {
            return try setComposite(key, elements, value)
        }
        switch (try property(key), value) {
        case (.attribute(let slot), .attribute(let value)): try setAttribute(slot, value)
        case (.toOne(let slot), .object(let object)): try setToOne(slot, object)
        case (.toOne(let slot), .attribute(.null)): try setToOne(slot, nil)
        case (.toMany(let slot), .objects(let objects)): try setToMany(slot, objects)
        default:
            throw StoreError(
                .invalidRequest, "'\(layout.name).\(key)' cannot hold a value of that kind")
        }
    }

    final func property(_ key: String) throws(StoreError) -> EntityLayout.Property {
        if let property = layout.properties[key] { return property }
        throw StoreError(.unknownKey, "'\(layout.name)' has no property '\(key)'")
    }
}

@available(*, unavailable, message: "An object stays in its context; send its objectID instead")
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
    /// Returns whether both are the same object in the same context.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The value of any kind of property.
public enum PropertyValue {
    /// An attribute's value as its column stores it.
    case attribute(StoredValue)
    /// The destination of a to-one.
    case object(ManagedObject?)
    /// The destinations of a to-many, in order if the to-many is ordered.
    case objects([ManagedObject])
    /// A composite's elements by name; without any value, the composite is `.attribute(.null)`.
    case composite([String: PropertyValue])
}

extension PropertyValue {
    /// Creates an attribute's value; `nil` is null.
    public init(_ value: (any AttributeValue)?) {
        self = .attribute(value?.storedValue ?? .null)
    }

    /// Creates the value of a to-one.
    public init(_ object: ManagedObject?) {
        self = .object(object)
    }

    /// Creates the value of a to-many.
    public init(_ objects: some Sequence<ManagedObject>) {
        self = .objects(Array(objects))
    }

    /// Returns an attribute's value as a Swift type; `nil` if it is null or has another type.
    public func value<Value: AttributeValue>(as type: Value.Type = Value.self) -> Value? {
        guard case .attribute(let stored) = self else { return nil }
        return Value(storedValue: stored)
    }

    /// The destination of a to-one; `nil` if there is no destination, or for other properties.
    public var object: ManagedObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// The destinations of a to-many; `nil` for other properties.
    public var objects: [ManagedObject]? {
        guard case .objects(let objects) = self else { return nil }
        return objects
    }
}

extension ManagedObject {
    /// Sets an attribute by name: `try person.setValue(birthday, forKey: "birthday")`.
    public final func setValue(
        _ value: some AttributeValue, forKey key: String
    ) throws(StoreError) {
        try setValue(PropertyValue(value), forKey: key)
    }

    /// Sets several attributes by name; `nil` removes a value.
    ///
    /// - Throws: An error for the first name that is not an attribute, or value that does not fit,
    ///   in the order of the names. Attributes before it have been set.
    public final func setValues(
        _ values: [String: (any AttributeValue)?]
    ) throws(StoreError) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            try setValue(PropertyValue(value), forKey: key)
        }
    }
}

@available(*, unavailable, message: "It may hold objects, which stay in their context")
extension PropertyValue: Sendable {}

extension PropertyValue: ExpressibleByNilLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a null value.
    public init(nilLiteral: ()) { self = .attribute(.null) }
    /// Creates a text value.
    public init(stringLiteral value: String) { self = .attribute(.text(value)) }
    /// Creates an integer value.
    public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
    /// Creates a floating-point value.
    public init(floatLiteral value: Double) { self = .attribute(.real(value)) }
    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .attribute(.integer(value ? 1 : 0)) }
    /// Creates a composite's elements; if a name occurs twice, the last value wins.
    public init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .composite(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
