extension DatePattern {
    /// Returns the text of seconds since 2001-01-01 in this pattern, in UTC.
    ///
    /// Fractions are rounded, but never up to the next second. `X` is `Z`. Years outside 0 to 9999
    /// have a sign.
    ///
    /// - Returns: The text, or `nil` if the date is not finite or is more than about 99 million
    ///   years away.
    package func format(_ seconds: Double) -> [UInt8]? {
        guard seconds.magnitude < 3.15e15 else { return nil }
        let whole = seconds.rounded(.down)
        let days = (whole / 86_400).rounded(.down)
        let date = CivilDate.date(of: Int(days))
        let time = Int(whole - days * 86_400)
        var text: [UInt8] = []
        for element in elements {
            switch element {
            case .literal(let byte): text.append(byte)
            case .field(.year, let width): Self.append(year: date.year, width, to: &text)
            case .field(.month, let width): Self.append(date.month, width, to: &text)
            case .field(.day, let width): Self.append(date.day, width, to: &text)
            case .field(.hour, let width): Self.append(time / 3_600, width, to: &text)
            case .field(.clockHour, let width):
                Self.append((time / 3_600 + 11) % 12 + 1, width, to: &text)
            case .field(.dayHalf, _):
                text.append(contentsOf: (time < 43_200 ? "AM" : "PM").utf8)
            case .field(.minute, let width): Self.append(time / 60 % 60, width, to: &text)
            case .field(.second, let width): Self.append(time % 60, width, to: &text)
            case .field(.fraction, let width):
                Self.append(fraction: seconds - whole, width, to: &text)
            case .field(.offset, _): text.append(UInt8(ascii: "Z"))
            }
        }
        return text
    }

    private static func append(_ number: Int, _ width: Int, to text: inout [UInt8]) {
        let digits = String(number)
        for _ in digits.utf8.count..<max(width, digits.utf8.count) {
            text.append(UInt8(ascii: "0"))
        }
        text.append(contentsOf: digits.utf8)
    }

    private static func append(year: Int, _ width: Int, to text: inout [UInt8]) {
        if width == 2 { return append(((year % 100) + 100) % 100, 2, to: &text) }
        if year < 0 { text.append(UInt8(ascii: "-")) }
        if year > 9999 { text.append(UInt8(ascii: "+")) }
        append(abs(year), width, to: &text)
    }

    private static func append(fraction: Double, _ width: Int, to text: inout [UInt8]) {
        var power = 1.0
        for _ in 0..<width { power *= 10 }
        append(Int(min((fraction * power).rounded(), power - 1)), width, to: &text)
    }
}
