/// An object as plain values, for evaluating predicates without a store.
///
///     let task: GraphRecord = ["title": "Milk", "tags": [["name": "shop"], ["name": "food"]]]
///     try GraphPredicate(format: "ANY tags.name == 'food'").evaluate(with: task)  // true
///
/// A missing field is nil. If a to-one relationship in the middle of a to-many path is nil, the
/// path has an element that is nil. If a predicate compares objects, a record without an ID is
/// equal only to itself.
public struct GraphRecord: Sendable, Hashable {
    /// The value of a record for a key.
    public indirect enum Value: Sendable, Hashable {
        /// An attribute's value, or nil.
        case value(GraphValue)
        /// The object of a to-one relationship.
        case record(GraphRecord)
        /// The elements of a to-many relationship, or a list of values; nested lists are flattened.
        case list([Value])
    }

    /// The ID of the object that the record represents, if any.
    public var id: ManagedObjectID?
    /// The values by key.
    public var fields: [String: Value]

    /// Creates a record.
    public init(id: ManagedObjectID? = nil, _ fields: [String: Value]) {
        self.id = id
        self.fields = fields
    }
}

extension GraphRecord: ExpressibleByDictionaryLiteral {
    /// Creates a record without an ID; if a key repeats, its last value is used.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(Dictionary(elements) { _, last in last })
    }
}

extension GraphRecord.Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a nil value.
    public init(nilLiteral: ()) { self = .value(.null) }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }

    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }

    /// Creates a floating-point number.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }

    /// Creates a string.
    public init(stringLiteral value: String) { self = .value(.string(value)) }

    /// Creates a list.
    public init(arrayLiteral elements: GraphRecord.Value...) { self = .list(elements) }

    /// Creates a record.
    public init(dictionaryLiteral elements: (String, GraphRecord.Value)...) {
        self = .record(GraphRecord(Dictionary(elements) { _, last in last }))
    }
}

extension GraphPredicate {
    /// Returns whether a record meets the predicate, by the same rules as in a store.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - variables: The values or lists for `$name`, without the dollar sign.
    ///   - now: The result of `now()`, in seconds since 2001-01-01 UTC; `nil` is the system's time.
    /// - Throws: `GraphPredicateError` if the predicate is invalid for every record, such as for a
    ///   variable without a value; `EvaluationError` if it has no result for this record.
    public func evaluate(
        with record: GraphRecord, variables: [String: any GraphPredicateArgument] = [:],
        now: Double? = nil
    ) throws -> Bool {
        var scheme = RecordScheme()
        let compiled = try CompiledGraphPredicate(
            substituting(variables: variables), over: &scheme,
            now: now ?? SystemTime.seconds())
        let graph = RecordGraph(keys: scheme.keys)
        return try compiled.evaluate(graph.object(record), in: graph)
    }
}

extension GraphExpression {
    /// Returns the value for a record; an object is returned as its ID.
    ///
    /// `GraphPredicate.evaluate` describes the parameters.
    public func value(
        with record: GraphRecord, variables: [String: any GraphPredicateArgument] = [:],
        now: Double? = nil
    ) throws -> GraphValue {
        let (compiled, graph) = try compiled(variables, now)
        return try GraphValue(compiled.evaluate(graph.object(record), in: graph))
    }

    /// Returns the values of a collection for a record, such as a to-many key path or `split(…)`.
    public func values(
        with record: GraphRecord, variables: [String: any GraphPredicateArgument] = [:],
        now: Double? = nil
    ) throws -> [GraphValue] {
        let (compiled, graph) = try compiled(variables, now)
        var values: [GraphValue] = []
        try compiled.forEach(graph.object(record), in: graph) {
            (element: EvaluatedElement<RecordObject>) throws(EvaluationError) -> Bool in
            switch element {
            case .value(let value): values.append(try GraphValue(value))
            case .object(let object): values.append(.object(object.id))
            }
            return true
        }
        return values
    }

    private func compiled(
        _ variables: [String: any GraphPredicateArgument], _ now: Double?
    ) throws -> (CompiledGraphExpression, RecordGraph) {
        var scheme = RecordScheme()
        let compiled = try CompiledGraphExpression(
            substituting(variables: variables), over: &scheme, now: now ?? SystemTime.seconds())
        return (compiled, RecordGraph(keys: scheme.keys))
    }
}

extension GraphValue {
    /// Copies an evaluated value.
    package init(_ value: EvaluatedValue) throws(EvaluationError) {
        switch value {
        case .null: self = .null
        case .boolean(let flag): self = .boolean(flag)
        case .integer(let number): self = .integer(number)
        case .double(let number): self = value.isNull ? .null : .double(number)
        case .text(let bytes), .untypedText(let bytes):
            self = .string(String(decoding: bytes, as: UTF8.self))
        case .number:
            self = try GraphValue(NumericValue(operand: value).value)
        case .decimal(let bytes): self = .decimal(String(decoding: bytes, as: UTF8.self))
        case .date(let seconds): self = .date(secondsSinceReference: seconds)
        case .uuid(let bytes): self = .uuid(Array(bytes))
        case .binary(let bytes): self = .binary(Array(bytes))
        case .object(let id): self = .object(id)
        case .nested: throw .wrongKind(needed: "One value", found: value.kindName)
        }
    }
}
