/// The result of an operator such as `@sum`, independent of the order of the values.
package struct Aggregate {
    let op: CollectionOperator
    var count: Int64 = 0
    /// The exact sum of the integers, which 2⁶³ of them cannot overflow.
    private var integers: Int128 = 0
    private var fractions = ExactSum()
    private var hasDouble = false
    private var extreme = EvaluatedValue.null

    /// Creates an aggregate without values.
    ///
    /// - Parameter op: An operator that has one result, which those for unions do not have.
    package init(_ op: CollectionOperator) {
        self.op = op
    }

    /// Adds a value; nil is ignored.
    ///
    /// `@count` counts nil, too, so its values are not added here.
    package mutating func add(_ value: EvaluatedValue) throws(EvaluationError) {
        if value.isNull { return }
        count += 1
        if op == .minimum || op == .maximum {
            if extreme.isNull {
                extreme = value
                return
            }
            let order = try ValueOrder.compare(value, extreme, [])
            if op == .minimum ? order < 0 : order > 0 { extreme = value }
            return
        }
        switch try NumericValue(operand: value) {
        case .integer(let number): integers += Int128(number)
        case .double(let number):
            hasDouble = true
            fractions.add(number)
        }
    }

    /// Returns the result for all added values.
    package func value() throws(EvaluationError) -> EvaluatedValue {
        switch op {
        case .sum:
            if hasDouble { return .double(try double()) }
            guard let sum = Int64(exactly: integers) else { throw .overflow }
            return .integer(sum)
        case .average:
            if count == 0 { return .null }
            return .double(try double() / Double(count))
        case .minimum, .maximum: return extreme
        default: return .integer(count)
        }
    }

    /// Returns the double nearest to the sum.
    private func double() throws(EvaluationError) -> Double {
        var sum = fractions
        sum.add(integers)
        guard sum.value.isFinite else { throw .overflow }
        return sum.value
    }
}

/// A hashable value: values that `==` treats as equal have the same hashable value.
enum DistinctValue: Hashable {
    case integer(Int64)
    case double(Double)
    case decimal(ExactDecimal)
    case text([UInt8])
    case date(Double)
    case uuid([UInt8])
    case binary([UInt8])
    case object(ManagedObjectID)

    init(_ value: EvaluatedValue) throws(EvaluationError) {
        switch value {
        case .text(let bytes), .untypedText(let bytes): self = .text(Array(bytes))
        case .date(let seconds): self = .date(seconds)
        case .uuid(let bytes): self = .uuid(Array(bytes))
        case .binary(let bytes): self = .binary(Array(bytes))
        case .object(let id): self = .object(id)
        default:
            switch try NumericValue(needed: value) {
            case .integer(let number): self = .integer(number)
            case .double(let number):
                guard value.mayBeRounded, let exact = value.exactDecimal,
                    exact != ExactDecimal(number)
                else {
                    self = Int64(exactly: number).map { .integer($0) } ?? .double(number)
                    return
                }
                self = .decimal(exact)
            }
        }
    }
}
