extension GraphPredicate {
    /// The texts behind LIKE that look like patterns of SQL, where `%` is any text: they have a `%`
    /// that no backslash stands before, and neither `*` nor `?`.
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
    /// The same of the predicates inside the expression.
    package var percentPatterns: [String] {
        operands.flatMap(\.percentPatterns) + (condition?.percentPatterns ?? [])
    }
}
