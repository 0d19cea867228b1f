extension GraphPredicate {
    /// The strings after LIKE that look like SQL patterns, in which `%` is any text.
    ///
    /// They have a `%` without a backslash before it, and neither `*` nor `?`.
    package var percentPatterns: [String] {
        comparisons.flatMap { comparison in
            let found = comparison.left.percentPatterns + comparison.right.percentPatterns
            guard comparison.op == .like, case .constant(.string(let text)) = comparison.right,
                Self.looksLikeSQL(text)
            else { return found }
            return found + [text]
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
