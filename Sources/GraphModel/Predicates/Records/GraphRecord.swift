/// An object as plain values, for asking predicates without a store.
///
///     let task: GraphRecord = ["title": "Milk", "tags": [["name": "shop"], ["name": "food"]]]
///     try GraphPredicate(format: "ANY tags.name == 'food'").evaluate(with: task)  // true
///
/// A field that is not there is nil. What a path leads to is as the records have it: where a
/// to-one in the middle of a to-many path is nil, that counts as an element that is nil. Records without an ID are objects of their own: equal to
/// none but themselves, where a predicate compares objects.
public struct GraphRecord: Sendable, Hashable {
    /// What a record has under a key.
    public indirect enum Value: Sendable, Hashable {
        /// An attribute's value, or nil.
        case value(GraphValue)
        /// The object at the end of a to-one.
        case record(GraphRecord)
        /// The elements of a to-many, or a list of values; nested lists count as one.
        case list([Value])
    }

    /// The object that it stands for, if it stands for one.
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
    /// Creates a record without an ID; of fields with the same key the last counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(Dictionary(elements) { _, last in last })
    }
}

extension GraphRecord.Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self = .value(.null) }

    /// True or false.
    public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .value(.integer(value)) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self = .value(.double(value)) }

    /// Text.
    public init(stringLiteral value: String) { self = .value(.string(value)) }

    /// A list.
    public init(arrayLiteral elements: GraphRecord.Value...) { self = .list(elements) }

    /// A record.
    public init(dictionaryLiteral elements: (String, GraphRecord.Value)...) {
        self = .record(GraphRecord(Dictionary(elements) { _, last in last }))
    }
}

extension GraphPredicate {
    /// Whether a record meets the predicate, by the rules that a store follows as well.
    ///
    /// - Parameters:
    ///   - record: the record.
    ///   - variables: the values or lists that `$name` stands for, without the dollar sign.
    ///   - now: what `now()` is, in seconds since 2001-01-01 UTC; the system's time where it is
    ///     nil.
    /// - Throws: `GraphPredicateError` where it cannot be asked of any record, such as for a
    ///   variable without value; `EvaluationError` where it has no answer for this one.
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
    /// The value for a record; objects are their IDs.
    ///
    /// The parameters are those of `GraphPredicate.evaluate`.
    public func value(
        with record: GraphRecord, variables: [String: any GraphPredicateArgument] = [:],
        now: Double? = nil
    ) throws -> GraphValue {
        var scheme = RecordScheme()
        let compiled = try CompiledGraphExpression(
            substituting(variables: variables), over: &scheme,
            now: now ?? SystemTime.seconds())
        let graph = RecordGraph(keys: scheme.keys)
        return try GraphValue(compiled.evaluate(graph.object(record), in: graph))
    }

    /// The values of a collection, such as a to-many key path or `split(…)`, for a record.
    public func values(
        with record: GraphRecord, variables: [String: any GraphPredicateArgument] = [:],
        now: Double? = nil
    ) throws -> [GraphValue] {
        var scheme = RecordScheme()
        let compiled = try CompiledGraphExpression(
            substituting(variables: variables), over: &scheme,
            now: now ?? SystemTime.seconds())
        let graph = RecordGraph(keys: scheme.keys)
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
}

extension GraphValue {
    /// A copy of an evaluated value.
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
