extension PatternParser {
    /// Parses a bracketed class after its `[`: its items and nested classes.
    ///
    /// `&&` is the intersection of both sides, and `--` is the difference. The operands of both
    /// extend to the next operator.
    mutating func characterClass(at start: Int) throws(PatternError) -> ScalarTest {
        try enter(at: start)
        let isNegated = take("^")
        var result: ScalarTest?
        var operation = Operation.union
        while true {
            let operand = try classItems(at: start)
            switch (result, operation) {
            case (nil, _): result = operand
            case (let left?, .intersection): result = .both(left, operand)
            case (let left?, _): result = .both(left, .not(operand))
            }
            if take("]") { break }
            operation = take("&&") ? .intersection : .difference
            if operation == .difference { index += 2 }
        }
        leave()
        let test = ScalarTest.set(result ?? .oneOf([]), ignoresCase: options.ignoresCase)
        return isNegated ? .not(test) : test
    }

    private enum Operation { case union, intersection, difference }

    /// Parses the union of items up to an operator or the end of the class.
    private mutating func classItems(at start: Int) throws(PatternError) -> ScalarTest {
        var items: [ScalarTest] = []
        let first = index
        while true {
            guard let next = peek() else { throw error("'[' is not closed", at: start) }
            if next == "]" || isOperator(next) { break }
            let place = index
            if next == "[" {
                index += 1
                if take(":") {
                    items.append(try propertyTest(":]", at: place))
                } else {
                    items.append(try characterClass(at: place))
                }
                continue
            }
            if take("\\Q") {
                while index < scalars.count, !take("\\E") {
                    items.append(.scalar(scalars[index], ignoresCase: false))
                    index += 1
                }
                continue
            }
            if next == "\\" {
                index += 1
                if let test = try classEscape(at: place) {
                    items.append(test)
                    continue
                }
                index -= 1
            }
            items.append(try classRange(at: place))
        }
        if items.isEmpty { throw error("The class has nothing here", at: first) }
        return items.count == 1 ? items[0] : .oneOf(items)
    }

    private func isOperator(_ next: Unicode.Scalar) -> Bool {
        next == "&" && peek(1) == "&" || next == "-" && peek(1) == "-"
    }

    /// Parses a scalar or a range of scalars.
    private mutating func classRange(at start: Int) throws(PatternError) -> ScalarTest {
        let low = try classScalar()
        guard peek() == "-", let after = peek(1), after != "]", after != "-" else {
            return .scalar(low, ignoresCase: false)
        }
        index += 1
        let isClass =
            after == "["
            || after == "\\" && peek(1).map { "dDwWsShHvVNpP".unicodeScalars.contains($0) } ?? false
        guard !isClass else { throw error("A range ends with a character", at: index) }
        let high = try classScalar()
        guard low <= high else { throw error("The range is reversed", at: start) }
        return .range(low.value...high.value)
    }

    private mutating func classScalar() throws(PatternError) -> Unicode.Scalar {
        let start = index
        let scalar = scalars[index]
        index += 1
        guard scalar == "\\" else { return scalar }
        if take("b") { return "\u{8}" }
        return try literalEscape(at: start)
    }
}
