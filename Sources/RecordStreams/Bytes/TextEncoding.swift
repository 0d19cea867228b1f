/// The text encoding of an input.
package enum TextEncoding: String, Sendable, Hashable, CaseIterable {
    /// UTF-8, with or without a byte-order mark.
    case utf8 = "utf-8"
    /// UTF-16 in the byte order of its byte-order mark, or little-endian without one.
    case utf16 = "utf-16"
    /// ISO 8859-1: each byte is the code point of its character.
    case latin1
    /// ISO 8859-1, except that 27 of its control codes are letters and symbols such as the euro
    /// sign.
    case windows1252 = "windows-1252"

    /// The message for bytes that are not valid in this encoding.
    var fault: String {
        switch self {
        case .utf8: "The text is not valid UTF-8"
        case .utf16: "The text is not valid UTF-16"
        case .latin1, .windows1252: "The text has a byte that is not a character of \(rawValue)"
        }
    }

    /// The fix for bytes that are not valid in this encoding.
    package var fix: String {
        self == .utf8
            ? "name its encoding by `read.encoding`: windows-1252, latin1, or utf-16; else convert the "
                + "file to UTF-8"
            : "see whether `read.encoding` names the encoding of the file, or correct these bytes"
    }

    /// Returns the fix for the message of an encoding fault, or `nil` for any other message.
    package static func fix(of fault: String) -> String? {
        allCases.first { $0.fault == fault }?.fix
    }
}
