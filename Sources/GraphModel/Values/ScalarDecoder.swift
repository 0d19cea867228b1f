/// Decodes UTF-8, one scalar at a time, for everything that reads strings scalar by scalar.
///
/// Invalid bytes are read as `String(decoding:as:)` reads them: each maximal part of a valid
/// sequence, and each other byte, is one U+FFFD (Unicode 3.9, "U+FFFD Substitution of Maximal
/// Subparts"). So `E2 82 41` is U+FFFD and `A`, and the overlong `E0 80 80` is U+FFFD three times.
enum ScalarDecoder {
    /// Returns the scalar at an index and its number of bytes, which is at least 1.
    @inline(__always)
    static func scalar(
        _ text: ByteView, _ index: Int
    ) -> (scalar: Unicode.Scalar, length: Int) {
        let first = text[index]
        return first < 0x80 ? (Unicode.Scalar(first), 1) : longScalar(text, index)
    }

    private static func longScalar(
        _ text: ByteView, _ index: Int
    ) -> (scalar: Unicode.Scalar, length: Int) {
        let replacement: Unicode.Scalar = "\u{FFFD}"
        let first = text[index]
        let count: Int
        // The second byte excludes overlong forms, surrogates, and numbers above U+10FFFF.
        var allowed: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: count = 2
        case 0xE0: (count, allowed) = (3, 0xA0...0xBF)
        case 0xED: (count, allowed) = (3, 0x80...0x9F)
        case 0xE1...0xEF: count = 3
        case 0xF0: (count, allowed) = (4, 0x90...0xBF)
        case 0xF4: (count, allowed) = (4, 0x80...0x8F)
        case 0xF1...0xF3: count = 4
        default: return (replacement, 1)
        }
        var value = UInt32(first) & (0x7F >> UInt32(count))
        for offset in 1..<count {
            guard index + offset < text.count, allowed.contains(text[index + offset]) else {
                return (replacement, offset)
            }
            value = value << 6 | UInt32(text[index + offset] & 0x3F)
            allowed = 0x80...0xBF
        }
        return (Unicode.Scalar(value) ?? replacement, count)
    }
}
