/// A comparison of a row's field with a constant, the most frequent filter of records.
///
/// It is a fast path with the same results as the program. It covers the pairs of kinds that need
/// neither the program's traversal nor its errors; the program evaluates all others.
struct ConstantComparison {
    private enum Constant {
        case number(NumericValue)
        /// A Boolean as 1 or 0; text that is compared with it must be a word such as `true`.
        case flag(NumericValue)
        case text(ByteView)
    }

    /// The slot of the field in the row.
    let slot: Int
    private let op: ComparisonOperator
    private let constant: Constant

    /// Creates the comparison of a node, or returns `nil` if the node is not of this form.
    ///
    /// - Parameter slots: The row's slots, indexed by handle.
    init?(_ node: EvaluationProgram.Node, of program: EvaluationProgram, slots: [Int]) {
        guard case .comparison(let op, let options, .direct, let left, let right, _) = node,
            case .slot(let handle) = program.nodes[left],
            case .constant(let value) = program.nodes[right]
        else { return nil }
        let isOrder: Bool
        switch op {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: isOrder = true
        case .contains, .beginsWith, .endsWith, .like: isOrder = false
        case .in, .between, .matches: return nil
        }
        switch value {
        case .integer(let number) where isOrder: constant = .number(.integer(number))
        case .double(let number) where isOrder && !number.isNaN:
            constant = .number(.double(number))
        case .boolean(let flag) where isOrder: constant = .flag(.integer(flag ? 1 : 0))
        case .text(let bytes)
        where options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]):
            constant = .text(bytes)
        default: return nil
        }
        slot = slots[handle]
        self.op = op
    }

    /// Returns whether the comparison holds for the field's value, or `nil` if the program must
    /// decide.
    ///
    /// - Parameter known: The number that was parsed from the value, for the next comparison of the
    ///   same field. So both ends of a range parse its digits only once.
    @inline(__always)
    func holds(_ value: EvaluatedValue, _ known: inout NumericValue?) -> Bool? {
        // The constant is not nil, so only `!=` holds for nil.
        if case .null = value { return op == .notEqual }
        switch constant {
        case .number(let number):
            if known == nil { known = Self.number(value, readsText: true) }
            return known.map { ordered($0, number) }
        case .flag(let number):
            return Self.number(value, readsText: false).map { ordered($0, number) }
        case .text(let text):
            guard let bytes = value.textBytes else { return nil }
            return compare(bytes, text)
        }
    }

    /// Returns the number of a value; `nil` if it is not a number or needs the complete parser.
    @inline(__always)
    private static func number(_ value: EvaluatedValue, readsText: Bool) -> NumericValue? {
        switch value {
        case .boolean(let flag): .integer(flag ? 1 : 0)
        case .integer(let number): .integer(number)
        case .number(let bytes): NumericValue(plain: bytes)
        case .untypedText(let bytes): readsText ? NumericValue(plain: bytes) : nil
        default: nil
        }
    }

    /// Returns the result for two numbers; numbers are the constants of `==` to `>=` only.
    @inline(__always)
    private func ordered(_ left: NumericValue, _ right: NumericValue) -> Bool {
        let order = NumericValue.order(left, right)
        return switch op {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        default: order >= 0
        }
    }

    private func compare(_ left: ByteView, _ right: ByteView) -> Bool {
        switch op {
        case .notEqual: !TextComparison.holds(.equal, left, right, [])
        case .less: TextCollation.bytes(left, right) < 0
        case .lessOrEqual: TextCollation.bytes(left, right) <= 0
        case .greater: TextCollation.bytes(left, right) > 0
        case .greaterOrEqual: TextCollation.bytes(left, right) >= 0
        default: TextComparison.holds(op, left, right, [])
        }
    }
}
