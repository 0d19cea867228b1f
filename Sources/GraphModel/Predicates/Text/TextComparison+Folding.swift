extension TextComparison {
    /// Returns the folded string if none of its characters can combine with another; otherwise
    /// `nil`.
    ///
    /// These characters are ASCII, Latin letters up to U+024F, general punctuation, Chinese
    /// characters, and emoji. None of them is a mark or composes with the character before it, so
    /// each is folded separately: letters by a table, and the others unchanged.
    static func simplyFolded(_ bytes: ByteView, _ options: ComparisonOptions) -> [UInt8]? {
        let ignoresCase = options.contains(.caseInsensitive)
        let table = foldedLetters[Int(options.rawValue & 3)]
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 8)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                result.append(ignoresCase ? TextCollation.lowercased(byte) : byte)
                index &+= 1
                continue
            }
            guard let length = simpleLength(bytes, index) else { return nil }
            if length == 2 {
                let value = Int(byte & 0x1F) << 6 | Int(bytes[index + 1] & 0x3F)
                guard value >= lettersStart, value - lettersStart < table.count else { return nil }
                result.append(contentsOf: table[value - lettersStart])
            } else {
                for offset in 0..<length { result.append(bytes[index + offset]) }
            }
            index &+= length
        }
        return result
    }

    /// Returns the character's number of bytes if it never combines; otherwise `nil`.
    private static func simpleLength(_ bytes: ByteView, _ index: Int) -> Int? {
        let byte = bytes[index]
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard byte >= 0xC2, index + length <= bytes.count else { return nil }
        for offset in 1..<length where bytes[index + offset] & 0xC0 != 0x80 { return nil }
        let second = bytes[index + 1]
        switch byte {
        case 0xC2...0xC9: return 2
        case 0xE2:
            // U+2010 to U+205E.
            let third = bytes[index + 2]
            return second == 0x80 && third >= 0x90 || second == 0x81 && third <= 0x9E ? 3 : nil
        // U+5000 to U+8FFF.
        case 0xE5...0xE8: return 3
        case 0xF0:
            // U+1F300 to U+1FABF.
            return second == 0x9F && (0x8C...0xAA).contains(bytes[index + 2]) ? 4 : nil
        default: return nil
        }
    }

    private static let lettersStart = 0xA0

    /// The folded forms of U+00A0 to U+024F, by the bits of the two options.
    private static let foldedLetters: [[[UInt8]]] = (UInt8(0)...3).map { bits in
        (UInt32(lettersStart)...0x24F).map { value in
            let text = Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
            return text.withUnsafeBufferPointer {
                composed($0, ComparisonOptions(rawValue: bits))
            }
        }
    }
}
