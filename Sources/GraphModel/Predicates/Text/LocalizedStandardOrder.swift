/// The order of names in a list, the same on every machine: "file 9", "file 10", "File 10".
///
/// Strings are decomposed (NFD) and compared on five levels. Each level counts only if the levels
/// before it find no difference:
///
/// 1. **Letters and numbers**, from left to right, without marks and case. A run of the digits 0 to
///    9 is one element, which counts as a number of any length. Elements are ordered as white space
///    and controls, punctuation, symbols (including emoji), numbers and other numerals, and
///    letters. Within a group, they are ordered by code point (runs of digits by value, before
///    other numerals). A string that ends first comes first.
/// 2. **Marks**, such as accents: the first difference decides; no mark comes before any mark, and
///    others are ordered by code point.
/// 3. **Leading zeros**: fewer come first, in the first run of digits that differs.
/// 4. **Case**: at the first difference, lowercase comes first, and others are ordered by code
///    point.
/// 5. **Bytes**, for strings that differ only in their normalization.
///
/// So `"file 9" < "file 10"`, `"cafe" < "café" < "cafes"`, `"1" < "01" < "2"`, `"a" < "A" < "b"`,
/// and `"_a" < "1" < "a"`. Letters without a decomposition in Unicode, such as "ø", come after
/// letters with one, as their code points do. Every level orders sequences by their first
/// difference under one order of their elements, so the result is a total order.
enum LocalizedStandardOrder {
    /// Returns a negative number, zero, or a positive number if left is before, equal to, or after
    /// right.
    static func compare(
        _ left: ByteView, _ right: ByteView, unless stop: (any EvaluationStop)? = nil
    ) -> Int {
        if let order = fast(left, right) { return order }
        return slow(left, right, unless: stop)
    }

    // MARK: Where the texts differ in ASCII only

    /// Returns the order if all differences are between ASCII characters; otherwise `nil`.
    ///
    /// Equal characters count on no level. No mark moves across an ASCII character, so each one
    /// starts a new comparison.
    private static func fast(_ left: ByteView, _ right: ByteView) -> Int? {
        var index = 0
        var other = 0
        var zeros = 0
        var letterCase = 0
        while index < left.count, other < right.count {
            let one = left[index]
            let two = right[other]
            if isDigit(one), isDigit(two) {
                let run = DigitRun(left, from: &index)
                let otherRun = DigitRun(right, from: &other)
                let order = DigitRun.order(run, of: left, otherRun, of: right)
                if order != 0 { return order }
                if zeros == 0 { zeros = run.zeros - otherRun.zeros }
                continue
            }
            index &+= 1
            other &+= 1
            if one == two { continue }
            guard one < 0x80, two < 0x80 else { return nil }
            let order = weight(one) - weight(two)
            if order != 0 { return order < 0 ? -1 : 1 }
            // The letters differ only in case, and the greater byte is lowercase.
            if letterCase == 0 { letterCase = one > two ? -1 : 1 }
        }
        if index < left.count { return left[index] < 0x80 ? 1 : nil }
        if other < right.count { return right[other] < 0x80 ? -1 : nil }
        return zeros != 0 ? zeros.signum() : letterCase
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// Returns the weight of an ASCII character on the first level.
    private static func weight(_ byte: UInt8) -> Int {
        let letter = byte | 0x20
        if letter &- UInt8(ascii: "a") <= 25 { return ScalarClass.letter.weight(UInt32(letter)) }
        if isDigit(byte) { return ScalarClass.number.weight(0) }
        if byte <= 0x20 || byte == 0x7F { return ScalarClass.space.weight(UInt32(byte)) }
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: "+"), UInt8(ascii: "<"), UInt8(ascii: "="),
            UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"),
            UInt8(ascii: "~"):
            return ScalarClass.symbol.weight(UInt32(byte))
        default: return ScalarClass.punctuation.weight(UInt32(byte))
        }
    }

    // MARK: Any texts

    /// Returns the order of any two strings; agrees with `fast` if that has a result.
    ///
    /// - Parameter stop: The flag that stops reading the strings; the result is then arbitrary.
    static func slow(
        _ left: ByteView, _ right: ByteView, unless stop: (any EvaluationStop)? = nil
    ) -> Int {
        let one = CollationText(left, unless: stop)
        let other = CollationText(right, unless: stop)
        if stop?.isRaised == true { return 0 }
        for order in [
            CollationText.letters(one, other), lexicographic(one.marks, other.marks),
            lexicographic(one.zeros, other.zeros), lexicographic(one.cases, other.cases),
        ] where order != 0 {
            return order
        }
        return TextCollation.bytes(left, right)
    }

    static func lexicographic(_ left: [Int], _ right: [Int]) -> Int {
        for (one, other) in zip(left, right) where one != other { return one < other ? -1 : 1 }
        return (left.count - right.count).signum()
    }
}

/// The groups of the first level, in order.
enum ScalarClass: Int {
    case space, punctuation, symbol, number, letter

    /// Returns a weight among all scalars: by group, then by code point.
    func weight(_ value: UInt32) -> Int { rawValue << 24 | Int(value) }

    init(_ category: Unicode.GeneralCategory) {
        switch category {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .surrogate,
            .privateUse, .unassigned:
            self = .space
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            self = .punctuation
        case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol: self = .symbol
        case .decimalNumber, .letterNumber, .otherNumber: self = .number
        default: self = .letter
        }
    }
}

/// A run of the digits 0 to 9 in a text.
struct DigitRun {
    /// The position of its digits without leading zeros.
    let digits: Range<Int>
    /// The number of leading zeros; the last digit of a run of zeros does not count.
    let zeros: Int

    /// Reads the run that starts at the index, and moves the index past it.
    init(_ bytes: ByteView, from index: inout Int) {
        let start = index
        while index < bytes.count, LocalizedStandardOrder.isDigit(bytes[index]) { index &+= 1 }
        var first = start
        while first < index - 1, bytes[first] == UInt8(ascii: "0") { first &+= 1 }
        digits = first..<index
        zeros = first - start
    }

    /// Returns the order of the values of two runs.
    static func order(
        _ left: DigitRun, of bytes: ByteView, _ right: DigitRun, of otherBytes: ByteView
    ) -> Int {
        if left.digits.count != right.digits.count {
            return left.digits.count < right.digits.count ? -1 : 1
        }
        return TextCollation.bytes(
            ByteView(rebasing: bytes[left.digits]), ByteView(rebasing: otherBytes[right.digits]))
    }
}

/// A string split into the sequences that the levels compare.
private struct CollationText {
    /// An element of the first level: a weight, or the digits of a run.
    enum Element {
        case scalar(Int)
        case number([UInt8])
    }

    var elements: [Element] = []
    /// The scalars without case and leading zeros; a mark is greater than any other scalar.
    var marks: [Int] = []
    /// The number of leading zeros of each run of digits.
    var zeros: [Int] = []
    /// All scalars; uppercase ones are greater than all others.
    var cases: [Int] = []

    /// The number of scalars between checks of the stop flag.
    private static let scalarsUnseen = 1 << 16

    /// Splits a string.
    ///
    /// - Parameter stop: The flag that stops the split; the rest of the string is then omitted.
    init(_ bytes: ByteView, unless stop: (any EvaluationStop)?) {
        var scalars: [Unicode.Scalar] = []
        CanonicalForm.decompose(String(decoding: bytes, as: UTF8.self).unicodeScalars) { scalar in
            scalars.append(scalar)
            return scalars.count % Self.scalarsUnseen != 0 || stop?.isRaised != true
        }
        guard stop?.isRaised != true else { return }
        var index = 0
        var seen = 0
        while index < scalars.count {
            if index - seen >= Self.scalarsUnseen {
                seen = index
                guard stop?.isRaised != true else { return }
            }
            if Self.isDigit(scalars[index]) {
                takeRun(scalars, from: &index)
            } else {
                take(scalars[index])
                index += 1
            }
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        let isLower = scalar.value < 0x80 ? !(65...90).contains(scalar.value) : isLower(scalar)
        cases.append((isLower ? 0 : 1) << 24 | Int(scalar.value))
        if scalar.properties.generalCategory == .nonspacingMark {
            marks.append(1 << 24 | Int(scalar.value))
            return
        }
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
            for folded in upper.properties.lowercaseMapping.unicodeScalars {
                takeFolded(folded)
            }
        }
    }

    private func isLower(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.changesWhenLowercased
    }

    /// Adds a scalar of a case mapping, which can be a mark.
    private mutating func takeFolded(_ scalar: Unicode.Scalar) {
        let category = scalar.properties.generalCategory
        if category == .nonspacingMark {
            marks.append(1 << 24 | Int(scalar.value))
            return
        }
        marks.append(Int(scalar.value))
        elements.append(.scalar(ScalarClass(category).weight(scalar.value)))
    }

    private mutating func takeRun(_ scalars: [Unicode.Scalar], from index: inout Int) {
        let start = index
        while index < scalars.count, Self.isDigit(scalars[index]) {
            cases.append(Int(scalars[index].value))
            index += 1
        }
        var first = start
        while first < index - 1, scalars[first] == "0" { first += 1 }
        zeros.append(first - start)
        let digits = scalars[first..<index].map { UInt8(truncatingIfNeeded: $0.value) }
        marks.append(contentsOf: digits.map(Int.init))
        elements.append(.number(digits))
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value &- 48 <= 9
    }

    static func letters(_ left: CollationText, _ right: CollationText) -> Int {
        for (one, other) in zip(left.elements, right.elements) {
            let order = order(one, other)
            if order != 0 { return order }
        }
        return (left.elements.count - right.elements.count).signum()
    }

    private static func order(_ left: Element, _ right: Element) -> Int {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): (left - right).signum()
        case (.scalar(let left), .number): left < ScalarClass.number.weight(0) ? -1 : 1
        case (.number, .scalar(let right)): ScalarClass.number.weight(0) < right ? -1 : 1
        case (.number(let left), .number(let right)):
            left.count != right.count
                ? (left.count - right.count).signum()
                : LocalizedStandardOrder.lexicographic(left.map(Int.init), right.map(Int.init))
        }
    }
}
