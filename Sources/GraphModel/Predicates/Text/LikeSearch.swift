/// The search of LIKE for strings in which trying each position would take long.
///
/// The parts between two `*` are found one after another, each at its first place. A part without
/// `?` is found in linear time. For a part with `?`, all positions are tried at once, 64 bytes of
/// the pattern in one step (the Shift-And algorithm).
enum LikeSearch {
    /// A byte of the pattern, or `any`.
    private typealias Element = UInt16

    /// The element of `?`.
    private static let any: Element = 256

    /// Returns whether the pattern matches the complete text, as `TextComparison.like` does.
    static func matches(_ text: ByteView, _ pattern: ByteView) -> Bool {
        let parts = parts(of: pattern)
        guard var position = end(of: parts[0], in: text, at: 0) else { return false }
        guard parts.count > 1 else { return position == text.count }
        guard let lastStart = start(of: parts[parts.count - 1], in: text), lastStart >= position
        else { return false }
        let rest = ByteView(rebasing: text[..<lastStart])
        for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
            guard let end = firstEnd(of: part, in: rest, from: position) else { return false }
            position = end
        }
        return true
    }

    /// Returns the parts between the `*` of a pattern.
    private static func parts(of pattern: ByteView) -> [[Element]] {
        var parts: [[Element]] = [[]]
        var index = 0
        while index < pattern.count {
            let byte = pattern[index]
            index += 1
            if byte == UInt8(ascii: "*") {
                parts.append([])
            } else if byte == UInt8(ascii: "?") {
                parts[parts.count - 1].append(any)
            } else if byte == UInt8(ascii: "\\"), index < pattern.count {
                parts[parts.count - 1].append(Element(pattern[index]))
                index += 1
            } else {
                parts[parts.count - 1].append(Element(byte))
            }
        }
        return parts
    }

    /// Returns the end of the part that begins at a position, or `nil` if the text differs.
    private static func end(of part: [Element], in text: ByteView, at start: Int) -> Int? {
        var position = start
        for element in part {
            guard position < text.count else { return nil }
            if element == any {
                position += ScalarDecoder.scalar(text, position).length
            } else {
                guard Element(text[position]) == element else { return nil }
                position += 1
            }
        }
        return position
    }

    /// Returns the start of the part at the end of the text, or `nil` if the text differs.
    private static func start(of part: [Element], in text: ByteView) -> Int? {
        var position = text.count
        for element in part.reversed() {
            guard position > 0 else { return nil }
            if element == any {
                // A sequence begins with its only byte, or with a byte that begins no other.
                let length = (1...min(4, position)).last {
                    ScalarDecoder.scalar(text, position - $0).length == $0
                }
                position -= length ?? 1
            } else {
                guard Element(text[position - 1]) == element else { return nil }
                position -= 1
            }
        }
        return position
    }

    /// Returns the end of the first occurrence of the part from a position on.
    private static func firstEnd(
        of part: [Element], in text: ByteView, from start: Int
    ) -> Int? {
        guard part.contains(any) else {
            return part.map { UInt8(truncatingIfNeeded: $0) }.withUnsafeBufferPointer { bytes in
                TextComparison.firstIndex(of: bytes, in: text, from: start)
                    .map { $0 + bytes.count }
            }
        }
        let wordCount = (part.count + 63) / 64
        // One bit for each element: in `equals` if it equals the byte, in `anys` if it is a `?`.
        var equals = [UInt64](repeating: 0, count: 256 * wordCount)
        var anys = [UInt64](repeating: 0, count: wordCount)
        for (index, element) in part.enumerated() {
            let bit = UInt64(1) << UInt64(index % 64)
            if element == any {
                anys[index / 64] |= bit
            } else {
                equals[Int(element) * wordCount + index / 64] |= bit
            }
        }
        // The elements at which an occurrence has arrived.
        var state = [UInt64](repeating: 0, count: wordCount)
        let last = UInt64(1) << UInt64((part.count - 1) % 64)
        var index = start
        while index < text.count {
            let length = ScalarDecoder.scalar(text, index).length
            for offset in 0..<length {
                let row = Int(text[index + offset]) * wordCount
                let isFirst = offset == 0
                var carry: UInt64 = isFirst ? 1 : 0
                for word in 0..<wordCount {
                    let old = state[word]
                    let moved = (old << 1) | carry
                    carry = old >> 63
                    // A `?` begins with the first byte of a scalar and stays for the others.
                    let inAny = (isFirst ? moved : old) & anys[word]
                    state[word] = (moved & equals[row + word]) | inAny
                }
            }
            index += length
            if state[wordCount - 1] & last != 0 { return index }
        }
        return nil
    }
}
