import GraphModel
import RecordStreams

/// Facts about all values of a field, sufficient to choose a type that loses no value.
struct ValueFacts {
    /// The number of values that are not null.
    private(set) var count = 0
    private(set) var texts = 0
    private(set) var numbers = 0
    private(set) var booleans = 0
    var objects = 0
    var lists = 0

    /// Whether texts may be numbers: in tables, but not in JSON.
    let isTabular: Bool
    private var allUUIDs = true
    private var allDates = true
    private var allTruthTexts = true
    private var allIntegers = true
    private var allReals = true
    private var allDigits = true
    private(set) var low = Int64.max
    private(set) var high = Int64.min
    private var hasTrailingZeros = false
    private var hasOffsets = false
    /// Whether all texts are short and contain no whitespace.
    private var allWords = true
    private var truth = TruthWords()
    private var hasBareDays = false
    private var scaleMax = 0
    private(set) var dates = DateForms()
    private(set) var numberForms = NumberForms()
    /// Counts the ISO 8601 dates among the texts; `nearNumbers` counts the numbers.
    private var nearDates = NearType()
    private var nearNumbers = NearType()
    /// Whether the last value is the first of some kind, such as the first text that is not a date.
    private(set) var hasNewMisfit = false
    /// The count and first position of each text that may mean null, by its index in
    /// `NullText.all`.
    private(set) var markers: [Int: (count: Int, place: String)] = [:]

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
        if nearDates.isOpen {
            let isDate = addDate(bytes)
            if !isDate { allDates = false }
            if nearDates.add(bytes, isOfType: isDate) { hasNewMisfit = true }
        }
        if dates.isOpen, dates.add(bytes) { hasNewMisfit = true }
        if allWords { allWords = Self.isWord(bytes) }
        guard isTabular else { return }
        if numberForms.add(bytes) { hasNewMisfit = true }
        truth.add(bytes)
        if allTruthTexts {
            allTruthTexts = bytes.elementsEqual("true".utf8) || bytes.elementsEqual("false".utf8)
        }
        if nearNumbers.isOpen {
            let isNumber = addNumeral(bytes)
            if nearNumbers.add(bytes, isOfType: isNumber) { hasNewMisfit = true }
        }
        if allDigits { allDigits = !bytes.isEmpty && bytes.allSatisfy { $0 &- 48 <= 9 } }
    }

    /// Counts an unquoted text that may mean null, by its index in `NullText.all`.
    ///
    /// - Parameter first: returns the position; called only for the first occurrence.
    mutating func addMarker(_ place: Int, at first: () -> String) {
        if markers[place] == nil { markers[place] = (0, first()) }
        markers[place]?.count += 1
    }

    /// Counts texts as values that `addMarker` has kept apart, because they mean no null here.
    ///
    /// - Returns: the texts with the number of their occurrences.
    mutating func takeMarkers(_ isValue: (Int) -> Bool) -> [(text: String, count: Int)] {
        var taken: [(String, Int)] = []
        for (place, marker) in markers.sorted(by: { $0.key < $1.key }) where isValue(place) {
            var text = NullText.all[place]
            text.withUTF8 { bytes in
                for _ in 0..<marker.count { add(text: bytes) }
            }
            taken.append((text, marker.count))
            markers[place] = nil
        }
        return taken
    }

    mutating func add(number bytes: UnsafeBufferPointer<UInt8>) {
        count += 1
        numbers += 1
        if allReals { _ = addNumeral(bytes) }
    }

    /// Stores the position of the last value, which is the first of some kind.
    mutating func place(misfit place: String) {
        hasNewMisfit = false
        if nearDates.wantsPlace { nearDates.place = place }
        if dates.near.wantsPlace { dates.near.place = place }
        if nearNumbers.wantsPlace { nearNumbers.place = place }
        numberForms.place(place)
    }

    /// Adds a numeral and returns whether a numeric type stores it without loss.
    private mutating func addNumeral(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if let value = ScalarParser.integer(bytes), !(value == 0 && bytes.count > 1) {
            low = min(low, value)
            high = max(high, value)
            return true
        }
        allIntegers = false
        let numeral = Numeral(bytes)
        // In a table, 1e5 may be a code.
        let mayBe = !isTabular || numeral.map { !$0.hasExponent && !$0.isNegativeZero } ?? false
        let isReal = mayBe && numeral?.fitsDouble(bytes) == true
        if !isReal { allReals = false }
        if let fraction = numeral?.fractionDigits {
            scaleMax = max(scaleMax, fraction)
            if fraction > 0, bytes.last == UInt8(ascii: "0") { hasTrailingZeros = true }
        }
        return isReal
    }

    /// Adds a text; returns whether it is a date that an attribute stores without loss.
    private mutating func addDate(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= 10, bytes[0] &- 48 <= 9, let seconds = ScalarParser.isoDate(bytes)
        else { return false }
        if bytes.count == 10 { hasBareDays = true }
        let time = bytes.dropFirst(10)
        let zone = time.lastIndex { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
        if zone != nil { hasOffsets = true }
        guard let point = time.firstIndex(where: { $0 == 46 || $0 == 44 }) else { return true }
        // Dates are doubles: microseconds for some decades around 2001, then less.
        let digits = time[(point + 1)...].prefix { $0 &- 48 <= 9 }.count
        return digits <= (seconds.magnitude < 2e9 ? 6 : 3)
    }

    /// Whether the values look like identifiers: numbers or single words.
    var isOneWord: Bool { numbers == count || allWords }

    /// Whether all values are dates, in ISO 8601 or in one other proven format.
    var isDate: Bool { texts == count && (allDates || dates.proven != nil) }

    /// The words for true and false in a column that has only these two.
    ///
    /// `nil` if etl reads the words as truth values without a mapping.
    var truthWords: TruthWords.Pair? {
        guard isTabular, texts == count, !allTruthTexts else { return nil }
        return truth.pair
    }

    /// Whether a value is short and contains no whitespace.
    static func isWord(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.count <= 64 && !bytes.contains { $0 <= 32 }
    }

    static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 36 else { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
            room.baseAddress.map { ScalarParser.uuid(bytes, into: $0) } ?? false
        }
    }

    // MARK: Types

    /// Words in the names of columns whose digits are not a quantity.
    private static let textNames = [
        "phone", "fax", "zip", "postal", "postcode", "iban", "isbn", "barcode", "code", "version",
    ]

    /// Words in the names of amounts of money.
    private static let moneyNames = [
        "price", "amount", "total", "cost", "fee", "tax", "balance", "salary", "discount",
        "revenue", "payment", "budget",
    ]

    /// Last words in the names of points in time.
    private static let momentNames: Set<String> = [
        "at", "on", "time", "timestamp", "date", "datetime", "ts", "epoch", "created", "updated",
        "modified", "since", "until", "seen", "expires", "expiry", "mtime", "ctime", "atime",
        "unix",
    ]

    /// Words for seconds or milliseconds at the end of a column's name, such as `created_at_ms`.
    private static let secondNames: Set<String> = ["s", "sec", "secs", "second", "seconds"]
    private static let millisecondNames: Set<String> = [
        "ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds",
    ]

    /// Returns the type that stores every value without loss, the format of the values, and a note.
    ///
    /// - Parameters:
    ///   - isKey: whether other values than these are certain to follow.
    ///   - decimal: the decimal mark of other columns; `nil` if it is unknown.
    func guess(named name: String, isKey: Bool, decimal: Character? = nil) -> TypeGuess {
        if count == 0 {
            return TypeGuess(.string, note: "no value in the data, so the type is open")
        }
        if booleans == count { return TypeGuess(.boolean) }
        if booleans + objects + lists > 0 {
            let isMixed = objects < count && lists < count
            return TypeGuess(
                .transformable, note: isMixed ? "values of several kinds, kept as JSON" : nil)
        }
        if numbers > 0, texts > 0 {
            return TypeGuess(.string, note: "numbers and texts, kept as text")
        }
        if texts == count {
            if allUUIDs { return TypeGuess(.uuid) }
            if allDates { return TypeGuess(.date, note: dateNote) }
            if let found = writtenDate(named: name) { return found }
            guard isTabular else { return misfitNote ?? TypeGuess(.string) }
            if allTruthTexts || truthWords != nil { return TypeGuess(.boolean) }
            let folded = InferredNames.folded(name)
            let isCode = !isKey && !folded.hasSuffix("id")
            if allReals, isCode, Self.textNames.contains(where: folded.contains) {
                return TypeGuess(.string, note: "digits, but by its name no quantity")
            }
        }
        return number(named: name, decimal)
    }

    /// A string type with a note on the first exception, if nearly all values are of another type.
    private var misfitNote: TypeGuess? {
        var kinds = [(nearDates, "date"), (dates.near, "date")]
        if isTabular { kinds += [(nearNumbers, "number"), (numberForms.near, "number")] }
        let found = kinds.filter(\.0.isNear).max { $0.0.count < $1.0.count }
        return found.map { near, kind in
            TypeGuess(.string, note: near.note(kind), isRemark: true)
        }
    }

    /// Returns the type of dates in another format than ISO 8601.
    private func writtenDate(named name: String) -> TypeGuess? {
        if let pattern = dates.proven {
            return TypeGuess(.date, note: "guessed: each value is such a date", date: pattern)
        }
        if dates.isDigits, ["date", "day"].contains(where: InferredNames.folded(name).contains) {
            return TypeGuess(
                .date, note: "guessed: each value is such a date", date: dates.first)
        }
        guard dates.isAmbiguous else { return nil }
        return TypeGuess(
            .string,
            note: "kept as text: the day and the month of its dates cannot be distinguished",
            isRemark: true)
    }

    private func number(named name: String, _ decimal: Character?) -> TypeGuess {
        if texts == count, let mark = numberForms.openMark, let found = openForm(mark, decimal) {
            return found
        }
        let tooLong = "numbers that Integer 64 and Double would not hold as they are"
        guard allReals else {
            if numbers > 0 { return TypeGuess(.string, note: tooLong) }
            if let form = numberForms.proven {
                return TypeGuess(
                    numberForms.scaleMax <= Self.decimalScaleMax ? .decimal : .double,
                    note: "guessed: a number in this form", number: .text(form))
            }
            return misfitNote
                ?? TypeGuess(
                    .string, note: allDigits ? "leading zeros or long numbers, kept as text" : nil)
        }
        // A later file may hold larger numbers, which a narrower type would reject.
        if allIntegers { return epoch(named: name) ?? TypeGuess(.integer64) }
        // Integers among fractions: a double stores integers up to 2^53 exactly.
        if low <= high, max(low.magnitude, high.magnitude) > 1 << 53 {
            return TypeGuess(.string, note: tooLong)
        }
        let isMoney = Self.moneyNames.contains(where: InferredNames.folded(name).contains)
        let hasFractions = (1...Self.decimalScaleMax).contains(scaleMax)
        return TypeGuess(
            hasFractions && (isTabular || isMoney) ? .decimal : .double,
            note: isTabular && hasTrailingZeros
                ? "exports write 1.50 as 1.5; say String to keep the zeros" : nil)
    }

    /// Returns the type of numbers such as 1.234, by the decimal mark of other columns.
    private func openForm(_ mark: Character, _ decimal: Character?) -> TypeGuess? {
        switch (mark, decimal) {
        case (".", "."): return nil
        case (",", ","):
            return TypeGuess(
                .decimal, note: "guessed: a number in this form",
                number: .text(NumberForms.Form(decimal: ",")))
        case (_, let decimal?):
            return TypeGuess(
                .decimal, note: "guessed: the mark groups thousands, as in other columns",
                number: .text(NumberForms.Form(decimal: decimal, thousands: mark)))
        case (".", nil):
            return TypeGuess(
                .decimal,
                note: "\(numberForms.example) is read as a fraction; if the point groups thousands,"
                    + " set `number: { thousands: \".\" }`", isRemark: true, isOpenNumber: true)
        default:
            return TypeGuess(
                .string,
                note: "kept as text: it is unknown whether the comma of \(numberForms.example)"
                    + " groups thousands", isRemark: true)
        }
    }

    /// The decimal mark of the numbers, if the values prove it.
    var decimalMark: Character? {
        guard isTabular, count > 0, texts == count else { return nil }
        if let form = numberForms.proven { return form.decimal }
        return allReals && !allIntegers && scaleMax > 0 && numberForms.openMark == nil ? "." : nil
    }

    /// Whether the values have the unambiguous format of exports: ISO 8601 dates or JSON numbers.
    func isPlain(_ type: AttributeType) -> Bool {
        if type == .date { return count > 0 && texts == count && allDates }
        return count > 0 && numbers == count || numberForms.proven == nil && decimalMark == "."
    }

    /// The maximum number of decimals; more suggest a measurement or a computation.
    private static let decimalScaleMax = 4

    /// Returns the type of a time that is a count since 1970.
    private func epoch(named name: String) -> TypeGuess? {
        var parts = InferredNames.parts(name)
        let unit = parts.last ?? ""
        let isInSeconds = Self.secondNames.contains(unit)
        let isInMilliseconds = Self.millisecondNames.contains(unit)
        if isInSeconds || isInMilliseconds { parts.removeLast() }
        // A column named just `ms` may be any duration, but few durations are as long as the time
        // since 1970.
        let isMoment = parts.last.map(Self.momentNames.contains) ?? isInMilliseconds
        guard isMoment else { return nil }
        // From 1990 to 2100.
        let seconds = 631_152_000...4_102_444_800 as ClosedRange<Int64>
        if !isInMilliseconds, seconds.contains(low), seconds.contains(high) {
            return TypeGuess(.date, note: "guessed: seconds since 1970", number: .seconds)
        }
        if !isInSeconds, seconds.contains(low / 1000), seconds.contains(high / 1000) {
            return TypeGuess(.date, note: "guessed: milliseconds since 1970", number: .milliseconds)
        }
        return nil
    }

    /// Returns the type that the user names, with the format of the values.
    func guess(
        named name: String, given type: AttributeType, decimal: Character? = nil
    ) -> TypeGuess {
        let found = guess(named: name, isKey: true, decimal: decimal)
        if found.type == type { return found }
        var told = TypeGuess(type)
        if type == .date, texts == count, !allDates, dates.near.count >= nearDates.count {
            told.date = dates.likely
        }
        if type == .date, allIntegers, dates.first == nil, low <= high {
            told.number = high.magnitude >= 100_000_000_000 ? .milliseconds : .seconds
        }
        let numbers: [AttributeType] = [
            .integer16, .integer32, .integer64, .decimal, .double, .float,
        ]
        if numbers.contains(type), texts == count, !allReals {
            if case .text(let form) = found.number {
                told.number = .text(form)
            } else if let form = numberForms.likely {
                told.number = .text(form)
            }
        }
        // Words that the import reads by itself, in upper or lower case, need no mapping.
        if type == .boolean, isTabular, texts == count, let words = truth.likely,
            ![words.yes, words.no].allSatisfy({ Self.isTruth($0) })
        {
            told.words = words
        }
        return told
    }

    private static func isTruth(_ word: String) -> Bool {
        var word = word
        return word.withUTF8 { ScalarParser.boolean($0) } != nil
    }

    /// Whether the integers cover so little of their range that a match by chance is rare.
    func isSparse(_ count: Int) -> Bool {
        guard allIntegers, low <= high else { return false }
        return Double(high) - Double(low) > 20 * Double(count)
    }

    /// Whether all values are integers.
    var isWhole: Bool { count > 0 && allReals && allIntegers }

    private var dateNote: String? {
        if hasOffsets { return "the moments are kept, in UTC; the offsets are not" }
        return hasBareDays ? "a day alone is its 00:00 UTC" : nil
    }
}

/// A type and the format of its values.
struct TypeGuess {
    /// The format of numbers, or the unit of dates that are stored as numbers.
    enum Number: Equatable {
        case seconds, milliseconds
        case text(NumberForms.Form)
    }

    var type: AttributeType
    var note: String?
    /// Whether the note is useful without seeing the model.
    var isRemark = false
    /// Whether the point in its numbers may be a decimal mark or group thousands.
    var isOpenNumber = false
    /// The pattern of a date.
    var date: String?
    var number: Number?
    /// The words for true and false.
    var words: TruthWords.Pair?

    init(
        _ type: AttributeType, note: String? = nil, date: String? = nil, number: Number? = nil,
        isRemark: Bool = false, isOpenNumber: Bool = false
    ) {
        self.isRemark = isRemark
        self.isOpenNumber = isOpenNumber
        self.type = type
        self.note = note
        self.date = date
        self.number = number
    }
}

/// The digits of a number, to check whether a double has the same ones.
private struct Numeral: Equatable {
    private var digits: [UInt8] = []
    /// The power of ten of the last digit.
    private var exponent = 0
    private var isNegative = false
    private(set) var fractionDigits = 0
    private(set) var hasExponent = false

    var isNegativeZero: Bool { isNegative && digits.isEmpty }

    /// Parses JSON's grammar, `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`.
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

    /// Whether the nearest double is written with the same digits.
    func fitsDouble(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Fifteen digits always survive, as long as the double is a normal one.
        if digits.count <= 15, exponent > -280, exponent < 280 { return true }
        guard let value = ScalarParser.double(bytes) else { return false }
        let other = Numeral(scanning: value.description.utf8)
        return digits == other.digits && exponent == other.exponent
    }
}
