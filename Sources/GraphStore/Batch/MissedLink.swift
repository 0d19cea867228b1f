/// A link that a row went without, since no object has its key.
package struct MissedLink: Sendable, Hashable {
    /// The row's token.
    package var token: Int64
    /// The relationship, behind those that lead to it where an object inside the row went without it.
    package var relationship: String
    /// The key as text; nil for one of several attributes.
    package var key: String?
}
