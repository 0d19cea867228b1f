/// A line of a user's text with a caret below one position.
package enum CaretLine {
    /// The maximum length of a line that is shown completely.
    private static let lengthMax = 160
    /// The length shown on each side of the caret in a longer line.
    private static let sideMax = 60

    /// Returns the line and, on the next line, a caret.
    ///
    /// A long line is clipped around the caret, with `…` for the rest.
    ///
    /// - Parameter position: The index of the Unicode scalar above the caret.
    package static func excerpt(of line: String, at position: Int) -> String {
        let scalars = Array(line.unicodeScalars)
        let place = min(max(position, 0), scalars.count)
        let isClipped = scalars.count > lengthMax
        let start = isClipped ? max(0, place - sideMax) : 0
        let end = isClipped ? min(scalars.count, place + sideMax) : scalars.count
        let shown =
            (start > 0 ? "…" : "") + text(scalars[start..<end]) + (end < scalars.count ? "…" : "")
        let indent = text(scalars[start..<place].map { $0 == "\t" ? $0 : " " }[...])
        return shown + "\n" + (start > 0 ? " " : "") + indent + "^"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
