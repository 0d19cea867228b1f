import GraphModel
import RecordStreams

/// What all values of one field have in common: enough to choose a type that loses none.
struct ValueFacts {
    /// Values that are not null.
    private(set) var count = 0
    private(set) var texts = 0
    private(set) var numbers = 0
    private(set) var booleans = 0
    var objects = 0
    var lists = 0

    /// Whether what is text by nature may be a number: in tables, not in JSON.
    let isTabular: Bool
    private var allUUIDs = true
    private var allDates = true
    private var allTruthTexts = true
    private var allIntegers = true
    private var allReals = true
    private var allDigits = true
    private(set) var low = Int64.max
    private(set) var high = Int64.min
    /// Digits behind the point, where they end in 0 somewhere all must have as many.
    private var scale: Int?
    private var scalesDiffer = false
    private var hasTrailingZeros = false
    private var hasOffsets = false
    /// No text has a blank in it, and none is long.
    private var allWords = true
    private var truth = TruthWords()
    private var hasBareDays = false

    init(isTabular: Bool) {
        self.isTabular = isTabular
    }

    // MARK: Values

    mutating func add(_ value: Bool) {
        count += 1
        booleans += 1
    }

    mutating func addObject() {
        count += 1
        objects += 1
    }

    mutating func addList() {
        count += 1
        lists += 1
    }

    mutating func add(text bytes: UnsafeBufferPointer<UInt8>) {
        count += 1
        texts += 1
        if allUUIDs { allUUIDs = Self.isUUID(bytes) }
        if allDates { addDate(bytes) }
        guard isTabular else { return }
        if allWords { allWords = bytes.count <= 64 && !bytes.contains { $0 <= 32 } }
        truth.add(bytes)
        if allTruthTexts {
            allTruthTexts = bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8)
        }
        if allReals { addNumeral(bytes) }
        if allDigits { allDigits = !bytes.isEmpty && bytes.allSatisfy { $0 &- 48 <= 9 } }
    }

    mutating func add(number bytes: UnsafeBufferPointer<UInt8>) {
        count += 1
        numbers += 1
        if allReals { addNumeral(bytes) }
    }

    private mutating func addNumeral(_ bytes: UnsafeBufferPointer<UInt8>) {
        if let value = ScalarParser.integer(bytes), !(value == 0 && bytes.count > 1) {
            low = min(low, value)
            high = max(high, value)
            add(scale: 0)
            return
        }
        allIntegers = false
        let numeral = Numeral(bytes)
        if let fraction = numeral?.fractionDigits {
            add(scale: fraction)
            if fraction > 0, bytes.last == UInt8(ascii: "0") { hasTrailingZeros = true }
        }
        // In a table 1e5 may as well be a code.
        let mayBe = !isTabular || numeral.map { !$0.hasExponent && !$0.isNegativeZero } ?? false
        allReals = mayBe && numeral?.fitsDouble(bytes) == true
    }

    private mutating func add(scale other: Int) {
        if let scale, scale != other { scalesDiffer = true }
        scale = other
    }

    private mutating func addDate(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 10, bytes[0] &- 48 <= 9, let seconds = ScalarParser.isoDate(bytes)
        else {
            allDates = false
            return
        }
        if bytes.count == 10 { hasBareDays = true }
        let time = bytes.dropFirst(10)
        let zone = time.lastIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        if zone != nil { hasOffsets = true }
        guard let point = time.firstIndex(where: { $0 == 46 || $0 == 44 }) else { return }
        // Dates are doubles: microseconds for some decades around 2001, then less.
        let digits = time[(point + 1)...].prefix { $0 &- 48 <= 9 }.count
        if digits > (seconds.magnitude < 2e9 ? 6 : 3) { allDates = false }
    }

    /// Whether the values look like identifiers: numbers or single words.
    var isOneWord: Bool { numbers == count || allWords }

    /// The two words of a column that has both and nothing else, and what they stand for; nil for
    /// those that are read as truth values without being told.
    var truthWords: TruthWords.Pair? {
        guard isTabular, texts == count, !allTruthTexts else { return nil }
        return truth.pair
    }

    static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            room.baseAddress.map { ScalarParser.uuid(bytes, into: $0) } ?? false
        }
    }

    // MARK: Types

    /// Words in the names of columns whose digits are no quantity.
    private static let textNames = [
        "phone", "fax", "zip", "postal", "postcode", "iban", "isbn", "barcode", "code", "version",
    ]

    /// The type that holds every value as it is, and what is to be said of the choice.
    ///
    /// - Parameter isKey: whether more values than these are sure to come.
    func type(named name: String, isKey: Bool) -> (type: AttributeType, note: String?) {
        if count == 0 { return (.string, "no value in the data, so the type is open") }
        if booleans == count { return (.boolean, nil) }
        if booleans + objects + lists > 0 {
            let isMixed = objects < count && lists < count
            return (.transformable, isMixed ? "values of several kinds, kept as JSON" : nil)
        }
        if numbers > 0, texts > 0 { return (.string, "numbers and texts, kept as text") }
        if texts == count {
            if allUUIDs { return (.uuid, nil) }
            if allDates { return (.date, dateNote) }
            guard isTabular else { return (.string, nil) }
            if allTruthTexts || truthWords != nil { return (.boolean, nil) }
            let folded = InferredNames.folded(name)
            let isCode = !isKey && !folded.hasSuffix("id")
            if allReals, isCode, Self.textNames.contains(where: folded.contains) {
                return (.string, "digits, but by its name no quantity")
            }
        }
        return number()
    }

    private func number() -> (type: AttributeType, note: String?) {
        let tooLong = "numbers that Integer 64 and Double would not hold as they are"
        guard allReals else {
            if numbers > 0 { return (.string, tooLong) }
            return (.string, allDigits ? "leading zeros or long numbers, kept as text" : nil)
        }
        // A later file may hold larger ones, which a narrower type would refuse.
        if allIntegers { return (.integer64, nil) }
        // Whole numbers beside fractions: a double holds those up to 2^53.
        if low <= high, max(low.magnitude, high.magnitude) > 1 << 53 { return (.string, tooLong) }
        guard isTabular, hasTrailingZeros else { return (.double, nil) }
        if scalesDiffer { return (.string, "1.10 and 1.1 may differ, so kept as text") }
        return (.double, "exports write 1.50 as 1.5; say String to keep the zeros")
    }

    private var dateNote: String? {
        if hasOffsets { return "the moments are kept, in UTC; the offsets are not" }
        return hasBareDays ? "a day alone is its 00:00 UTC" : nil
    }
}

/// A number by its digits, to see whether a double has the same ones.
private struct Numeral: Equatable {
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0
    private var isNegative = false
    private(set) var fractionDigits = 0
    private(set) var hasExponent = false

    var isNegativeZero: Bool { isNegative && digits.isEmpty }

    /// Reads JSON's grammar, `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard ScalarParser.double(bytes) != nil else { return nil }
        self.init(scanning: bytes)
    }

    private init(scanning bytes: some Sequence<UInt8>) {
        var hasPoint = false
        var power = 0
        var powerIsNegative = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-"):
                if hasExponent { powerIsNegative = true } else { isNegative = true }
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): hasExponent = true
            case 48...57 where hasExponent: power = min(power * 10 + Int(byte - 48), 100_000)
            case 48...57:
                if !digits.isEmpty || byte != 48 { digits.append(byte) }
                if hasPoint { fractionDigits += 1 }
            default: break
            }
        }
        exponent = (powerIsNegative ? -power : power) - fractionDigits
        while digits.last == 48 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { exponent = 0 }
    }

    /// Whether the double nearest to the number is written with its digits.
    func fitsDouble(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Fifteen digits always survive, as long as the double is a normal one.
        if digits.count <= 15, exponent > -280, exponent < 280 { return true }
        guard let value = ScalarParser.double(bytes) else { return false }
        let other = Numeral(scanning: value.description.utf8)
        return digits == other.digits && exponent == other.exponent
    }
}
