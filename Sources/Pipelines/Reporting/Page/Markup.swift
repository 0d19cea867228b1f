import Diagnostics

/// A piece of HTML or SVG.
///
/// Interpolated strings are escaped; interpolated markup is not.
///
/// ```
/// let cell: Markup = "<td>\(value)</td>"      // value is a String: escaped
/// let row: Markup = "<tr>\(cell)</tr>"        // cell is Markup: inserted unchanged
/// ```
struct Markup: ExpressibleByStringInterpolation, Sendable {
    private(set) var text: String

    static let empty: Markup = ""

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Creates markup from a string of this module, such as its style sheet, without escaping it.
    init(trusted text: String) {
        self.text = text
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ value: String) { text += Markup.escape(value) }

        mutating func appendInterpolation(_ value: Int) { text += String(value) }

        /// Appends a coordinate, rounded to tenths.
        mutating func appendInterpolation(_ value: Double) {
            text += "\((value * 10).rounded() / 10)"
        }

        mutating func appendInterpolation(_ value: Markup) { text += value.text }

        mutating func appendInterpolation(_ values: [Markup]) {
            for value in values { text += value.text }
        }
    }

    /// Returns the text escaped for HTML, without secrets and control characters.
    static func escape(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in OutputText(text).lines.unicodeScalars {
            result += scalar == "'" ? "&#39;" : scalar.markupEscape ?? String(scalar)
        }
        return result
    }
}
