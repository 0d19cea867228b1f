/// A part of a regular expression.
indirect enum PatternNode {
    case empty
    /// One scalar that passes the test.
    case scalar(ScalarTest)
    /// One scalar that passes the test of that number in a program.
    case numbered(Int)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// A repetition between the two bounds; `nil` is unbounded.
    case repetition(PatternNode, least: Int, most: Int?)
}

/// A condition between two scalars.
enum PatternAssertion: Hashable {
    /// `\A`, and `^` without `(?m)`.
    case textStart
    /// `^` with `(?m)`: at the start, or after a line terminator that does not end the text.
    case lineStart
    /// `\z`.
    case textEnd
    /// `\Z`, and `$` without `(?m)`: at the end, or before a line terminator that ends the text.
    case lastLineEnd
    /// `$` with `(?m)`.
    case lineEnd
    /// `\b`: between a word scalar and another, or an end of the text.
    case wordBoundary
    /// `\B`.
    case noWordBoundary
}
