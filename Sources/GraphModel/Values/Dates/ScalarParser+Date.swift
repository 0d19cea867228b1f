extension ScalarParser {
    /// Returns the seconds since 2001-01-01 UTC of an ISO 8601 date, or `nil` for other text.
    ///
    /// Examples are `2024-02-29`, `2024-02-29T12:30`, and `2024-02-29 12:30:15.123456+02:00`. The
    /// offset is `Z`, `±hh:mm`, `±hhmm`, or `±hh`. The year has four digits, or a sign and four to
    /// eight. The fraction is kept as precisely as a double can hold it. The ranges of day, hour,
    /// and so on are checked; `24:00` and leap seconds are rejected.
    package static func isoDate(_ bytes: ByteView) -> Double? { readISODate(bytes)?.seconds }

    /// Reads a date as `isoDate` does, and reports whether the fraction is kept.
    ///
    /// - Parameter defaultZoneSeconds: The offset east of UTC if the text has no offset.
    package static func readISODate(
        _ bytes: ByteView, defaultZoneSeconds: Int = 0
    ) -> ReadDate? {
        var reader = DateReader(bytes: bytes)
        guard let day = reader.isoDay() else { return nil }
        var seconds = day * 86_400
        var fraction = (value: 0, digits: 0)
        var zone = defaultZoneSeconds
        if !reader.isAtEnd {
            guard reader.skip("T") || reader.skip(" ") || reader.skip("t") else { return nil }
            guard let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
                let minute = reader.number(digits: 2), minute < 60
            else { return nil }
            seconds += hour * 3_600 + minute * 60
            if reader.skip(":") {
                guard let second = reader.number(digits: 2), second < 60 else { return nil }
                seconds += second
                if reader.skip(".") || reader.skip(",") {
                    guard let read = reader.fraction() else { return nil }
                    fraction = read
                }
            }
            if !reader.isAtEnd {
                guard let offset = reader.offset() else { return nil }
                zone = offset
            }
        }
        guard reader.isAtEnd else { return nil }
        return ReadDate(seconds &- zone, fraction: fraction.value, digits: fraction.digits)
    }
}

/// Reads the parts of dates from left to right.
struct DateReader {
    private let bytes: ByteView
    private(set) var index = 0

    init(bytes: ByteView) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    /// Skips the character if it is next, and returns whether it was.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    /// Skips the byte if it is next, and returns whether it was.
    mutating func skip(byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    /// Reads exactly that number of digits, at most 18.
    mutating func number(digits: Int) -> Int? {
        guard index &+ digits <= bytes.count else { return nil }
        var value = 0
        for _ in 0..<digits {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
            index += 1
        }
        return value
    }

    /// Reads as many digits as possible within the two limits.
    mutating func number(digitsFrom least: Int, to most: Int) -> Int? {
        var count = 0
        while index &+ count < bytes.count, count < most,
            bytes[index &+ count] &- UInt8(ascii: "0") <= 9
        {
            count += 1
        }
        return count < least ? nil : number(digits: count)
    }

    /// Reads `2024-02-29` or `+12024-02-29` as days since 2001-01-01.
    mutating func isoDay() -> Int? {
        var year: Int?
        if skip("+") {
            year = number(digitsFrom: 4, to: 8)
        } else if skip("-") {
            year = number(digitsFrom: 4, to: 8).map { -$0 }
        } else {
            year = number(digits: 4)
        }
        guard let year, skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2)
        else { return nil }
        return Self.day(year: year, month: month, day: day)
    }

    /// Returns the days since 2001-01-01, or `nil` if the day does not exist.
    static func day(year: Int, month: Int, day: Int) -> Int? {
        guard month >= 1, month <= 12, day >= 1,
            day <= 28 || day <= CivilDate.daysInMonth(month, year: year)
        else { return nil }
        return CivilDate.day(year: year, month: month, day: day)
    }

    /// Reads one or more digits after the decimal point; digits after the 18th are ignored.
    mutating func fraction() -> (value: Int, digits: Int)? {
        let start = index
        var value = 0
        var digits = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            if digits < 18 {
                value = value &* 10 &+ Int(digit)
                digits += 1
            }
            index += 1
        }
        return index > start ? (value, digits) : nil
    }

    /// Reads `Z`, `±hh:mm`, `±hhmm`, or `±hh` as seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hours = number(digits: 2), hours < 24 else { return nil }
        var seconds = hours * 3_600
        let hasColon = skip(":")
        if hasColon || nextIsDigit {
            guard let minutes = number(digits: 2), minutes < 60 else { return nil }
            seconds += minutes * 60
        }
        return isWest ? -seconds : seconds
    }

    private var nextIsDigit: Bool {
        index < bytes.count && bytes[index] &- UInt8(ascii: "0") <= 9
    }
}
