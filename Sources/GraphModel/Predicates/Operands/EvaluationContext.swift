/// The state of evaluations: bytes for the values of one, and compiled patterns for all.
///
/// Each program has its own context, as does each connection that calls functions. A context must
/// not be shared between threads.
package final class EvaluationContext {
    private static let cachedMax = 16

    /// The strings that the running evaluation has created.
    package let arena = EvaluationArena()
    /// The flag that stops the running evaluation early; `nil` lets it finish.
    var stop: (any EvaluationStop)?
    /// Whether arithmetic with fractions keeps all digits.
    var keepsDigits = false
    private var patterns: [PatternKey: CompiledPattern] = [:]
    private var datePatterns: [[UInt8]: DatePattern] = [:]

    private struct PatternKey: Hashable {
        let bytes: [UInt8]
        let options: ComparisonOptions
    }

    /// Creates an empty context.
    package init() {}

    /// Returns a compiled regular expression, from the cache if possible.
    func pattern(
        _ bytes: ByteView, _ options: ComparisonOptions
    ) throws(EvaluationError) -> CompiledPattern {
        let key = PatternKey(bytes: Array(bytes), options: options)
        if let known = patterns[key] { return known }
        let made: CompiledPattern
        do throws(PatternError) {
            made = try PatternMatch.compile(key.bytes, options)
        } catch {
            throw .invalidPattern(error.description)
        }
        if patterns.count >= Self.cachedMax { patterns.removeAll(keepingCapacity: true) }
        patterns[key] = made
        return made
    }

    /// Returns a parsed date pattern, from the cache if possible.
    func datePattern(_ bytes: ByteView) throws(EvaluationError) -> DatePattern {
        let key = Array(bytes)
        if let known = datePatterns[key] { return known }
        let made: DatePattern
        do throws(DatePattern.ParsingError) {
            made = try DatePattern(parsing: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw .invalidPattern(error.description)
        }
        if datePatterns.count >= Self.cachedMax { datePatterns.removeAll(keepingCapacity: true) }
        datePatterns[key] = made
        return made
    }
}

/// The implementation of MATCHES with its options.
///
/// With `[c]` or `[d]`, both sides are composed (NFC). `[d]` removes the diacritics from the
/// expression and the text. `[c]` is an option of the compiled expression, since folding would
/// change its escapes.
enum PatternMatch {
    static func compile(
        _ pattern: [UInt8], _ options: ComparisonOptions
    ) throws(PatternError) -> CompiledPattern {
        try CompiledPattern(
            String(decoding: prepared(pattern, options), as: UTF8.self),
            ignoresCase: options.contains(.caseInsensitive))
    }

    static func holds(
        _ text: ByteView, _ pattern: CompiledPattern, _ options: ComparisonOptions,
        unless stop: (any EvaluationStop)?
    ) throws(EvaluationError) -> Bool {
        let isMatch: Bool? =
            if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
                pattern.matches(text, unless: stop)
            } else {
                TextComparison.folded(text, options.intersection(.diacriticInsensitive))
                    .withUnsafeBufferPointer { pattern.matches($0, unless: stop) }
            }
        guard let isMatch else { throw .stopped }
        return isMatch
    }

    private static func prepared(_ bytes: [UInt8], _ options: ComparisonOptions) -> [UInt8] {
        if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) { return bytes }
        return bytes.withUnsafeBufferPointer {
            TextComparison.folded($0, options.intersection(.diacriticInsensitive))
        }
    }
}
