/// The checks for mistaken letters: `YYYY` and `DD` of other languages, and `mm` for months.
extension DatePattern {
    static func refusal(of letter: Character, count: Int, at start: Int) -> ParsingError {
        let right: String? =
            switch letter {
            case "Y": "the year is y"
            case "D": "the day of the month is d"
            default: nil
            }
        return ParsingError(
            description: "A date pattern cannot have \(count) of the letter '\(letter)'; "
                + (right ?? "quote it if it is literal text"),
            byteOffset: start)
    }

    /// Throws for minutes without an hour, months in the position of minutes, and fractions without
    /// a second.
    ///
    /// None of these is ever intended.
    static func checkTimes(_ elements: [Element]) throws(ParsingError) {
        let fields = elements.compactMap { element -> Field? in
            if case .field(let field, _) = element { field } else { nil }
        }
        let hasHour = fields.contains(.hour) || fields.contains(.clockHour)
        func error(_ description: String) -> ParsingError {
            ParsingError(description: description, byteOffset: 0)
        }
        if fields.contains(.minute), !hasHour {
            throw error("The date pattern has minutes (m) and no hour; the month is M")
        }
        if let hour = fields.firstIndex(where: { $0 == .hour || $0 == .clockHour }),
            fields[(hour + 1)...].first == .month, let minute = fields.firstIndex(of: .minute),
            minute < hour
        {
            throw error("The date pattern has months (M) after the hour; minutes are m")
        }
        if fields.contains(.fraction), !fields.contains(.second) {
            throw error("The date pattern has a fraction (S) and no second; the second is s")
        }
    }

    /// Returns the pattern with the letters that were probably intended, or `nil` if it is invalid,
    /// too.
    static func correction(of pattern: String) -> String? {
        if hasDirective(pattern) { return directives(in: pattern) }
        let groups = groups(of: Array(pattern.utf8))
        let letters = groups.map(\.letter)
        let hour = letters.firstIndex { $0 == UInt8(ascii: "H") || $0 == UInt8(ascii: "h") }
        let hasHalf = letters.contains(UInt8(ascii: "a"))
        let hasSecond = letters.contains(UInt8(ascii: "s"))
        var text: [UInt8] = []
        for (place, group) in groups.enumerated() {
            var letter = group.letter
            switch letter {
            case UInt8(ascii: "Y"): letter = UInt8(ascii: "y")
            case UInt8(ascii: "D"): letter = UInt8(ascii: "d")
            case UInt8(ascii: "m"), UInt8(ascii: "M"):
                let isTime = hour.map { place > $0 && place - $0 <= 2 } ?? false
                letter = isTime ? UInt8(ascii: "m") : UInt8(ascii: "M")
            case UInt8(ascii: "h") where !hasHalf: letter = UInt8(ascii: "H")
            case UInt8(ascii: "S") where !hasSecond: letter = UInt8(ascii: "s")
            default: break
            }
            text += letter == nil ? group.bytes : group.bytes.map { _ in letter ?? 0 }
        }
        // A suggestion must be a valid pattern itself; otherwise there is none.
        guard (try? elements(of: text)) != nil else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns whether the pattern is written for strftime: `%d.%m.%Y`.
    static func hasDirective(_ pattern: String) -> Bool {
        pattern.contains(#/%[A-Za-z]/#)
    }

    /// Returns the equivalent of a strftime pattern, or `nil` if a directive has no equivalent.
    private static func directives(in pattern: String) -> String? {
        let letters: [Character: String] = [
            "d": "dd", "m": "MM", "Y": "yyyy", "H": "HH", "M": "mm", "S": "ss", "I": "hh", "p": "a",
            "F": "yyyy-MM-dd", "T": "HH:mm:ss", "e": "d",
        ]
        var text = ""
        var rest = pattern[...]
        while let next = rest.popFirst() {
            guard next == "%" else {
                text.append(next)
                continue
            }
            guard let letter = rest.popFirst(), let ours = letters[letter] else { return nil }
            text += ours
        }
        // A suggestion must be a valid pattern itself; otherwise there is none.
        return (try? elements(of: Array(text.utf8))) == nil ? nil : text
    }

    /// Returns the runs of the same letter; other text between them has no letter.
    private static func groups(of pattern: [UInt8]) -> [(letter: UInt8?, bytes: [UInt8])] {
        var groups: [(letter: UInt8?, bytes: [UInt8])] = []
        var isQuoted = false
        for byte in pattern {
            if byte == UInt8(ascii: "'") { isQuoted.toggle() }
            let isLetter =
                !isQuoted && byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
            let letter = isLetter ? byte : nil
            if let last = groups.last, last.letter == letter {
                groups[groups.count - 1].bytes.append(byte)
            } else {
                groups.append((letter, [byte]))
            }
        }
        return groups
    }
}
