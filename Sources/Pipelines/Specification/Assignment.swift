/// A text of the form `name=value`, as for `--set`.
///
/// The search for `=` compares bytes, because `=` and a following combining mark are one character.
package struct Assignment {
    /// The text before the first `=`; never empty.
    package let name: String
    /// The text after the first `=`; may be empty or contain further `=`.
    package let value: String

    /// Parses a text.
    ///
    /// - Returns: `nil` if the text has no name or no `=`.
    package init?(_ text: String) {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex
        else { return nil }
        name = String(text[..<equals])
        value = String(text[text.utf8.index(after: equals)...])
    }
}
