/// How the bytes of an input stand for text.
package enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    /// UTF-8, with or without a byte-order mark.
    case utf8 = "utf-8"
    /// UTF-16 in the order that its byte-order mark tells; without one, little-endian.
    case utf16 = "utf-16"
    /// ISO 8859-1: each byte is the character of that number.
    case latin1

    /// What to do about bytes that are no UTF-8.
    static let fix =
        "where the file is Latin-1 or UTF-16, say so by `read.encoding: latin1` or `utf-16`; else "
        + "convert it to UTF-8"
}
