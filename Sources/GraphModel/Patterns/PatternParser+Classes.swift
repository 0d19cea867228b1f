extension PatternParser {
    /// Parses a bracketed class after its `[`, or `[:name:]`.
    ///
    /// The syntax is that of ICU. `&&` is the intersection of both sides, and `--` is the
    /// difference; their operands extend to the next of them. After a class or a property, `&[` and
    /// `-[` are the same operators for the next class only. Any other `-` that is not between two
    /// characters is literal, as is a `]` at the start.
    mutating func characterClass(at start: Int) throws(PatternError) -> ScalarTest {
        if let test = try namedClass(at: start) { return test }
        try enter(at: start)
        if options.isExtended { skipComments() }
        let isNegated = take("^")
        var parts = ClassParts()
        while try classItem(&parts, at: start) {}
        leave()
        let test = ScalarTest.set(parts.test(), ignoresCase: options.ignoresCase)
        return isNegated ? .not(test) : test
    }

    /// Parses `[:name:]` after its `[`; returns `nil` and consumes nothing for other classes, such
    /// as `[:a]` and `[::]`.
    private mutating func namedClass(at start: Int) throws(PatternError) -> ScalarTest? {
        guard peek() == ":", let end = scalars[(index + 1)...].firstIndex(of: ":"),
            end + 1 < scalars.count, scalars[end + 1] == "]",
            !scalars[(index + 1)..<end].allSatisfy({ $0 == "^" })
        else { return nil }
        index += 1
        return try propertyTest(":]", at: start)
    }

    /// Parses the next item of a class; returns false at the end of the class.
    private mutating func classItem(
        _ parts: inout ClassParts, at start: Int
    ) throws(PatternError) -> Bool {
        skipQuotes(&parts)
        guard let next = peek() else { throw error("'[' is not closed", at: start) }
        let place = index
        switch next {
        case _ where parts.isQuoting: break
        case "]" where parts.last == .operation:
            throw error("The class has nothing here", at: place)
        case "]" where parts.last != .start:
            index += 1
            return false
        case "[":
            index += 1
            parts.add(.union, try characterClass(at: place), as: .set)
            try countClassPart(at: place)
            return true
        case "-", "&":
            index += 1
            if try classOperator(next, &parts, at: place) { return true }
            if next == "-", try classRange(&parts, at: start) { return true }
            parts.add(next, at: place)
            if next == "&" { parts.last = .ampersand(at: place) }
            return true
        case "\\":
            index += 1
            let isProperty = peek() == "p" || peek() == "P"
            if let test = try classEscape(at: place) {
                parts.add(.union, test, as: isProperty ? .set : .other)
                try countClassPart(at: place)
                return true
            }
            index = place
        default: break
        }
        parts.add(try classScalar(isQuoted: parts.isQuoting), at: place)
        return true
    }

    /// Skips `\Q` and `\E`, and with `(?x)` white space and comments outside them.
    private mutating func skipQuotes(_ parts: inout ClassParts) {
        while true {
            if parts.isQuoting {
                guard take("\\E") else { return }
                parts.isQuoting = false
            } else if take("\\Q") {
                parts.isQuoting = true
            } else {
                let start = index
                if options.isExtended { skipComments() }
                if index == start { return }
            }
        }
    }

    /// Parses an operator after its first character; returns false if the character is none.
    private mutating func classOperator(
        _ first: Unicode.Scalar, _ parts: inout ClassParts, at place: Int
    ) throws(PatternError) -> Bool {
        guard parts.last != .operation else { return false }
        skipQuotes(&parts)
        guard !parts.isQuoting else { return false }
        if peek() == first {
            guard parts.last != .start else {
                throw error("The class has nothing here", at: place)
            }
            index += 1
            parts.endOperand(isNextSubtracted: first == "-")
            try countClassPart(at: place)
            return true
        }
        guard parts.last == .set, peek() == "[" else { return false }
        let open = index
        index += 1
        let test = try characterClass(at: open)
        parts.add(first == "-" ? .difference : .intersection, test, as: .set)
        try countClassPart(at: place)
        return true
    }

    /// Parses the end of a range after its `-`; returns false and consumes nothing if the `-` is
    /// literal.
    ///
    /// - Parameter start: The index of the class.
    private mutating func classRange(
        _ parts: inout ClassParts, at start: Int
    ) throws(PatternError) -> Bool {
        let (low, lowPlace): (Unicode.Scalar, Int)
        switch parts.last {
        case .scalar(let scalar, let place): (low, lowPlace) = (scalar, place)
        case .ampersand(let place): (low, lowPlace) = ("&", place)
        case .start, .set, .other, .operation: return false
        }
        guard let next = peek() else { throw error("'[' is not closed", at: start) }
        let place = index
        if !parts.isQuoting {
            if next == "]" || next == "[" { return false }
            // ICU begins this range with the last character before the `&`.
            if case .ampersand = parts.last {
                throw error("A range that begins with '&' needs a backslash: \\&", at: lowPlace)
            }
            if next == "\\" {
                index += 1
                if try classEscape(at: place) != nil {
                    throw error("A range ends with a character", at: place)
                }
                index = place
            }
        }
        let high = try classScalar(isQuoted: parts.isQuoting)
        guard low <= high else { throw error("The range is reversed", at: lowPlace) }
        parts.add(low.value...high.value)
        return true
    }

    private mutating func classScalar(isQuoted: Bool) throws(PatternError) -> Unicode.Scalar {
        let start = index
        let scalar = scalars[index]
        index += 1
        guard scalar == "\\", !isQuoted else { return scalar }
        if take("b") { return "\u{8}" }
        return try literalEscape(at: start)
    }
}

/// The parts of a class that have been parsed.
private struct ClassParts {
    /// The last part, on which the meaning of `-`, `&`, and `]` depends.
    enum Last: Equatable {
        case start
        case scalar(Unicode.Scalar, at: Int)
        /// A literal `&`.
        case ampersand(at: Int)
        /// A nested class or a property.
        case set
        /// A range or an escape such as `\d`.
        case other
        case operation
    }

    var last = Last.start
    /// Whether `\Q` is open.
    var isQuoting = false
    /// The complete operands of `&&` and `--`.
    private var operands: [ScalarTest] = []
    /// Whether `--` precedes the current operand.
    private var isSubtracted = false
    /// The set operations of the current operand so far; `ranges` is not yet among them.
    private var steps: [ScalarTest.Step] = []
    private var ranges: [ClosedRange<UInt32>] = []

    mutating func add(_ scalar: Unicode.Scalar, at place: Int) {
        ranges.append(scalar.value...scalar.value)
        last = .scalar(scalar, at: place)
    }

    mutating func add(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
        last = .other
    }

    mutating func add(_ operation: ScalarTest.Operation, _ test: ScalarTest, as last: Last) {
        if operation != .union { endRanges() }
        steps.append(ScalarTest.Step(operation: operation, test: test))
        self.last = last
    }

    mutating func endOperand(isNextSubtracted: Bool) {
        endRanges()
        let isOneTest = steps.count == 1 && steps[0].operation == .union
        let operand = isOneTest ? steps[0].test : .steps(steps)
        operands.append(isSubtracted ? .not(operand) : operand)
        steps = []
        isSubtracted = isNextSubtracted
        last = .operation
    }

    private mutating func endRanges() {
        guard !ranges.isEmpty else { return }
        steps.append(ScalarTest.Step(operation: .union, test: .ranges(ranges)))
        ranges = []
    }

    /// Returns the test of the class.
    mutating func test() -> ScalarTest {
        endOperand(isNextSubtracted: false)
        return operands.count == 1 ? operands[0] : .allOf(operands)
    }
}
