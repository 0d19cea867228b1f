extension PatternParser {
    /// Parses an escape outside a class, after its backslash.
    mutating func escape(at start: Int) throws(PatternError) -> Part {
        guard let scalar = peek() else {
            throw error("The pattern ends with a backslash", at: start)
        }
        let assertion: PatternAssertion? =
            switch scalar {
            case "A": .textStart
            case "z": .textEnd
            case "Z": .lastLineEnd
            case "b": .wordBoundary
            case "B": .noWordBoundary
            default: nil
            }
        if let assertion {
            index += 1
            if peek() == "{" { throw error("'\\\(scalar){' is not supported", at: start) }
            return Part(node: .assertion(assertion), size: 1)
        }
        if scalar == "R" {
            index += 1
            let pair = PatternNode.sequence([
                .scalar(.scalar("\r", ignoresCase: false)),
                .scalar(.scalar("\n", ignoresCase: false)),
            ])
            return Part(
                node: .choice([pair, .scalar(.property(.lineTerminator))]), size: 4)
        }
        if scalar == "k" || scalar == "g" || scalar.value &- 0x31 < 9 {
            throw error("Back-references are not supported", at: start)
        }
        return Part(node: .scalar(try scalarEscape(at: start)), size: 1)
    }

    /// Parses an escape for one scalar or for a class of scalars.
    mutating func scalarEscape(at start: Int) throws(PatternError) -> ScalarTest {
        if let test = try classEscape(at: start) { return test }
        return .scalar(try literalEscape(at: start), ignoresCase: options.ignoresCase)
    }

    /// Parses an escape for a class of scalars; returns `nil` and consumes nothing for others.
    mutating func classEscape(at start: Int) throws(PatternError) -> ScalarTest? {
        guard let scalar = peek() else { return nil }
        let property: ScalarProperty
        switch scalar {
        case "d", "D": property = .digit
        case "w", "W": property = .word
        case "s", "S": property = .space
        case "h", "H": property = .blank
        case "v", "V": property = .lineTerminator
        case "N": property = .lineTerminator
        case "p", "P":
            index += 1
            guard take("{") else {
                throw error("'\\\(scalar)' needs a property, as in \\p{Lu}", at: start)
            }
            let test = try propertyTest("}", at: start)
            return scalar == "P" ? .not(test) : test
        default: return nil
        }
        index += 1
        if scalar == "N", peek() == "{" {
            throw error("Names of characters are not supported", at: start)
        }
        return scalar.value < 0x61 ? .not(.property(property)) : .property(property)
    }

    /// Parses a property name up to the closing string, which is also consumed.
    mutating func propertyTest(_ closing: String, at start: Int) throws(PatternError) -> ScalarTest
    {
        let first = index
        while index < scalars.count, !scalars[index...].starts(with: closing.unicodeScalars) {
            index += 1
        }
        var name = String(String.UnicodeScalarView(scalars[first..<index]))
        guard take(closing) else { throw error("The property is not closed", at: start) }
        let isNegated = name.hasPrefix("^")
        if isNegated { name.removeFirst() }
        guard let property = Self.property(name) else {
            throw error("There is no character property '\(name)'", at: start)
        }
        let test = ScalarTest.set(property, ignoresCase: options.ignoresCase)
        return isNegated ? .not(test) : test
    }

    private static func property(_ name: String) -> ScalarTest? {
        let parts = name.split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == "=" || $0 == ":" }
        ).map(String.init)
        if parts.count == 1 {
            if let property = ScalarProperty(named: name) { return .property(property) }
            return ScriptTable.test(name, isExtended: false)
        }
        switch ScalarProperty.key(parts[0]) {
        case "generalcategory", "gc": return ScalarProperty(named: parts[1]).map { .property($0) }
        case "script", "sc": return ScriptTable.test(parts[1], isExtended: false)
        case "scriptextensions", "scx": return ScriptTable.test(parts[1], isExtended: true)
        default: return nil
        }
    }

    /// Parses an escape for one scalar.
    mutating func literalEscape(at start: Int) throws(PatternError) -> Unicode.Scalar {
        guard let scalar = peek() else {
            throw error("The pattern ends with a backslash", at: start)
        }
        index += 1
        switch scalar {
        case "t": return "\t"
        case "n": return "\n"
        case "r": return "\r"
        case "f": return "\u{C}"
        case "a": return "\u{7}"
        case "e": return "\u{1B}"
        case "x": return try hexadecimal(peek() == "{" ? nil : 1...2, at: start)
        case "u": return try hexadecimal(peek() == "{" ? nil : 4...4, at: start)
        case "U": return try hexadecimal(8...8, at: start)
        case "0": return try octal(at: start)
        case "c":
            guard let letter = peek(), letter.value &- 0x40 < 0x40 else { break }
            index += 1
            return Unicode.Scalar(UInt8(letter.value & 0x1F))
        default:
            // Letters are reserved for future escapes; any other character is literal.
            if scalar.value >= 0x80 || !ScalarProperty.isWord(scalar) || scalar == "_" {
                return scalar
            }
        }
        throw error("'\\\(scalar)' is not an escape", at: start)
    }

    /// Parses hexadecimal digits in braces, or as many as the range allows.
    private mutating func hexadecimal(
        _ digits: ClosedRange<Int>?, at start: Int
    ) throws(PatternError) -> Unicode.Scalar {
        if digits == nil { index += 1 }
        let range = digits ?? 1...8
        var value: UInt32 = 0
        var count = 0
        while count < range.upperBound, let digit = peek()?.hexadecimalValue {
            value = value << 4 | digit
            count += 1
            index += 1
        }
        let isClosed = digits != nil || take("}")
        guard isClosed, count >= range.lowerBound, let scalar = Unicode.Scalar(value) else {
            throw error("The escape names no character", at: start)
        }
        return scalar
    }

    private mutating func octal(at start: Int) throws(PatternError) -> Unicode.Scalar {
        var value: UInt32 = 0
        var count = 0
        while count < 3, let digit = peek()?.value, digit &- 0x30 < 8 {
            value = value << 3 | (digit - 0x30)
            count += 1
            index += 1
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw error("The escape names no character", at: start)
        }
        return scalar
    }
}

extension Unicode.Scalar {
    fileprivate var hexadecimalValue: UInt32? {
        switch value {
        case 0x30...0x39: value - 0x30
        case 0x41...0x46: value - 0x37
        case 0x61...0x66: value - 0x57
        default: nil
        }
    }
}
