public import GraphModel

/// One object of a graph: a row of a store, or one that is yet to be saved.
///
/// An object belongs to its context and stays in its region: it is not `Sendable`; send its
/// `objectID`. Values stand in slots, which the entity's layout gives out. A subclass declares
/// properties over keys:
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
/// Such accessors cannot throw. What goes wrong in one — a fault whose row is gone, a value that
/// is too large — is kept by the context and thrown by its next `save()`; `value(forKey:)` and
/// `setValue(_:forKey:)` throw at once.
open class ManagedObject {
    /// How much of the row is here.
    enum Presence: UInt8 {
        /// Nothing but the ID.
        case fault
        /// The row is here, but nobody has looked yet.
        case cached
        case realized
    }

    /// What a save will do with the object.
    enum Pending: UInt8 {
        case none
        case inserted
        case updated
        case deleted
    }

    /// Attributes and to-ones as they were saved.
    struct Snapshot {
        var values: [StoredValue]
        var links: [ManagedObjectID?]
    }

    /// What a class's initializer needs; made by a context alone.
    public struct Seed {
        let id: ManagedObjectID
        let layout: EntityLayout
        let link: ContextLink
    }

    /// Which object it is, from the insertion on.
    ///
    /// It is the same forever, with two exceptions before the first save. A new object may be united
    /// with a saved one (see `MergePolicy`). And if another process writes a row with the key of a
    /// new object, the new object gets another ID, and the old ID leads to that row.
    /// `obtainPermanentIDs(for:)` prevents that.
    public internal(set) final var objectID: ManagedObjectID {
        willSet { link.context?.unregister(self) }
    }
    final let layout: EntityLayout
    final var link: ContextLink
    final var values: [StoredValue] { didSet { leaveIndex() } }
    final var links: [ManagedObjectID?] { didSet { leaveIndex() } }
    final var lists: [ToManyState]
    /// What was set since the last fetch or save.
    final var mask = ChangeMask()
    /// As saved; nil while attributes and to-ones are so still.
    final var committed: Snapshot?
    /// `Z_OPT` of the row that is here; 0 of an object that has none.
    final var version: Int64 = 0
    final var presence: Presence { didSet { leaveIndex() } }
    final var pending: Pending = .none { didSet { leaveIndex() } }
    /// The context holds it strongly, among those that have changed.
    final var isListed = false { didSet { if !isListed { isIndexed = false } } }
    /// The context's index of pending objects has it as it is.
    final var isIndexed = false
    /// The store has its row, as far as is known.
    final var isStored: Bool { didSet { leaveIndex() } }
    /// It has no row any more, or never will have one.
    final var isGone = false
    /// It came into memory only to be deleted, and its hooks are not to be called.
    final var skipsHooks = false
    /// Somebody else deleted its row.
    final var isGoneElsewhere = false
    /// Grows with every change, so that a save knows whom `willSave` has not met as they are.
    final var changeCount: UInt32 = 0
    final var toldCount: UInt32 = 0
    /// What few objects have.
    final var extra: ObjectExtra?

    /// For contexts; make objects with `init(in:)` or `ManagedObjectContext.insert(_:)`.
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

    /// The context's index of pending objects must enter it again.
    private final func leaveIndex() {
        guard isIndexed else { return }
        isIndexed = false
        link.context?.pendingIndex.noteChange(of: self)
    }

    /// Inserts a new object of this class's entity.
    ///
    /// Where the model has no such entity, or an abstract one, the object belongs nowhere and the
    /// context's next save says so.
    public required convenience init(in context: ManagedObjectContext) {
        self.init(context.seed(forNew: Self.entityName))
        context.adopt(new: self)
    }

    /// The entity that the class stands for; the class's own name unless overridden.
    open class var entityName: String { String(describing: self) }

    // MARK: Where it stands

    /// The context; nil once the context is gone or was reset, and of an object whose deletion was
    /// saved.
    public final var managedObjectContext: ManagedObjectContext? {
        isGone && !isGoneElsewhere && pending == .none ? nil : link.context
    }
    /// The name of its entity, which may be a descendant of the class's.
    public final var entityName: String { layout.name }
    /// Its values are not in memory yet.
    public final var isFault: Bool { presence != .realized }
    /// It will be inserted by the next save.
    public final var isInserted: Bool { pending == .inserted }
    /// It was changed since the last save.
    public final var isUpdated: Bool { pending == .updated }
    /// It will be deleted by the next save, or its row was found to be gone.
    public final var isDeleted: Bool { pending == .deleted || isGoneElsewhere }
    /// It was changed in any way since the last save, transient attributes included.
    public final var hasChanges: Bool { pending != .none }

    /// Whether a stored value differs from what is saved; setting what is there is no change.
    public final var hasPersistentChangedValues: Bool {
        switch pending {
        case .none: false
        case .inserted, .deleted: true
        case .updated: !effectiveMask().isEmpty
        }
    }

    // MARK: Hooks

    /// Called once in an object's life, after its insertion; defaults are in.
    ///
    /// Not called for rows that batch requests and imports write.
    open func awakeFromInsert() {}
    /// Called each time the object's row comes into memory.
    open func awakeFromFetch() {}
    /// Called by a save before anything is checked; what it changes is saved, too.
    open func willSave() {}
    /// Called after a save, on everything that it wrote.
    open func didSave() {}
    /// Called by `delete`, while the object still has its relationships.
    open func prepareForDeletion() {}
    /// Called before the object's values leave memory.
    open func willTurnIntoFault() {}
    /// Called after the object's values have left memory.
    open func didTurnIntoFault() {}
    /// Checks the object before a save; what is wrong is added to the failures.
    ///
    /// The model's own rules are checked in any case.
    open func validate(_ operation: SaveOperation, into failures: inout ValidationFailures) {}

    // MARK: By name

    /// A property's value by its name; an element of a composite's by its path, such as
    /// `magnitude.richter`.
    ///
    /// Override it to give computed properties names; call `super` for the others.
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

    /// Sets a property by its name.
    ///
    /// A composite becomes what the dictionary says: elements that it does not name have no value.
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
    /// Identity: one object in one context.
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    /// By identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A property's value, whatever its kind.
public enum PropertyValue {
    /// An attribute's value as its column stores it.
    case attribute(StoredValue)
    /// Where a to-one leads.
    case object(ManagedObject?)
    /// Where a to-many leads, in its order if it has one.
    case objects([ManagedObject])
    /// A composite's elements by their names; one of which no element has a value is
    /// `.attribute(.null)`.
    case composite([String: PropertyValue])
}

extension PropertyValue {
    /// An attribute's value; nil is no value.
    public init(_ value: (any AttributeValue)?) {
        self = .attribute(value?.storedValue ?? .null)
    }

    /// Where a to-one leads.
    public init(_ object: ManagedObject?) {
        self = .object(object)
    }

    /// Where a to-many leads.
    public init(_ objects: some Sequence<ManagedObject>) {
        self = .objects(Array(objects))
    }

    /// An attribute's value as a Swift type; nil where there is none, or where it is no such value.
    public func value<Value: AttributeValue>(as type: Value.Type = Value.self) -> Value? {
        guard case .attribute(let stored) = self else { return nil }
        return Value(storedValue: stored)
    }

    /// Where a to-one leads; nil where it leads nowhere, or the property is none.
    public var object: ManagedObject? {
        guard case .object(let object) = self else { return nil }
        return object
    }

    /// Where a to-many leads; nil where the property is none.
    public var objects: [ManagedObject]? {
        guard case .objects(let objects) = self else { return nil }
        return objects
    }
}

extension ManagedObject {
    /// Sets an attribute by its name: `try person.setValue(birthday, forKey: "birthday")`.
    public final func setValue(
        _ value: some AttributeValue, forKey key: String
    ) throws(StoreError) {
        try setValue(PropertyValue(value), forKey: key)
    }

    /// Sets several attributes by their names; `nil` takes a value away.
    ///
    /// - Throws: at the first name that is no attribute, or value that does not fit, in the order
    ///   of the names. What comes before it is set.
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
    /// No value.
    public init(nilLiteral: ()) { self = .attribute(.null) }
    /// Text.
    public init(stringLiteral value: String) { self = .attribute(.text(value)) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .attribute(.integer(value)) }
    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .attribute(.real(value)) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .attribute(.integer(value ? 1 : 0)) }
    /// A composite's elements; of a name that comes twice, the last.
    public init(dictionaryLiteral elements: (String, PropertyValue)...) {
        self = .composite(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
