/// A date as a text gives it, and whether seconds in a double keep it.
///
/// Below 2³³ seconds around 2001, which is from 1729 to 2272, doubles are less than a microsecond
/// apart. Farther away a text may come back as another one, or in another year:
///
/// | text | written again |
/// |---|---|
/// | `2500-06-01T00:00:00.123456Z` | `2500-06-01T00:00:00.123455Z` |
/// | `9999-12-31T23:59:59.999999Z` | `+10000-01-01T00:00:00Z` |
package struct ReadDate: Sendable, Hashable {
    /// Seconds since 2001-01-01 UTC: the double that is nearest.
    package let seconds: Double
    /// Whether the double is written with the fraction that was read, to the microsecond.
    package let isKept: Bool
    private let wholeSeconds: Int

    private static let exactSecondsMax: UInt = 1 << 33
    private static let digitsMax = 6

    /// A date of whole seconds and the digits behind the point, as `CivilDate.seconds` takes them.
    init(_ wholeSeconds: Int, fraction: Int, digits: Int) {
        let seconds = CivilDate.seconds(wholeSeconds, fraction: fraction, digits: digits)
        self.seconds = seconds
        self.wholeSeconds = wholeSeconds
        isKept =
            fraction == 0 || wholeSeconds.magnitude < Self.exactSecondsMax
            || Self.isWritten(seconds, wholeSeconds, fraction: fraction, digits: digits)
    }

    /// The double for who may lose digits: the nearest one, but never one of the next second.
    package var roundedSeconds: Double {
        seconds < Double(wholeSeconds) + 1 ? seconds : seconds.nextDown
    }

    /// Whether a double is written as these whole seconds and this fraction.
    @inline(never)
    private static func isWritten(
        _ seconds: Double, _ wholeSeconds: Int, fraction: Int, digits: Int
    ) -> Bool {
        var (fraction, digits) = (fraction, digits)
        // Writing leaves out zeros at the end, too.
        while digits > digitsMax || (digits > 0 && fraction.isMultiple(of: 10)) {
            fraction /= 10
            digits -= 1
        }
        let written = ScalarFormatter.dateParts(seconds)
        return written.whole == wholeSeconds && written.fraction == UInt64(fraction)
            && written.digits == digits
    }
}
