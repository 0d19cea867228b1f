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

    /// What is wrong with bytes that are no text in it.
    var fault: String {
        switch self {
        case .utf8: "The text is not valid UTF-8"
        case .utf16: "The text is not valid UTF-16"
        case .latin1, .windows1252: "The text has a byte that is no character of \(rawValue)"
        }
    }

    /// What to do about such bytes.
    var fix: String {
        self == .utf8
            ? "name its encoding by `read.encoding`: windows-1252, latin1 or utf-16; else convert the "
                + "file to UTF-8"
            : "see whether `read.encoding` names the encoding of the file, or correct these bytes"
    }

    /// What to do about a fault that an error tells of; nil if it is about no bytes.
    package static func fix(of fault: String) -> String? {
        allCases.first { $0.fault == fault }?.fix
    }
}
