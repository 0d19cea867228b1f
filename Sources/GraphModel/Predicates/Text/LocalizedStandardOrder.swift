@_spi(_Unicode) internal import Swift

/// The order of names in a list, the same on every machine: "file 9", "file 10", "File 10".
///
/// Texts are decomposed (NFD) and compared on five levels, each of which counts only where those
/// before it find no difference:
///
/// 1. **Letters and numbers**, from left to right, without marks and without case. A run of the
///    digits 0 to 9 is one element and counts as a number of any length. Elements are ordered as
///    white space and controls, punctuation, symbols (emoji among them), numbers and other
///    numerals, letters; within each by their number in Unicode (runs of digits by their value,
///    before other numerals). A text that ends first comes first.
/// 2. **Marks**, such as accents: the first difference decides, none before any, else by number.
/// 3. **Leading zeros**: fewer first, in the first run of digits that differs.
/// 4. **Case**: at the first difference what is in lower case first, else by number.
/// 5. **Bytes**, for texts that are the same but for their normalization.
///
/// So `"file 9" < "file 10"`, `"cafe" < "café" < "cafes"`, `"1" < "01" < "2"`, `"a" < "A" < "b"`
/// and `"_a" < "1" < "a"`. Letters that Unicode does not decompose, such as "ø", come after
/// those that it does, as their numbers do. Every level orders sequences by their first
/// difference under one order of their elements, so the whole is a total order.
enum LocalizedStandardOrder {
    /// Negative, zero or positive as the first comes before, is, or comes after the second.
    static func compare(
        _ left: ByteView, _ right: ByteView, unless stop: (any EvaluationStop)? = nil
    ) -> Int {
        if let order = fast(left, right) { return order }
        return slow(left, right, unless: stop)
    }

    // MARK: Where the texts differ in ASCII only

    /// The order where all differences are between ASCII characters; nil elsewhere.
    ///
    /// What is the same on both sides counts for no level, and an ASCII character starts anew:
    /// no mark moves across it.
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
            // The same letter: the greater byte is in lower case.
            if letterCase == 0 { letterCase = one > two ? -1 : 1 }
        }
        if index < left.count { return left[index] < 0x80 ? 1 : nil }
        if other < right.count { return right[other] < 0x80 ? -1 : nil }
        return zeros != 0 ? zeros.signum() : letterCase
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// The place of an ASCII character on the first level.
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

    /// The order of any two texts; where `fast` has an answer, the same.
    ///
    /// - Parameter stop: When it is raised, the texts are read no further, and the order is any.
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

/// The groups of the first level, in their order.
enum ScalarClass: Int {
    case space, punctuation, symbol, number, letter

    /// A place among all scalars: by group, then by number.
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
    /// Where its digits without leading zeros are.
    let digits: Range<Int>
    /// How many zeros lead; of zero itself all but one.
    let zeros: Int

    /// Reads the run that starts at the index, and moves the index behind it.
    init(_ bytes: ByteView, from index: inout Int) {
        let start = index
        while index < bytes.count, LocalizedStandardOrder.isDigit(bytes[index]) { index &+= 1 }
        var first = start
        while first < index - 1, bytes[first] == UInt8(ascii: "0") { first &+= 1 }
        digits = first..<index
        zeros = first - start
    }

    /// The order of the values of two runs.
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

/// A text taken apart into what the levels compare.
private struct CollationText {
    /// The weights of the first level; a run of digits is its digits after their count.
    enum Element {
        case scalar(Int)
        case number([UInt8])
    }

    var elements: [Element] = []
    /// Without case and leading zeros; a mark is more than anything else.
    var marks: [Int] = []
    /// How many zeros lead each run of digits.
    var zeros: [Int] = []
    /// Every scalar, those in upper case after all others.
    var cases: [Int] = []

    /// Scalars that are read before the next look at the stop.
    private static let scalarsUnseen = 1 << 16

    /// - Parameter stop: When it is raised, the rest of the text is left out.
    init(_ bytes: ByteView, unless stop: (any EvaluationStop)?) {
        var scalars: [Unicode.Scalar] = []
        for scalar in MarkOrder.ordered(String(decoding: bytes, as: UTF8.self))._nfd {
            scalars.append(scalar)
            guard scalars.count % Self.scalarsUnseen != 0 || stop?.isRaised != true else { return }
        }
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

    /// A mapping of case may bring marks with it.
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
