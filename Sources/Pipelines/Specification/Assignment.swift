/// A text of the form `name=value`, as `--set` takes it.
///
/// The sign is looked for in the bytes: with a combining mark behind it, it is a character of its
/// own no more.
package struct Assignment {
    package let name: String
    package let value: String

    /// - Returns: `nil` if the text has no name or no `=`.
    package init?(_ text: String) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex
        else { return nil }
        name = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }
}
