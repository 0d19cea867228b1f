internal import Synchronization

/// Text that leaves the program and is not data: messages, reports, logs, notes, names of files.
///
/// What writes such text takes this type, or makes it of the text that it gets. The text inside
/// comes out in one way only: with `***` for each secret, and with spelled-out control characters.
/// Exported values, reject records, and rows of a query are data, and are not this.
///
/// ```
/// OutputText("in/\u{1B}]0;x.csv").text   // in/\u{1B}]0;x.csv, spelled out
/// ```
package struct OutputText: Sendable, Hashable, ExpressibleByStringInterpolation {
    private let raw: String

    /// Wraps text as it is.
    package init(_ raw: String) { self.raw = raw }

    /// Wraps a literal.
    package init(stringLiteral text: String) { raw = text }

    /// The text of one line: `\n`, `\t`, and `\u{1B}` stand for control characters and for marks
    /// that turn the direction of writing.
    package var text: String { Self.escaped(Self.masked(raw)) }

    /// The same with its line ends and tabs, for text that has several lines.
    package var lines: String { Self.escaped(Self.masked(raw), keepingLines: true) }

    // MARK: Secrets

    /// What stands for a secret.
    package static let mask = "***"

    /// Longest first, so that of a secret that contains another one nothing stays.
    private static let secrets = Mutex<[String]>([])

    /// Hides a text from now on, also as it is written within quotes.
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

    /// The text with `***` for each secret, for text that is cut before it is written.
    package static func masked(_ text: String) -> String {
        let secrets = secrets.withLock(\.self)
        guard !secrets.isEmpty else { return text }
        return secrets.reduce(text) { text, secret in
            text.utf8.count < secret.utf8.count ? text : text.replacing(secret, with: mask)
        }
    }

    // MARK: Control characters

    /// A text with its control characters spelled out.
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

    /// Whether a character moves the cursor, changes colors, turns the direction of writing, or
    /// cannot be seen.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, and marks that turn the direction of writing.
        case 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        // A byte-order mark, and what is no character at all.
        case 0xFEFF, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

extension OutputText: CustomStringConvertible, CustomReflectable {
    /// The text with its lines.
    package var description: String { lines }

    /// Shows no children, which would hold the text as it is.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
