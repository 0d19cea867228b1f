/// The property of an object for a key.
package enum EvaluatedProperty<Node> {
    /// An attribute's value, or nil.
    case value(EvaluatedValue)
    /// The object of a to-one relationship.
    case object(Node)
    /// A to-many relationship or a list of values; `visit` returns its elements.
    case elements
}

/// An element of a collection.
package enum EvaluatedElement<Node> {
    /// A value, as in lists.
    case value(EvaluatedValue)
    /// An object.
    case object(Node)
}

/// A graph of objects over which predicates are evaluated.
///
/// A program uses handles: numbers that an `EvaluationScheme` assigned to keys during compilation.
/// So no names are looked up during evaluation. An implementation over managed objects has the
/// object as its `Node` and slots as its handles:
///
///     struct ObjectGraph: EvaluationGraph {
///         let texts = EvaluationArena()
///
///         func property(_ handle: Int, of object: ManagedObject) -> EvaluatedProperty<ManagedObject> {
///             switch object.slot(handle) {
///             case .integer(let value): .value(.integer(value))
///             case .text(let text): .value(.text(texts.store(text.utf8)))
///             case .toOne(let other): other.map { .object($0) } ?? .value(.null)
///             case .toMany: .elements
///             …
///         }
///
///         func visit(_ handle: Int, of object: ManagedObject, _ body: …) throws(EvaluationError) -> Bool {
///             for other in object.toMany(handle) where try !body(.object(other)) { return false }
///             return true
///         }
///
///         func identity(of object: ManagedObject) -> EvaluatedValue { .object(object.objectID) }
///     }
///
/// The bytes of values must be valid until the evaluation ends; reset such an arena between
/// evaluations.
package protocol EvaluationGraph {
    /// The type of an object or a record.
    associatedtype Node

    /// Returns the object's property for the key with that handle.
    func property(_ handle: Int, of node: Node) -> EvaluatedProperty<Node>

    /// Calls the body with each element, in order if there is one, until it returns false.
    ///
    /// - Returns: Whether the body never returned false.
    func visit(
        _ handle: Int, of node: Node,
        _ body: (EvaluatedElement<Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool

    /// Returns the object's ID, by which objects are compared.
    func identity(of node: Node) -> EvaluatedValue

    /// The flag that stops evaluations early; `nil` lets them finish.
    var stop: (any EvaluationStop)? { get }
}

extension EvaluationGraph {
    /// `nil`, so evaluations always finish.
    package var stop: (any EvaluationStop)? { nil }
}

/// The compiled form of a key path.
package struct EvaluationPath: Sendable, Hashable {
    /// The handles to read, in order.
    package var handles: [Int]
    /// Whether it has one value or several, if the scheme knows.
    package var shape: EvaluationShape
    /// The number of handles up to the last to-many one, including it; `nil` if unknown.
    package var toManyCount: Int?
    /// The kind of the objects at the end of the path, from which further keys can be resolved.
    ///
    /// It is `nil` if the path ends at values.
    package var kind: Int?
    /// Whether its values are numbers that can have fractions.
    package var isFractional = false

    /// Creates a path.
    package init(_ handles: [Int], _ shape: EvaluationShape, kind: Int? = nil) {
        self.handles = handles
        self.shape = shape
        self.kind = kind
    }
}

/// Whether an expression has one value or several, if that is known at compile time.
package enum EvaluationShape: Sendable, Hashable {
    /// One value or object, or nil.
    case single
    /// A collection.
    case several
    /// Either; known only during evaluation.
    case unknown
}

/// Resolves keys while a program is compiled.
package protocol EvaluationScheme {
    /// Returns the path of keys from objects of a kind, or `nil` if a key does not exist.
    ///
    /// - Parameter kind: 0 for the objects that are tested; otherwise, the kind in an earlier
    ///   result. An implementation over a model uses it for the entity.
    mutating func path(of keys: [String], from kind: Int) -> EvaluationPath?

    /// Whether the objects have IDs, so that SELF is valid.
    var hasIdentity: Bool { get }

    /// The number of the root entity, by the number of each entity below it.
    ///
    /// An ID identifies an object by its root entity and its primary key.
    var rootNumbers: [Int64: Int64] { get }
}

extension EvaluationScheme {
    /// An empty dictionary, so that each entity is its own root.
    package var rootNumbers: [Int64: Int64] { [:] }
}

/// The scheme of rows: every key path of a predicate is one slot of the row.
struct RowScheme: EvaluationScheme {
    let slotOf: ([String]) -> Int?
    /// The row's slots in use, indexed by handle.
    private(set) var slots: [Int] = []
    /// The key path of each slot, as first written.
    private(set) var names: [String] = []

    var hasIdentity: Bool { false }

    init(_ slotOf: @escaping ([String]) -> Int?) {
        self.slotOf = slotOf
    }

    mutating func path(of keys: [String], from kind: Int) -> EvaluationPath? {
        guard let slot = slotOf(keys) else { return nil }
        if let handle = slots.firstIndex(of: slot) { return EvaluationPath([handle], .single) }
        slots.append(slot)
        names.append(keys.joined(separator: "."))
        return EvaluationPath([slots.count - 1], .single)
    }
}

/// The values of one row in the slots in use.
///
/// All rows share this type, so the program is specialized for it only.
struct RowGraph: EvaluationGraph {
    let values: UnsafeMutablePointer<EvaluatedValue>

    func property(_ handle: Int, of node: Void) -> EvaluatedProperty<Void> {
        .value(values[handle])
    }

    func visit(
        _ handle: Int, of node: Void,
        _ body: (EvaluatedElement<Void>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool {
        true
    }

    func identity(of node: Void) -> EvaluatedValue { .null }
}
