import GraphStore
import RecordStreams

/// The pieces of a text between its separators, as `split` cuts it.
///
/// Exports write lists in tables so that they are read back exactly, but for a list of one empty
/// text, which is an empty field and so read as a list of none: a backslash before a separator makes
/// it part of its piece, and backslashes that stand right before a separator are doubled. All others
/// are as they stand, since tables of other programs have them, too:
/// ```
/// a|b      a   b
/// a\|b     a|b
/// a\\|b    a\  b
/// C:\x\    C:\x\
/// ```
struct TextPieces {
    private static let escape = UInt8(ascii: "\\")

    private let bytes: UnsafeBufferPointer<UInt8>
    private let separator: [UInt8]
    /// Whether a separator can be escaped; one that has a backslash itself cannot.
    private let hasEscapes: Bool
    /// Where the next piece starts; nil behind the last one.
    private var start: Int? = 0

    /// - Parameter separator: one byte at least.
    init(of bytes: UnsafeBufferPointer<UInt8>, cutAt separator: [UInt8]) {
        self.bytes = bytes
        self.separator = separator
        hasEscapes = !separator.contains(Self.escape)
    }

    /// The next piece, in the text's own memory where it needs no other; an empty text is one.
    mutating func next(_ arena: inout ByteArena) -> UnsafeBufferPointer<UInt8>? {
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
        // The separator behind a piece tells that the backslashes at its end are doubled.
        return isEscaped ? plain(piece, isLast: isLast, &arena) : piece
    }

    private func escapeCount(before position: Int, from start: Int) -> Int {
        var first = position
        while first > start, bytes[first - 1] == Self.escape { first -= 1 }
        return position - first
    }

    private func plain(
        _ piece: UnsafeBufferPointer<UInt8>, isLast: Bool, _ arena: inout ByteArena
    ) -> UnsafeBufferPointer<UInt8> {
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
        return text.withUnsafeBufferPointer { arena.copy($0) }
    }
}
