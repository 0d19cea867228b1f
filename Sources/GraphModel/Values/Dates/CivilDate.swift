/// Conversions between dates of the proleptic Gregorian calendar and day numbers.
///
/// The algorithms count in eras of 400 years that start on March 1, so that the leap day is the
/// last day of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
enum CivilDate {
    /// The number of days from 0000-03-01 to 2001-01-01.
    private static let referenceDay = 730_791

    /// Returns the days since 2001-01-01; the year must be within ±10⁹, and month and day must be
    /// valid.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - referenceDay
    }

    /// Returns the year, month, and day for a number of days since 2001-01-01.
    static func date(of day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + referenceDay
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Returns the number of days in the month.
    static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2:
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
                ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the seconds since 2001-01-01 from an integer part and a decimal fraction.
    ///
    /// - Parameters:
    ///   - fraction: The digits after the decimal point, read as an integer below `10^digits`.
    ///   - digits: The number of digits, at most 18.
    /// - Returns: The nearest double; digits that are too small to matter are dropped.
    static func seconds(_ whole: Int, fraction: Int, digits: Int) -> Double {
        if fraction == 0 { return Double(whole) }
        var fraction = fraction
        var digits = digits
        var power = Int.powerOfTen(digits)
        while true {
            let (product, overflow) = whole.multipliedReportingOverflow(by: power)
            let (sum, carry) = product.addingReportingOverflow(fraction)
            if !overflow, !carry,
                let value = DecimalNumber.nearest(UInt64(sum.magnitude), timesTenTo: -digits)
            {
                return sum < 0 ? -value : value
            }
            if digits == 0 { return Double(whole) }
            fraction /= 10
            power /= 10
            digits -= 1
        }
    }
}
