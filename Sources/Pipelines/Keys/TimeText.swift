import GraphModel

/// Parses and formats the dates and durations of parameters.
enum TimeText {
    private static let secondsByUnit: [Character: Int64] = [
        "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800,
    ]

    /// Returns a duration such as `30m`, `1h30m`, or `7d` in seconds.
    static func duration(_ text: String) -> Int64? {
        var total: Int64 = 0
        var digits = ""
        guard !text.isEmpty else { return nil }
        for character in text {
            if character.isASCII, character.isNumber {
                digits.append(character)
                continue
            }
            guard let unit = secondsByUnit[character], let number = Int64(digits) else {
                return nil
            }
            let (product, overflow) = number.multipliedReportingOverflow(by: unit)
            let (sum, overflowToo) = total.addingReportingOverflow(product)
            if overflow || overflowToo { return nil }
            total = sum
            digits = ""
        }
        return digits.isEmpty ? total : nil
    }

    /// Parses an ISO 8601 date, or `today` or `now` plus or minus a duration, such as `today -
    /// 90d`.
    ///
    /// The result is in seconds since 2001-01-01 UTC; a day begins at 00:00 UTC.
    static func date(_ text: String, now: Double) -> Double? {
        if let date = ScalarText.date(text) { return date }
        let words = text.split(separator: " ").joined()
        let base: Double
        let rest: Substring
        if words.hasPrefix("today") {
            base = (now / 86_400).rounded(.down) * 86_400
            rest = words.dropFirst("today".count)
        } else if words.hasPrefix("now") {
            base = now
            rest = words.dropFirst("now".count)
        } else {
            return nil
        }
        guard let sign = rest.first else { return base }
        guard sign == "+" || sign == "-", let seconds = duration(String(rest.dropFirst())) else {
            return nil
        }
        return sign == "+" ? base + Double(seconds) : base - Double(seconds)
    }
}

extension Double {
    /// The number of seconds, rounded to milliseconds.
    package var inMilliseconds: Double { (self * 1000).rounded() / 1000 }
}
