/// The pieces of a text between its separators, for `split`.
///
/// Exports write lists in tables so that they are read back exactly. The only exception is a list
/// with one empty text: it is written as an empty field and read as an empty list. A backslash
/// before a separator makes the separator part of the piece, and backslashes directly before a
/// separator are doubled. All other backslashes are literal, because tables of other programs also
/// contain them:
/// ```
/// a|b      a   b
/// a\|b     a|b
/// a\\|b    a\  b
/// C:\x\    C:\x\
/// ```
package struct TextPieces {
    /// A piece of the text.
    package enum Piece {
        /// A piece without escapes: its bytes in the text, which are not copied.
        case part(UnsafeBufferPointer<UInt8>)
        /// A piece that had escapes: a copy of its bytes without them.
        case unescaped([UInt8])

        /// Calls the closure with the bytes.
        package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
            switch self {
            case .part(let bytes): body(bytes)
            case .unescaped(let bytes): bytes.withUnsafeBufferPointer(body)
            }
        }
    }

    private static let escape = UInt8(ascii: "\\")

    private let bytes: UnsafeBufferPointer<UInt8>
    private let separator: [UInt8]
    /// Whether a separator can be escaped; a separator that contains a backslash cannot.
    private let hasEscapes: Bool
    /// The start of the next piece, or `nil` after the last piece.
    private var start: Int? = 0

    /// Creates the pieces of a text.
    ///
    /// - Parameter separator: At least one byte.
    package init(of bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8]) {
        self.bytes = bytes
        self.separator = separator
        hasEscapes = !separator.contains(Self.escape)
    }

    /// Returns the next piece, without a copy if possible; an empty text has one empty piece.
    package mutating func next() -> Piece? {
        guard let start else { return nil }
        var position = start
        var isEscaped = false
        while position < bytes.count {
            guard bytes[position] == separator[0], bytes[position...].starts(with: separator) else {
                position += 1
                continue
            }
            let escapes = hasEscapes ? escapeCount(before: position, from: start) : 0
            if escapes > 0 { isEscaped = true }
            if escapes.isMultiple(of: 2) { break }
            position += separator.count
        }
        let isLast = position == bytes.count
        self.start = isLast ? nil : position + separator.count
        let piece = UnsafeBufferPointer(rebasing: bytes[start..<position])
        // Backslashes at the end of a piece are doubled only if a separator follows.
        return isEscaped ? .unescaped(unescaped(piece, isLast: isLast)) : .part(piece)
    }

    private func escapeCount(before position: Int, from start: Int) -> Int {
        var first = position
        while first > start, bytes[first - 1] == Self.escape { first -= 1 }
        return position - first
    }

    private func unescaped(_ piece: UnsafeBufferPointer<UInt8>, isLast: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(piece.count)
        var escapes = 0
        for position in piece.indices {
            if piece[position] == Self.escape {
                escapes += 1
            } else {
                if piece[position...].starts(with: separator) { text.removeLast((escapes + 1) / 2) }
                escapes = 0
            }
            text.append(piece[position])
        }
        if !isLast { text.removeLast(escapes / 2) }
        return text
    }
}
