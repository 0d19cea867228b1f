/// What an object has under a key.
package enum EvaluatedProperty<Node> {
    /// An attribute's value, or nil.
    case value(EvaluatedValue)
    /// The object that a to-one leads to.
    case object(Node)
    /// A to-many, or a list of values: ask `visit` for its elements.
    case elements
}

/// An element of a collection.
package enum EvaluatedElement<Node> {
    /// A value, as lists have them.
    case value(EvaluatedValue)
    /// An object.
    case object(Node)
}

/// What predicates run over: objects that have values and lead to others.
///
/// A program asks by handles, numbers that an `EvaluationScheme` gave for keys when it was
/// compiled, so nothing looks up names while it runs. An implementation over managed objects has
/// the object as its `Node` and slots as its handles:
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
/// The bytes of values must stay until the evaluation ends; reset such an arena between them.
package protocol EvaluationGraph {
    /// An object, or a record.
    associatedtype Node

    /// What the object has under the key with that handle.
    func property(_ handle: Int, of node: Node) -> EvaluatedProperty<Node>

    /// Calls the body with the elements, in their order if they have one, while it returns true.
    ///
    /// - Returns: whether the body never returned false.
    func visit(
        _ handle: Int, of node: Node,
        _ body: (EvaluatedElement<Node>) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> Bool

    /// The object's ID, which is what objects are compared by.
    func identity(of node: Node) -> EvaluatedValue

    /// Ends evaluations early; nil lets them come to their end.
    var stop: (any EvaluationStop)? { get }
}

extension EvaluationGraph {
    /// Nothing ends them early.
    package var stop: (any EvaluationStop)? { nil }
}

/// How a key path is read.
package struct EvaluationPath: Sendable, Hashable {
    /// The handles to ask for, one after the other.
    package var handles: [Int]
    /// Whether it leads to one value or to several, as far as the scheme knows.
    package var shape: EvaluationShape
    /// How many handles there are up to the last that is to-many; nil where that is unknown.
    package var toManyCount: Int?
    /// The kind of the objects at its end, for the key paths from there; nil for values.
    package var kind: Int?
    /// Whether its values are numbers that need not be whole.
    package var isFractional = false

    /// Creates a path.
    package init(
        _ handles: [Int], _ shape: EvaluationShape = .unknown, toManyCount: Int? = nil,
        kind: Int? = nil
    ) {
        self.handles = handles
        self.shape = shape
        self.toManyCount = toManyCount
        self.kind = kind
    }
}

/// Whether an expression is one value or several, as far as it is known before running.
package enum EvaluationShape: Sendable, Hashable {
    /// One value or object, or nil.
    case single
    /// A collection.
    case several
    /// Either.
    case unknown
}

/// Says what keys mean, while a program is compiled.
package protocol EvaluationScheme {
    /// The path of keys from objects of a kind; nil where there is no such key.
    ///
    /// - Parameter kind: 0 for the objects that the predicate is asked of, else what an earlier
    ///   answer said; an implementation over a model would use it for the entity.
    mutating func path(of keys: [String], from kind: Int) -> EvaluationPath?

    /// Whether the objects have IDs, so that SELF means something.
    var hasIdentity: Bool { get }

    /// The root entity's number for that of each entity below it: an ID names an object by its
    /// hierarchy and its key.
    var rootNumbers: [Int64: Int64] { get }
}

extension EvaluationScheme {
    package var rootNumbers: [Int64: Int64] { [:] }
}

/// Rows: every key path that a predicate uses is one slot.
struct RowScheme: EvaluationScheme {
    let slotOf: ([String]) -> Int?
    /// The row's slots in use, at their handles.
    private(set) var slots: [Int] = []
    /// What they are called, in the first place that names them.
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

/// The values that one row has in the slots in use.
///
/// One type for all rows, so the program that runs over it is compiled for it alone.
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
