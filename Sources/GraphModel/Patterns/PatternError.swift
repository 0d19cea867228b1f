/// Why a regular expression cannot be used, and where in its text.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One clause without the column.
    package let message: String
    /// The column in the expression, from one, in Unicode scalars.
    package let column: Int

    /// The message with its column.
    package var description: String { "\(message) (column \(column) of the pattern)" }
}
