extension GraphPredicate: CustomStringConvertible {
    /// The canonical text: `title CONTAINS[c] "milk" AND NOT priority == 0`.
    ///
    /// It has only the necessary parentheses, so it is never nested deeper than the parsed text.
    /// Parsing it returns the same predicate, except for AND and OR of fewer than two parts, which
    /// the language cannot express.
    public var description: String {
        switch self {
        case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): comparison.description
        case .not(let part): "NOT \(part.inBrackets(if: part.isCompound))"
        case .and(let parts):
            parts.isEmpty
                ? "TRUEPREDICATE"
                : parts.map { $0.inBrackets(if: $0.isCompound) }.joined(separator: " AND ")
        case .or(let parts):
            parts.isEmpty
                ? "FALSEPREDICATE"
                : parts.map { $0.inBrackets(if: $0.isDisjunction) }.joined(separator: " OR ")
        }
    }

    private var isDisjunction: Bool {
        if case .or = self { return true }
        return false
    }

    private var isCompound: Bool {
        if case .and = self { return true }
        return isDisjunction
    }

    private func inBrackets(if isNeeded: Bool) -> String {
        isNeeded ? "(\(self))" : description
    }
}

extension GraphComparison: CustomStringConvertible {
    /// The canonical text.
    public var description: String {
        let before = modifier == .direct ? "" : modifier.rawValue + " "
        return "\(before)\(left) \(op.rawValue)\(options) \(right)"
    }
}

extension ComparisonOptions: CustomStringConvertible {
    /// The letters in brackets, or an empty string.
    public var description: String {
        let letters = [
            contains(.caseInsensitive) ? "c" : "", contains(.diacriticInsensitive) ? "d" : "",
            contains(.normalized) ? "n" : "",
        ].joined()
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

extension GraphExpression: CustomStringConvertible {
    /// The canonical text; parsing it returns the same expression.
    public var description: String {
        switch self {
        case .constant(let value): value.description
        case .keyPath(let keys): keys.isEmpty ? "SELF" : Self.path(nil, keys)
        case .variable(let name, let keys): Self.path("$" + name, keys)
        case .evaluatedObject: "SELF"
        case .negation(let operand): "-\(operand.inBrackets(if: !operand.followsMinus))"
        case .arithmetic(let op, let left, let right):
            left.inBrackets(if: left.binds(lessThan: op, isFirst: !op.isRightAssociative))
                + " \(op.rawValue) "
                + right.inBrackets(if: right.binds(lessThan: op, isFirst: op.isRightAssociative))
        case .aggregate(let elements):
            "{" + elements.map(\.description).joined(separator: ", ") + "}"
        case .function(PredicateFunction.complement.name, let arguments) where arguments.count == 1:
            // Without parentheses, which would nest twice as deep.
            "~\(arguments[0].inBrackets(if: arguments[0].isArithmetic))"
        case .function(let name, let arguments):
            "\(name)(" + arguments.map(\.description).joined(separator: ", ") + ")"
        case .collection(let base, let op, let keys):
            ([base.asObject + "." + op.rawValue] + keys.map(Self.written)).joined(separator: ".")
        case .index(let base, let index): "\(base.asBase)[\(index)]"
        case .member(let base, let keys): Self.path(base.asObject, keys)
        case .subquery(let collection, let variable, let predicate):
            "SUBQUERY(\(collection), $\(variable), \(predicate))"
        case .conditional(let predicate, let yes, let no): "TERNARY(\(predicate), \(yes), \(no))"
        }
    }

    /// Whether a minus before it stays an operator; before a number, it would become the sign.
    private var followsMinus: Bool {
        switch self {
        case .arithmetic: false
        case .constant(.integer(let value)): value < 0
        case .constant(.double(let value)): value.sign == .minus
        case .constant(.decimal(let text)): text.hasPrefix("-")
        default: true
        }
    }

    private var isArithmetic: Bool {
        if case .arithmetic = self { true } else { false }
    }

    /// Returns whether it needs parentheses as an operand of the operator.
    ///
    /// - Parameter isFirst: Whether its operator is applied first if both have the same precedence.
    private func binds(lessThan op: ArithmeticOperator, isFirst: Bool) -> Bool {
        guard case .arithmetic(let own, _, _) = self else { return false }
        return isFirst ? own.precedence < op.precedence : own.precedence <= op.precedence
    }

    private func inBrackets(if isNeeded: Bool) -> String {
        isNeeded ? "(\(self))" : description
    }

    /// The text before an index.
    private var asBase: String {
        switch self {
        case .arithmetic, .negation: inBrackets(if: true)
        default: description
        }
    }

    /// The text before a dot; a collection operator, which would include the keys, is in
    /// parentheses.
    private var asObject: String {
        if case .collection = self { return inBrackets(if: true) }
        return asBase
    }

    private static func path(_ start: String?, _ keys: [String]) -> String {
        var parts = start.map { [$0] } ?? []
        for key in keys {
            let isPlain = !parts.isEmpty && PredicateParser.mapKeys.contains(key)
            parts.append(isPlain ? key : written(key: key))
        }
        return parts.joined(separator: ".")
    }

    /// Returns a key, escaped if it is a keyword or not a plain word.
    private static func written(key: String) -> String {
        if key == ObjectNumber.explicitKey { return key }
        let bytes = Array(key.utf8)
        let isWord =
            bytes.first.map(PredicateLexer.startsWord) == true
            && bytes.allSatisfy { PredicateLexer.startsWord($0) || PredicateLexer.isDigit($0) }
        if !isWord { return "#" + GraphValue.quoted(key) }
        return PredicateKeywords.isReserved(key) ? "#" + key : key
    }
}

extension GraphIndex: CustomStringConvertible {
    /// The canonical text between the brackets.
    public var description: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .size: "SIZE"
        case .position(.keyPath(let keys))
        where keys.count == 1 && PredicateKeywords.index(PredicateKeywords.upper(keys[0])) != nil:
            "#" + keys[0]
        case .position(let expression): expression.description
        }
    }
}

extension GraphValue: CustomStringConvertible {
    /// The canonical text.
    public var description: String {
        switch self {
        case .null: "nil"
        case .boolean(let value): value ? "YES" : "NO"
        case .integer(let value): value.description
        case .double(let value):
            value.isFinite ? value.description : "CAST('\(value)', 'NSNumber')"
        case .decimal(let text): Self.isReadAsInteger(text) ? text + ".0" : text
        case .string(let text): Self.quoted(text)
        case .date(let seconds): PredicateCast.text(ofDate: seconds)
        case .uuid(let bytes): PredicateCast.text(ofUUID: bytes)
        case .binary(let bytes): PredicateCast.text(ofData: bytes)
        case .object(let id): "CAST('\(id.entityNumber)/p\(id.primaryKey)', 'NSManagedObjectID')"
        }
    }

    /// Returns whether a decimal without a fraction would be parsed as an integer.
    private static func isReadAsInteger(_ text: String) -> Bool {
        UInt64(text.hasPrefix("-") ? text.dropFirst() : Substring(text)).map { $0 <= 1 << 63 }
            ?? false
    }

    /// Returns a string in double quotes, with escapes.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ", "\u{7F}": result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Returns the escape of a control character.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
