import TestSeeds
import Testing

@testable import GraphModel

@Suite("Dates from and to text")
struct DateTests {
    @Test(
        "reads ISO 8601",
        arguments: [
            ("2001-01-01", 0), ("2001-01-01T00:00:01Z", 1), ("1970-01-01T00:00:00Z", -978_307_200),
            ("2024-02-29", 730_857_600), ("2023-02-29", nil), ("1900-02-29", nil),
            ("2000-02-29", -26_524_800), ("2024-02-29T12:30:15.5+02:00", 730_895_415.5),
            ("2024-02-29 12:30:15,5+0200", 730_895_415.5), ("2024-02-29t12:30+02", 730_895_400),
            ("2024-02-29T12:30", 730_902_600), ("2024-02-29T12:30:15-05:30", 730_922_415),
            ("2024-02-29T24:00:00", nil), ("2024-02-29T12:60:00", nil),
            ("2024-02-29T12:30:60", nil),
            ("2024-02-29T12", nil), ("2024-02-29T", nil), ("2024-02-29Z", nil), ("2024-2-9", nil),
            ("2024-13-01", nil), ("2024-00-01", nil), ("2024-04-31", nil), ("20240229", nil),
            ("2024-02-29T12:30:15.", nil), ("2024-02-29T12:30:15.5x", nil), ("", nil), ("-", nil),
            ("2024-02-29T12:30:15.5+24:00", nil), ("2024-02-29T12:30:15 Z", nil),
            ("0001-01-01T00:00:00Z", -63_113_904_000), ("+10000-01-01", 252_423_993_600),
            ("-0001-12-31", -63_145_526_400 - 86_400), ("2001-01-01T00:00:00.000001Z", 0.000001),
            ("2024-02-29T12:30:15.123456Z", 730_902_615.123456),
        ] as [(String, Double?)])
    func readsISO(text: String, expected: Double?) {
        #expect(withBytes(text) { ScalarParser.isoDate($0) } == expected)
    }

    @Test("the default time zone applies only if the text names no zone")
    func defaultZone() {
        func seconds(_ text: String) -> Double? {
            withBytes(text) { ScalarParser.readISODate($0, defaultZoneSeconds: 3600)?.seconds }
        }
        #expect(seconds("2001-01-01") == -3600)
        #expect(seconds("2001-01-01T00:00Z") == 0)
    }

    @Test(
        "writes UTC with the fewest fractional digits",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"), (-1, "2000-12-31T23:59:59Z"),
            (730_902_615.123456, "2024-02-29T12:30:15.123456Z"),
            (730_902_615.1234567, "2024-02-29T12:30:15.1234567Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
            (252_423_993_600, "+10000-01-01T00:00:00Z"), (-63_145_526_400, "0000-01-01T00:00:00Z"),
            (-63_145_526_401, "-0001-12-31T23:59:59Z"), (.infinity, ""), (.nan, ""), (1e300, ""),
        ] as [(Double, String)])
    func writesISO(seconds: Double, expected: String) {
        let text = written(capacity: ScalarFormatter.isoDateBytesMax) {
            ScalarFormatter.isoDate(seconds, into: $0)
        }
        #expect(text == expected)
    }

    @Test("every date survives its text form")
    func roundTrips() {
        let seed = TestSeed.ofThisRun
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50_000 {
            let years = Double(Int.random(in: -2_100...9_000, using: &generator))
            let value =
                years * 31_556_952 + Double.random(in: 0..<31_556_952, using: &generator)
            let micro = (value * 1e6).rounded() / 1e6
            for date in [value, micro, value.rounded(.down)] where abs(date) > 1 {
                let text = written { ScalarFormatter.isoDate(date, into: $0) }
                let back = withBytes(text) { ScalarParser.isoDate($0) }
                #expect(back == date, "seed \(seed): \(date) as \(text)")
            }
        }
    }

    @Test(
        "keeps the fraction of a date to the microsecond, or reports that it is not kept",
        arguments: [
            ("2024-02-29T12:30:15.123456Z", true, "2024-02-29T12:30:15.123456Z"),
            ("2272-12-31T23:59:59.999999Z", true, "2272-12-31T23:59:59.999999Z"),
            ("1729-01-01T00:00:00.000001Z", true, "1729-01-01T00:00:00.000001Z"),
            ("2274-01-01T00:00:00.123455Z", false, "2274-01-01T00:00:00.123456Z"),
            ("2500-06-01T00:00:00.123456Z", false, "2500-06-01T00:00:00.123455Z"),
            ("2500-06-01T00:00:00.123455Z", true, "2500-06-01T00:00:00.123455Z"),
            ("2500-06-01T00:00:00.1234550Z", true, "2500-06-01T00:00:00.123455Z"),
            ("2500-06-01T00:00:00.123Z", true, "2500-06-01T00:00:00.123Z"),
            ("2500-06-01T00:00:00.000Z", true, "2500-06-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999Z", true, "9999-12-31T23:59:59.999Z"),
            ("9999-12-31T23:59:59.999999Z", false, "9999-12-31T23:59:59.99997Z"),
            ("9999-12-31T23:59:59.9999999Z", false, "9999-12-31T23:59:59.99997Z"),
            ("9999-12-31T23:59:59+02:00", true, "9999-12-31T21:59:59Z"),
            ("0001-01-01T00:00:00.001Z", true, "0001-01-01T00:00:00.001Z"),
            ("0001-01-01T00:00:00.000001Z", false, "0001-01-01T00:00:00Z"),
            ("1600-01-01T00:00:00.123456Z", false, "1600-01-01T00:00:00.123455Z"),
            ("2026-01-31T23:59:59.99999999Z", true, "2026-01-31T23:59:59.9999999Z"),
            ("2026-01-31T23:59:59.999999999Z", true, "2026-01-31T23:59:59.9999999Z"),
            ("2026-01-31T23:59:59.123456789Z", true, "2026-01-31T23:59:59.1234568Z"),
            ("2272-12-31T23:59:59.999999999Z", true, "2272-12-31T23:59:59.999999Z"),
            ("1999-12-31T23:59:59.999999999999Z", true, "1999-12-31T23:59:59.999999996Z"),
            ("1700-12-31T23:59:59.999999999Z", false, "1700-12-31T23:59:59.999998Z"),
        ])
    func keepsFractions(text: String, isKept: Bool, rounded: String) throws {
        let date = try #require(withBytes(text) { ScalarParser.readISODate($0) })
        #expect(date.isKept == isKept)
        #expect(written { ScalarFormatter.isoDate(date.seconds, into: $0) } == rounded)
        let iso = try DatePattern(parsing: "yyyy-MM-dd'T'HH:mm:ss.SSSSSSX")
        if let same = withBytes(text, { iso.read($0) }) { #expect(same == date) }
    }

    @Test("every day of 2,000 years survives the conversion to a date and back")
    func days() {
        for day in -365_000...365_000 {
            let date = CivilDate.date(of: day)
            let back = CivilDate.day(year: date.year, month: date.month, day: date.day)
            if back != day || date.day > CivilDate.daysInMonth(date.month, year: date.year) {
                Issue.record("day \(day) is \(date), back \(back)")
                return
            }
        }
    }

    @Test(
        "reads dates by patterns",
        arguments: [
            ("yyyy-MM-dd", "2024-02-29", 730_857_600), ("yyyy-MM-dd", "2024-2-29", nil),
            ("d.M.yyyy", "29.2.2024", 730_857_600), ("d.M.yyyy", "29.02.2024", 730_857_600),
            ("dd/MM/yy", "29/02/24", 730_857_600), ("dd/MM/yy", "30/02/24", nil),
            ("d.M.yy", "1.1.00", -31_622_400), ("d.M.yy", "31.12.49", 1_546_214_400),
            ("d.M.yy", "1.1.50", -1_609_459_200), ("d.M.yy", "31.12.99", -31_708_800),
            ("yyyyMMddHHmmss", "20240229123015", 730_902_615),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSX", "2024-02-29T12:30:15.500+02", 730_895_415.5),
            ("h:mm a, d 'o''clock' M y", "12:05 AM, 1 o'clock 1 2001", 300),
            ("h:mm a d/M/y", "12:05 pm 1/1/2001", 43_500),
            ("h:mm a d/M/y", "13:05 pm 1/1/2001", nil),
            ("yyyy", "2001", 0), ("yyyy", "2001x", nil), ("yyyy", "", nil),
        ] as [(String, String, Double?)])
    func readsPatterns(pattern: String, text: String, expected: Double?) throws {
        let pattern = try DatePattern(parsing: pattern)
        #expect(withBytes(text) { pattern.parse($0) } == expected)
    }

    @Test(
        "suggests the date pattern that was probably meant",
        arguments: [
            ("dd.mm.yyyy", "dd.MM.yyyy"), ("DD.MM.YYYY", "dd.MM.yyyy"),
            ("yyyy-mm-dd HH:MM", "yyyy-MM-dd HH:mm"),
            ("yyyy-MM-dd HH:MM:SS", "yyyy-MM-dd HH:mm:ss"),
            ("dd/MM/yyyy hh:mm", "dd/MM/yyyy HH:mm"), ("MM/dd/yyyy hh:MM a", "MM/dd/yyyy hh:mm a"),
            ("YYYY-MM-DD'T'HH:mm", "yyyy-MM-dd'T'HH:mm"), ("yyyy-QQ", nil), ("dd.MM", nil),
            ("yyyy-MM-dd mm", nil),
            ("%d.%m.%Y", "dd.MM.yyyy"), ("%Y-%m-%d %H:%M:%S", "yyyy-MM-dd HH:mm:ss"),
            ("%d %b", nil),
        ] as [(String, String?)])
    func corrections(pattern: String, meant: String?) {
        let error = #expect(throws: DatePattern.ParsingError.self) {
            try DatePattern(parsing: pattern)
        }
        #expect(error?.correction == meant)
    }

    @Test("distinguishes a day or time that does not exist from text that is not a date")
    func missing() throws {
        let pattern = try DatePattern(parsing: "dd.MM.yyyy HH:mm")
        func missing(_ text: String) -> DatePattern.Missing? {
            withBytes(text) { pattern.missing(in: $0) }
        }
        #expect(missing("31.02.2026 10:00") == .day)
        #expect(missing("01.13.2026 10:00") == .day)
        #expect(missing("01.12.2026 24:00") == .time)
        #expect(missing("01.12.2026 10:00") == nil)
        #expect(missing("2026-02-31") == nil)
        #expect(pattern.example == "20.11.2026 14:30")
    }

    @Test(
        "rejects invalid date patterns with the location",
        arguments: [
            (
                "yyyy-QQ", 5,
                "A date pattern cannot have 2 of the letter 'Q'; quote it if it is literal text"
            ),
            ("yyyy MM yy", 8, "The date pattern has the letter 'y' twice"),
            ("yyyy'T", 4, "The quoted text in the date pattern is not closed"),
            ("dd.MM", 0, "The date pattern has no year (y)"),
            ("yyyy h", 0, "In a date pattern, h (1 to 12) and a (AM or PM) go together"),
            (
                "dd.mm.yyyy", 0,
                "The date pattern has minutes (m) and no hour; the month is M"
            ),
            (
                "DD.MM.YYYY", 0,
                "A date pattern cannot have 2 of the letter 'D'; the day of the month is d"
            ),
            (
                "dd.MM.YYYY", 6, "A date pattern cannot have 4 of the letter 'Y'; the year is y"
            ),
            (
                "yyyy-mm-dd HH:MM", 0,
                "The date pattern has months (M) after the hour; minutes are m"
            ),
            (
                "yyyyMMdd HH:mm:SS", 0,
                "The date pattern has a fraction (S) and no second; the second is s"
            ),
        ])
    func refusesPatterns(pattern: String, offset: Int, message: String) {
        let error = #expect(throws: DatePattern.ParsingError.self) {
            try DatePattern(parsing: pattern)
        }
        #expect(error?.byteOffset == offset)
        #expect(error?.description == message)
    }
}
