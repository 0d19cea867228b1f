extension ScalarFormatter {
    /// Writes seconds since 2001-01-01 as ISO 8601 in UTC, `2024-02-29T12:00:00.5Z`.
    ///
    /// The fraction has the fewest digits that are read as the same double (at most 18). Years
    /// before 0000 and after 9999 have a sign. Dates that are not finite, or more than about 99
    /// million years away, write nothing.
    package static func isoDate(
        _ seconds: Double, into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard abs(seconds) < 3.15e15 else { return 0 }
        let (whole, fraction, digits) = dateParts(seconds)
        return write(whole, fraction: fraction, digits: digits, into: buffer)
    }

    /// Returns the second of a date and the digits of its fraction, without trailing zeros.
    ///
    /// - Parameter seconds: A finite number that fits in an `Int`.
    @inline(__always)
    static func dateParts(_ seconds: Double) -> (whole: Int, fraction: UInt64, digits: Int) {
        // This truncates toward zero; the fraction corrects it below zero.
        var whole = Int(seconds)
        var fraction: UInt64 = 0
        var digits = 0
        if Double(whole) != seconds {
            let found = fractionOfMagnitude(seconds)
            fraction = found.value
            digits = found.digits
            if seconds < 0, fraction > 0 {
                // The fraction counts up from the second below.
                whole -= 1
                fraction = UInt64.powerOfTen(digits) - fraction
            }
        }
        return (whole, fraction, digits)
    }

    private static func write(
        _ whole: Int, fraction: UInt64, digits: Int,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let days = whole >= 0 ? whole / 86_400 : -((-whole + 86_399) / 86_400)
        let time = UInt64(whole - days * 86_400)
        let date = CivilDate.date(of: days)
        if digits == 0, date.year >= 0, date.year <= 9999, buffer.count >= 20,
            let target = buffer.baseAddress
        {
            writeWholeSeconds(date, Int(time), to: target)
            return 20
        }
        var writer = TextWriter(buffer)
        if date.year < 0 { writer.append(UInt8(ascii: "-")) }
        if date.year > 9999 { writer.append(UInt8(ascii: "+")) }
        writer.append(number: UInt64(date.year.magnitude), width: 4)
        writer.append(UInt8(ascii: "-"))
        writer.append(number: UInt64(date.month), width: 2)
        writer.append(UInt8(ascii: "-"))
        writer.append(number: UInt64(date.day), width: 2)
        writer.append(UInt8(ascii: "T"))
        writer.append(number: time / 3_600, width: 2)
        writer.append(UInt8(ascii: ":"))
        writer.append(number: time / 60 % 60, width: 2)
        writer.append(UInt8(ascii: ":"))
        writer.append(number: time % 60, width: 2)
        if digits > 0 {
            writer.append(UInt8(ascii: "."))
            writer.append(number: fraction, width: digits)
        }
        writer.append(UInt8(ascii: "Z"))
        return writer.finish()
    }

    /// Writes the usual form, `2024-02-29T12:00:00Z`.
    private static func writeWholeSeconds(
        _ date: (year: Int, month: Int, day: Int), _ time: Int,
        to target: UnsafeMutablePointer<UInt8>
    ) {
        func put(_ value: Int, at place: Int) {
            target[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10)
            target[place + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10)
        }
        put(date.year / 100, at: 0)
        put(date.year % 100, at: 2)
        target[4] = UInt8(ascii: "-")
        put(date.month, at: 5)
        target[7] = UInt8(ascii: "-")
        put(date.day, at: 8)
        target[10] = UInt8(ascii: "T")
        put(time / 3600, at: 11)
        target[13] = UInt8(ascii: ":")
        put(time / 60 % 60, at: 14)
        target[16] = UInt8(ascii: ":")
        put(time % 60, at: 17)
        target[19] = UInt8(ascii: "Z")
    }

    /// Returns the fraction of a double's magnitude, in the fewest digits that identify the double.
    private static func fractionOfMagnitude(_ value: Double) -> (value: UInt64, digits: Int) {
        let magnitude = value.magnitude
        if let found = decimals(of: magnitude, scale: 1e3, digits: 3) { return found }
        if let found = decimals(of: magnitude, scale: 1e6, digits: 6) { return found }
        // Take the fraction from the shortest decimal text of the complete double.
        var text = magnitude.description
        guard let number = text.withUTF8({ DecimalNumber($0) }), number.exponent < 0 else {
            return (0, 0)
        }
        var digits = -number.exponent
        var units = number.magnitude
        while digits > 18 {
            units /= 10
            digits -= 1
        }
        return stripped(units % UInt64.powerOfTen(digits), digits: digits)
    }

    /// Returns the fraction in that number of digits, or `nil` if they do not identify the double.
    private static func decimals(
        of magnitude: Double, scale: Double, digits: Int
    ) -> (value: UInt64, digits: Int)? {
        let product = magnitude * scale + 0.5
        guard product < 9_007_199_254_740_992 else { return nil }
        let units = UInt64(product)
        // Below 2⁵³, the quotient is rounded only once, as in reading.
        guard Double(units) / scale == magnitude else { return nil }
        return stripped(units % UInt64(scale), digits: digits)
    }

    private static func stripped(_ value: UInt64, digits: Int) -> (value: UInt64, digits: Int) {
        if value == 0 { return (0, 0) }
        var value = value
        var digits = digits
        while value.isMultiple(of: 10) {
            value /= 10
            digits -= 1
        }
        return (value, digits)
    }
}
