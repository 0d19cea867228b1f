/// The width of text on a terminal with a fixed-width font, in columns.
///
/// Wide and fullwidth characters (https://www.unicode.org/reports/tr11/) and emoji take two
/// columns. Combining marks and invisible characters take none.
package enum DisplayWidth {
    /// The columns of a text without control characters.
    package static func columns(_ text: String) -> Int {
        var copy = text
        let isASCII = copy.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
        return isASCII ? text.utf8.count : text.reduce(0) { $0 + columns($1) }
    }

    /// The columns of one user-perceived character.
    package static func columns(_ character: Character) -> Int {
        if character.isASCII { return 1 }
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // A flag, a family, or a skin tone is one image that consists of several scalars.
        let isSequence = scalars.contains {
            $0.properties.isEmojiModifier || $0.value == joiner || $0.value == emojiStyle
        }
        if isSequence, first.properties.isEmoji { return 2 }
        if isRegionalIndicator(first), scalars.count == 2 { return 2 }
        return scalars.reduce(0) { $0 + columns($1) }
    }

    private static let joiner: UInt32 = 0x200D
    private static let emojiStyle: UInt32 = 0xFE0F

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return 1 }
        // The vowels and finals of a Hangul syllable are drawn in the space of its initial.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar) ? 2 : 1
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        // The wide characters outside the blocks below have emoji presentation by default.
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
    }

    /// The blocks of East Asian scripts.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
