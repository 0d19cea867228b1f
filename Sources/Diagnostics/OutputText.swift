internal import Synchronization

/// Text for output that is not data: messages, reports, logs, notes, and file names.
///
/// Code that writes text takes this type, or creates it from a string. The text can only be read
/// with `***` for each secret and with escaped control characters. Exported values, reject records,
/// and the rows of a query are data and do not use this type.
///
/// ```
/// OutputText("in/\u{1B}]0;x.csv").text   // in/\u{1B}]0;x.csv, spelled out
/// ```
package struct OutputText: Sendable, Hashable, ExpressibleByStringInterpolation {
    private let raw: String

    /// Wraps a string.
    package init(_ raw: String) { self.raw = raw }

    /// Wraps a string literal.
    package init(stringLiteral text: String) { raw = text }

    /// The text on one line.
    ///
    /// Control characters and bidirectional formatting characters are escaped as `\n`, `\t`, or
    /// `\u{1B}`.
    package var text: String { Self.escaped(Self.masked(raw)) }

    /// The text with its line breaks and tabs kept, and other control characters escaped.
    package var lines: String { Self.escaped(Self.masked(raw), keepingLines: true) }

    // MARK: Secrets

    /// The replacement for a secret.
    package static let mask = "***"

    /// The secrets to mask, longest first, so that one that contains another is masked completely.
    private static let secrets = Mutex<[String]>([])

    /// Masks a string in all later output, including its quoted forms.
    package static func hide(_ secret: String) {
        guard !secret.isEmpty else { return }
        let quoted = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let forms: Set<String> = [
            secret, quoted, secret.replacing("'", with: "''"),
            secret.replacing("'", with: "\\'"), escaped(secret), escaped(quoted),
        ]
        secrets.withLock { known in
            known = Set(known).union(forms).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        }
    }

    /// Returns the text with `***` for each secret and each password of a URL, for text that is
    /// truncated before it is written.
    package static func masked(_ text: String) -> String {
        maskedSecrets(withoutPasswords(text))
    }

    /// Returns the text with `***` for each secret, for data, whose URLs must stay.
    package static func maskedSecrets(_ text: String) -> String {
        let secrets = secrets.withLock(\.self)
        guard !secrets.isEmpty else { return text }
        return secrets.reduce(text) { text, secret in
            text.utf8.count < secret.utf8.count ? text : text.replacing(secret, with: mask)
        }
    }

    /// Returns the text with `***` for the user information and the passwords of its URLs.
    ///
    /// A password may contain the characters that end the host, such as `#` and `/`, by mistake.
    private static func withoutPasswords(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: ":")), text.contains("://") else { return text }
        let users = #/:\/\/(?:[^\/\s"'<>]*|[^\/\s"'<>:]*:[^\s"'<>]*)@/#
        return text.replacing(users, with: "://\(mask)@")
            .replacing(#/([?&;]password=)[^&;\s]*/#.ignoresCase()) { "\($0.1)\(mask)" }
    }

    // MARK: Control characters

    /// Returns the text with its control characters escaped.
    package static func escaped(_ text: String, keepingLines: Bool = false) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if !isControl(scalar) || (keepingLines && (scalar == "\n" || scalar == "\t")) {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
            }
        }
        return String(result)
    }

    /// Returns whether a character moves the cursor, changes colors, changes the text direction, or
    /// is invisible.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, and bidirectional formatting characters.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        // The byte order mark, and interlinear annotation characters.
        case 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

extension OutputText: CustomStringConvertible, CustomReflectable {
    /// The text with its line breaks and tabs.
    package var description: String { lines }

    /// A mirror without children, which would expose the raw text.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
