/// How the bytes of an input stand for text.
package enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    /// UTF-8, with or without a byte-order mark.
    case utf8 = "utf-8"
    /// UTF-16 in the order that its byte-order mark tells; without one, little-endian.
    case utf16 = "utf-16"
    /// ISO 8859-1: each byte is the character of that number.
    case latin1
    /// ISO 8859-1 with letters and signs such as the euro in place of 27 of its controls.
    case windows1252 = "windows-1252"

    /// What to do about bytes that are no UTF-8.
    static let fix =
        "name its encoding by `read.encoding`: windows-1252, latin1 or utf-16; else convert the file "
        + "to UTF-8"
}
