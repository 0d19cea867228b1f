/// The canonical forms of Unicode: NFD, in which characters are decomposed, and NFC.
///
/// The standard library has them only for its own use, so this is an implementation of
/// https://www.unicode.org/reports/tr15/ with a table of one version of Unicode. The forms of a
/// string are thus the same with every version of Swift. Example: `ậ` is `a`, U+0323, and U+0302
/// in NFD, in this order: marks are sorted by their class, and 220 is before 230.
enum CanonicalForm {
    /// Calls the body with the scalars of a string's NFD, until it returns false.
    ///
    /// - Complexity: O(n log n) for a run of marks, otherwise linear.
    static func decompose(
        _ scalars: some Sequence<Unicode.Scalar>, _ body: (Unicode.Scalar) -> Bool
    ) {
        var marks: [(scalar: Unicode.Scalar, order: UInt8)] = []
        var continues = true
        func endRun() {
            // The sort is stable: marks of one class keep their order.
            if marks.count > 1 { marks.sort { $0.order < $1.order } }
            for mark in marks where continues { continues = body(mark.scalar) }
            marks.removeAll(keepingCapacity: true)
        }
        for scalar in scalars {
            CanonicalTable.shared.forEachPart(of: scalar) { part in
                let order = order(of: part)
                if order != 0 { return marks.append((part, order)) }
                if !marks.isEmpty { endRun() }
                if continues { continues = body(part) }
            }
            if !continues { return }
        }
        endRun()
    }

    /// Returns the NFC of a string.
    static func composed(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        /// The index of the last scalar that is not a mark.
        var base: Int?
        /// The class of the last scalar after the base; 0 if there is none.
        var last: UInt8 = 0
        decompose(scalars) { scalar in
            let order = order(of: scalar)
            // A mark of the same class, or a higher one, between the two blocks the composition.
            if let base, last == 0 || last < order,
                let composite = CanonicalTable.shared.composite(of: result[base], scalar)
            {
                result[base] = composite
                return true
            }
            if order == 0 { base = result.count }
            last = order
            result.append(scalar)
            return true
        }
        return result
    }

    /// Returns the canonical combining class; 0 if the scalar is not a reordered mark.
    private static func order(of scalar: Unicode.Scalar) -> UInt8 {
        scalar.value < 0x300 ? 0 : scalar.properties.canonicalCombiningClass.rawValue
    }
}

/// The canonical decompositions of characters, and their inverse.
private struct CanonicalTable: Sendable {
    static let shared = CanonicalTable(CanonicalDecompositions.text)

    /// The characters that have a decomposition, sorted.
    private var characters: [UInt32] = []
    /// For each character, the position of its decomposition; one more at the end.
    private var starts: [Int] = [0]
    private var parts: [Unicode.Scalar] = []
    /// The composites by their first and second half.
    private var composites: [UInt64: Unicode.Scalar] = [:]

    /// Reads a table such as `E9 65 301;!340 300;`: a character, its complete decomposition, and
    /// an exclamation mark if it is never composed.
    init(_ text: StaticString) {
        var prefixes: [[Unicode.Scalar]: Unicode.Scalar] = [:]
        var composed: [(Unicode.Scalar, [Unicode.Scalar])] = []
        var numbers: [UInt32] = []
        var number: UInt32 = 0
        var isExcluded = false
        text.withUTF8Buffer { bytes in
            for byte in bytes {
                switch byte {
                case UInt8(ascii: "!"): isExcluded = true
                case UInt8(ascii: "\n"): break
                case UInt8(ascii: " "), UInt8(ascii: ";"):
                    numbers.append(number)
                    number = 0
                    guard byte == UInt8(ascii: ";") else { continue }
                    let scalars = numbers.dropFirst().compactMap(Unicode.Scalar.init)
                    characters.append(numbers[0])
                    parts += scalars
                    starts.append(parts.count)
                    if !isExcluded, scalars.count > 1, let own = Unicode.Scalar(numbers[0]) {
                        prefixes[scalars] = own
                        composed.append((own, scalars))
                    }
                    numbers.removeAll(keepingCapacity: true)
                    isExcluded = false
                default:
                    let isDigit = byte <= UInt8(ascii: "9")
                    number = number << 4 | UInt32(byte - (isDigit ? 0x30 : 0x37))
                }
            }
        }
        for (own, scalars) in composed {
            let first = scalars.count == 2 ? scalars[0] : prefixes[Array(scalars.dropLast())]
            guard let first, let second = scalars.last else { continue }
            composites[Self.key(first, second)] = own
        }
    }

    private static func key(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> UInt64 {
        UInt64(first.value) << 32 | UInt64(second.value)
    }

    /// Calls the body with each scalar of a character's complete decomposition.
    func forEachPart(of scalar: Unicode.Scalar, _ body: (Unicode.Scalar) -> Void) {
        let value = scalar.value
        guard value >= 0xC0 else { return body(scalar) }
        if Hangul.syllables.contains(value) { return Hangul.forEachPart(of: value, body) }
        guard let index = index(of: value) else { return body(scalar) }
        for part in parts[starts[index]..<starts[index + 1]] { body(part) }
    }

    private func index(of value: UInt32) -> Int? {
        var low = 0
        var high = characters.count
        while low < high {
            let middle = (low + high) / 2
            if characters[middle] == value { return middle }
            if characters[middle] < value { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Returns the character that is composed of two; `nil` if there is none.
    func composite(of first: Unicode.Scalar, _ second: Unicode.Scalar) -> Unicode.Scalar? {
        // No character is composed with a second half before the combining marks.
        guard second.value >= 0x300 else { return nil }
        return Hangul.composite(of: first.value, second.value)
            ?? composites[Self.key(first, second)]
    }
}

/// The Korean syllables, which are composed by arithmetic
/// (https://www.unicode.org/versions/latest/core-spec/chapter-3/#G56669).
private enum Hangul {
    private static let leads: Range<UInt32> = 0x1100..<0x1113
    private static let vowels: Range<UInt32> = 0x1161..<0x1176
    /// The trailing consonants, after one number for no consonant.
    private static let trails: Range<UInt32> = 0x11A8..<0x11C3
    private static let trailsCount: UInt32 = 28
    static let syllables: Range<UInt32> = 0xAC00..<0xD7A4

    static func forEachPart(of value: UInt32, _ body: (Unicode.Scalar) -> Void) {
        let index = value - syllables.lowerBound
        let trail = index % trailsCount
        let pair = index / trailsCount
        let vowelsCount = UInt32(vowels.count)
        for value in [
            leads.lowerBound + pair / vowelsCount, vowels.lowerBound + pair % vowelsCount,
            trail == 0 ? nil : trails.lowerBound + trail - 1,
        ] {
            if let scalar = value.flatMap(Unicode.Scalar.init) { body(scalar) }
        }
    }

    static func composite(of first: UInt32, _ second: UInt32) -> Unicode.Scalar? {
        if leads.contains(first), vowels.contains(second) {
            let pair =
                (first - leads.lowerBound) * UInt32(vowels.count) + second - vowels.lowerBound
            return Unicode.Scalar(syllables.lowerBound + pair * trailsCount)
        }
        guard syllables.contains(first), trails.contains(second),
            (first - syllables.lowerBound) % trailsCount == 0
        else { return nil }
        return Unicode.Scalar(first + second - trails.lowerBound + 1)
    }
}
