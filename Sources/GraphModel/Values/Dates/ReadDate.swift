/// A date read from a text, and whether seconds in a double keep its fraction.
///
/// Within 2³³ seconds of 2001, from 1729 to 2272, adjacent doubles are less than a microsecond
/// apart. Farther away, the text that is written again can have another fraction, or even another
/// year:
///
/// | text | written again |
/// |---|---|
/// | `2500-06-01T00:00:00.123456Z` | `2500-06-01T00:00:00.123455Z` |
/// | `9999-12-31T23:59:59.999999Z` | `+10000-01-01T00:00:00Z` |
package struct ReadDate: Sendable, Hashable {
    /// The seconds since 2001-01-01 UTC, as the nearest double that is not in the next second.
    ///
    /// The last moment of a day, `23:59:59.999999999`, is thus never in the next day.
    package let seconds: Double
    /// Whether the double is written with the same fraction, to the microsecond.
    package let isKept: Bool

    private static let exactSecondsMax: UInt = 1 << 33
    private static let digitsMax = 6

    /// Creates a date from integer seconds and a fraction, as `CivilDate.seconds` does.
    init(_ wholeSeconds: Int, fraction: Int, digits: Int) {
        let nearest = CivilDate.seconds(wholeSeconds, fraction: fraction, digits: digits)
        let isInSecond = fraction == 0 || nearest < Double(wholeSeconds) + 1
        seconds = isInSecond ? nearest : nearest.nextDown
        isKept =
            fraction == 0 || wholeSeconds.magnitude < Self.exactSecondsMax
            || Self.isWritten(seconds, wholeSeconds, fraction: fraction, digits: digits)
    }

    /// Returns whether a double is written with this integer part and this fraction.
    @inline(never)
    private static func isWritten(
        _ seconds: Double, _ wholeSeconds: Int, fraction: Int, digits: Int
    ) -> Bool {
        var (fraction, digits) = (fraction, digits)
        // Writing omits trailing zeros, too.
        while digits > digitsMax || (digits > 0 && fraction.isMultiple(of: 10)) {
            fraction /= 10
            digits -= 1
        }
        let written = ScalarFormatter.dateParts(seconds)
        return written.whole == wholeSeconds && written.fraction == UInt64(fraction)
            && written.digits == digits
    }
}
