/// A Unicode date pattern (UTS 35), limited to the subset that data files use.
///
/// - `y` is the year, `M` the month, and `d` the day. `yy` has two digits and is read as a year from
///   1950 to 2049, regardless of the current date, so that a text is always the same date.
/// - `H` is the hour 0–23, and `h` the hour 1–12 with `a` for AM or PM.
/// - `m` is the minute, `s` the second, and `S` the fraction.
/// - `X` is the offset: `Z`, `±hh`, `±hhmm`, or `±hh:mm`.
///
/// Literals are any other character that is not a letter, and text in quotes (`''` is one quote). A
/// single letter reads one or more digits; two letters read exactly two.
package struct DatePattern: Sendable, Hashable {
    /// The reason that a pattern was rejected.
    package struct ParsingError: Error, Sendable, Hashable, CustomStringConvertible {
        /// A description in one sentence.
        package let description: String
        /// The zero-based byte offset of the error in the pattern.
        package let byteOffset: Int
        /// The pattern that was probably intended.
        package var correction: String?
    }

    /// The reason why a text in this pattern is not a date: the calendar lacks its day or its time.
    package enum Missing: Sendable, Hashable {
        /// The month does not have the day.
        case day
        /// The day does not have the time.
        case time
    }

    enum Field: Sendable, Hashable {
        case year, month, day, hour, clockHour, dayHalf, minute, second, fraction, offset
    }

    enum Element: Sendable, Hashable {
        case literal(UInt8)
        case field(Field, width: Int)
    }

    let elements: [Element]
    /// The pattern in its original form.
    package let text: String

    /// Parses a pattern.
    ///
    /// - Throws: `ParsingError` for an unknown letter, a repeated field, unclosed quotes, a pattern
    ///   without a year, `h` without `a`, or letters that are probably mistaken, such as minutes
    ///   without an hour.
    package init(parsing pattern: String) throws(ParsingError) {
        text = pattern
        do throws(ParsingError) {
            guard !Self.hasDirective(pattern) else {
                throw ParsingError(
                    description: "A date pattern has letters without %, as in 'dd.MM.yyyy'",
                    byteOffset: 0)
            }
            elements = try Self.elements(of: Array(pattern.utf8))
        } catch {
            var error = error
            error.correction = Self.correction(of: pattern)
            throw error
        }
    }

    /// An example of a date in this pattern.
    package var example: String {
        // 2026-11-20 14:30:05
        String(decoding: format(816_877_805) ?? [], as: UTF8.self)
    }

    /// Returns the seconds since 2001-01-01 UTC of a date in this pattern, or `nil` for other text.
    ///
    /// Month and day default to 1, and the time to 00:00 UTC.
    package func parse(_ bytes: ByteView) -> Double? { read(bytes)?.seconds }

    /// Reads a date as `parse` does, and reports whether the fraction is kept.
    package func read(_ bytes: ByteView, defaultZoneSeconds: Int = 0) -> ReadDate? {
        parts(bytes, defaultZoneSeconds)?.date
    }

    /// Returns the part that does not exist if the text is an invalid date in this pattern.
    ///
    /// Returns `nil` for valid dates and for other text.
    package func missing(in bytes: ByteView) -> Missing? {
        guard let parts = parts(bytes, 0), parts.date == nil else { return nil }
        return parts.hasDay ? .time : .day
    }

    @inline(__always)
    private func parts(_ bytes: ByteView, _ defaultZoneSeconds: Int) -> Parts? {
        var reader = DateReader(bytes: bytes)
        var parts = Parts(zone: defaultZoneSeconds)
        for element in elements {
            switch element {
            case .literal(let byte):
                guard reader.skip(byte: byte) else { return nil }
            case .field(let field, let width):
                guard parts.read(field, width: width, from: &reader) else { return nil }
            }
        }
        return reader.isAtEnd ? parts : nil
    }

    static func elements(of pattern: [UInt8]) throws(ParsingError) -> [Element] {
        var elements: [Element] = []
        var seen: Set<Field> = []
        var index = 0
        while index < pattern.count {
            let byte = pattern[index]
            if byte == UInt8(ascii: "'") {
                try appendQuoted(pattern, from: &index, to: &elements)
                continue
            }
            guard byte | 0x20 >= UInt8(ascii: "a"), byte | 0x20 <= UInt8(ascii: "z") else {
                elements.append(.literal(byte))
                index += 1
                continue
            }
            let start = index
            while index < pattern.count, pattern[index] == byte { index += 1 }
            let letter = Character(Unicode.Scalar(byte))
            guard let field = field(of: byte, width: index - start) else {
                throw refusal(of: letter, count: index - start, at: start)
            }
            guard seen.insert(field).inserted else {
                throw ParsingError(
                    description: "The date pattern has the letter '\(letter)' twice",
                    byteOffset: start)
            }
            elements.append(.field(field, width: index - start))
        }
        try checkTimes(elements)
        guard seen.contains(.year) else {
            throw ParsingError(description: "The date pattern has no year (y)", byteOffset: 0)
        }
        guard seen.contains(.clockHour) == seen.contains(.dayHalf) else {
            throw ParsingError(
                description: "In a date pattern, h (1 to 12) and a (AM or PM) go together",
                byteOffset: 0)
        }
        guard !seen.contains(.clockHour) || !seen.contains(.hour) else {
            throw ParsingError(
                description: "The date pattern has the hour twice, H and h", byteOffset: 0)
        }
        return elements
    }

    private static func appendQuoted(
        _ pattern: [UInt8], from index: inout Int, to elements: inout [Element]
    ) throws(ParsingError) {
        let quote = UInt8(ascii: "'")
        let start = index
        index += 1
        if index < pattern.count, pattern[index] == quote {
            elements.append(.literal(quote))
            index += 1
            return
        }
        while index < pattern.count {
            if pattern[index] != quote {
                elements.append(.literal(pattern[index]))
            } else if index + 1 < pattern.count, pattern[index + 1] == quote {
                elements.append(.literal(quote))
                index += 1
            } else {
                index += 1
                return
            }
            index += 1
        }
        throw ParsingError(
            description: "The quoted text in the date pattern is not closed", byteOffset: start)
    }

    private static func field(of letter: UInt8, width: Int) -> Field? {
        switch letter {
        case UInt8(ascii: "y"): [1, 2, 4].contains(width) ? .year : nil
        case UInt8(ascii: "M"): width <= 2 ? .month : nil
        case UInt8(ascii: "d"): width <= 2 ? .day : nil
        case UInt8(ascii: "H"): width <= 2 ? .hour : nil
        case UInt8(ascii: "h"): width <= 2 ? .clockHour : nil
        case UInt8(ascii: "m"): width <= 2 ? .minute : nil
        case UInt8(ascii: "s"): width <= 2 ? .second : nil
        case UInt8(ascii: "S"): width <= 9 ? .fraction : nil
        case UInt8(ascii: "a"): width <= 3 ? .dayHalf : nil
        case UInt8(ascii: "X"): width <= 3 ? .offset : nil
        default: nil
        }
    }
}

/// The parts of a date that have been read from a text.
private struct Parts {
    var year = 2001
    var month = 1
    var day = 1
    var hour = 0
    var isAfternoon: Bool?
    var minute = 0
    var second = 0
    var fraction = (value: 0, digits: 0)
    var zone: Int

    init(zone: Int) {
        self.zone = zone
    }

    /// Whether the calendar has the day.
    var hasDay: Bool { DateReader.day(year: year, month: month, day: day) != nil }

    var date: ReadDate? {
        guard let days = DateReader.day(year: year, month: month, day: day) else { return nil }
        var hour = hour
        if let isAfternoon {
            guard hour >= 1, hour <= 12 else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let whole = days * 86_400 + hour * 3_600 + minute * 60 + second
        return ReadDate(whole &- zone, fraction: fraction.value, digits: fraction.digits)
    }

    /// Reads one field; returns false if the text has something else.
    mutating func read(
        _ field: DatePattern.Field, width: Int, from reader: inout DateReader
    ) -> Bool {
        switch field {
        case .year: return readYear(width: width, from: &reader)
        case .month: return Self.store(Self.number(width, &reader), in: &month)
        case .day: return Self.store(Self.number(width, &reader), in: &day)
        case .hour, .clockHour: return Self.store(Self.number(width, &reader), in: &hour)
        case .minute: return Self.store(Self.number(width, &reader), in: &minute)
        case .second: return Self.store(Self.number(width, &reader), in: &second)
        case .fraction:
            guard let value = reader.number(digits: width) else { return false }
            fraction = (value, width)
            return true
        case .dayHalf:
            let isMorning = reader.skip("A") || reader.skip("a")
            guard isMorning || reader.skip("P") || reader.skip("p") else { return false }
            isAfternoon = !isMorning
            return reader.skip("M") || reader.skip("m")
        case .offset:
            guard let offset = reader.offset() else { return false }
            zone = offset
            return true
        }
    }

    private mutating func readYear(width: Int, from reader: inout DateReader) -> Bool {
        switch width {
        case 1: return Self.store(reader.number(digitsFrom: 1, to: 8), in: &year)
        case 2:
            let number = reader.number(digits: 2)
            return Self.store(number.map { $0 < 50 ? $0 + 2000 : $0 + 1900 }, in: &year)
        default: return Self.store(reader.number(digits: 4), in: &year)
        }
    }

    private static func store(_ value: Int?, in part: inout Int) -> Bool {
        guard let value else { return false }
        part = value
        return true
    }

    private static func number(_ width: Int, _ reader: inout DateReader) -> Int? {
        width == 1 ? reader.number(digitsFrom: 1, to: 2) : reader.number(digits: 2)
    }
}
