/// The reason that a regular expression cannot be used, with its position.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description in one clause, without the column.
    package let message: String
    /// The column in the expression, from 1, in Unicode scalars.
    package let column: Int

    /// The message with its column.
    package var description: String { "\(message) (column \(column) of the pattern)" }
}
