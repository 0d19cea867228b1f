/// A link whose key no object has, so that the row is written without it.
package struct MissedLink: Sendable, Hashable {
    /// The token of the row.
    package var token: Int64
    /// The relationship; for a nested object, preceded by the relationships that lead to it.
    package var relationship: String
    /// The key as text; `nil` if it has several attributes.
    package var key: String?
}
