/// Validates UTF-8 as table 3-7 of the Unicode Standard defines it: no overlong forms, no
/// surrogates, and no code point above U+10FFFF.
package enum UTF8Validation {
    /// The result of checking a sequence that starts with a byte above 0x7F.
    enum Sequence: Equatable {
        case valid(Int)
        case invalid
        /// Valid so far, but the data ends.
        case incomplete
    }

    /// Checks the sequence that starts with a byte above 0x7F.
    @inline(__always)
    static func sequence(
        at start: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
    ) -> Sequence {
        let lead = start[0]
        var low: UInt8 = 0x80
        var high: UInt8 = 0xBF
        let length: Int
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0:
            length = 3
            low = 0xA0
        case 0xED:
            length = 3
            high = 0x9F
        case 0xE1...0xEF: length = 3
        case 0xF0:
            length = 4
            low = 0x90
        case 0xF1...0xF3: length = 4
        case 0xF4:
            length = 4
            high = 0x8F
        default: return .invalid
        }
        if start + 1 >= end { return .incomplete }
        guard start[1] >= low, start[1] <= high else { return .invalid }
        if length == 2 { return .valid(2) }
        if start + 2 >= end { return .incomplete }
        guard start[2] & 0xC0 == 0x80 else { return .invalid }
        if length == 3 { return .valid(3) }
        if start + 3 >= end { return .incomplete }
        guard start[3] & 0xC0 == 0x80 else { return .invalid }
        return .valid(4)
    }

    /// Returns the first byte that is not valid UTF-8, or `nil` if there is none.
    package static func firstInvalid(
        from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        var position = start
        while position < end {
            // Most text is ASCII, which is skipped quickly, four words at a time.
            if end - position >= 32 {
                let first = Words.load(position) | Words.load(position + 8)
                let second = Words.load(position + 16) | Words.load(position + 24)
                if (first | second) & Words.highBits == 0 {
                    position += 32
                    continue
                }
            }
            if end - position >= 8 {
                let marks = Words.load(position) & Words.highBits
                if marks == 0 {
                    position += 8
                    continue
                }
                position += marks.trailingZeroBitCount &>> 3
            } else if position.pointee < 0x80 {
                position += 1
                continue
            }
            guard case .valid(let length) = sequence(at: position, end: end) else {
                return position
            }
            position += length
        }
        return nil
    }
}
