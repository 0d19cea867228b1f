/// A link of a row for which no object has the key.
package struct MissedLink: Sendable, Hashable {
    /// The token of the row.
    package var token: Int64
    /// The relationship; for a nested object, preceded by the relationships that lead to it.
    package var relationship: String
    /// The key as text; `nil` if it has several attributes.
    package var key: String?
}
