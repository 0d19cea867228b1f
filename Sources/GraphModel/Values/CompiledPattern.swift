/// A regular expression that a whole text must match, compiled once.
///
/// Matching compares Unicode scalars. Expressions in which one unbounded repetition stands inside
/// another, such as `(a+)*`, are refused: on some texts they run for ever.
///
/// Not `Sendable`, as compiled expressions are not: each user compiles its own and keeps it.
package struct CompiledPattern {
    /// Why an expression was refused, or a text could not be tried.
    package enum PatternError: Error, Sendable, Hashable, CustomStringConvertible {
        /// It is not a regular expression.
        case invalid(String)
        /// A repetition of a repetition, at that byte of the expression.
        case nestedRepetition(byteOffset: Int)
        /// It is longer than 4,096 bytes or has more than 64 groups inside each other.
        case tooLarge
        /// The text is longer than `textBytesMax`.
        case textTooLong(bytes: Int)

        /// One sentence.
        package var description: String {
            switch self {
            case .invalid(let reason):
                "The regular expression cannot be read: \(reason)"
            case .nestedRepetition(let offset):
                "The regular expression repeats a repetition without bound (byte \(offset)), "
                    + "which can run for ever"
            case .tooLarge:
                "The regular expression is too long or its groups are too deep"
            case .textTooLong(let bytes):
                "A text of \(bytes) bytes is too long for a regular expression "
                    + "(\(CompiledPattern.textBytesMax) at most)"
            }
        }
    }

    /// The longest text that is tried.
    package static let textBytesMax = 65_536

    /// The expression as written.
    package let pattern: String
    private let regex: Regex<AnyRegexOutput>

    /// Compiles an expression.
    ///
    /// - Parameter ignoresCase: letters match whatever their case.
    package init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        try PatternLimits.check(Array(pattern.utf8))
        self.pattern = pattern
        do {
            regex = try Regex(pattern).matchingSemantics(.unicodeScalar).ignoresCase(ignoresCase)
        } catch {
            throw .invalid("\(error)")
        }
    }

    /// Whether the whole text matches.
    package func matches(_ text: String) throws(PatternError) -> Bool {
        let bytes = text.utf8.count
        guard bytes <= Self.textBytesMax else { throw .textTooLong(bytes: bytes) }
        do {
            return try regex.wholeMatch(in: text) != nil
        } catch {
            throw .invalid("\(error)")
        }
    }

    /// Whether the whole text, in UTF-8, matches.
    package func matches(_ bytes: ByteView) throws(PatternError) -> Bool {
        guard bytes.count <= Self.textBytesMax else { throw .textTooLong(bytes: bytes.count) }
        return try matches(String(decoding: bytes, as: UTF8.self))
    }
}
