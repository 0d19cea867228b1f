extension GraphPredicate {
    /// The strings after LIKE that look like SQL patterns, in which `%` is any text.
    ///
    /// They have a `%` without a backslash before it, and neither `*` nor `?`.
    package var percentPatterns: [String] {
        switch self {
        case .constant: return []
        case .comparison(let comparison):
            var found = comparison.left.percentPatterns + comparison.right.percentPatterns
            if comparison.op == .like, case .constant(.string(let text)) = comparison.right,
                Self.looksLikeSQL(text)
            {
                found.append(text)
            }
            return found
        case .not(let part): return part.percentPatterns
        case .and(let parts), .or(let parts): return parts.flatMap(\.percentPatterns)
        }
    }

    private static func looksLikeSQL(_ text: String) -> Bool {
        var hasPercent = false
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "?"): return false
            case UInt8(ascii: "%"): hasPercent = true
            case UInt8(ascii: "\\"): isEscaped = true
            default: break
            }
        }
        return hasPercent
    }
}

extension GraphExpression {
    /// The strings that look like SQL patterns in the predicates inside the expression.
    package var percentPatterns: [String] {
        operands.flatMap(\.percentPatterns) + (condition?.percentPatterns ?? [])
    }
}
