import GraphModel
import GraphStore
import RecordStreams

/// Dates by their pattern, as numbers, or in ISO 8601.
extension ValueCaster {
    func date(_ field: Field) throws(CastFailure) -> BulkCell {
        if let datePattern = rules.datePattern {
            guard isTextOrNumber(field),
                let date = datePattern.read(
                    field.bytes, defaultZoneSeconds: rules.zoneSeconds)
            else {
                throw isTextOrNumber(field)
                    ? noDate(field, datePattern.missing(in: field.bytes), datePattern.wanted)
                    : failure(field, datePattern.wanted)
            }
            return try kept(date, field)
        }
        if let perSecond = rules.epochPerSecond { return try epoch(field, perSecond) }
        guard isText(field),
            let date = ScalarParser.readISODate(
                field.bytes, defaultZoneSeconds: rules.zoneSeconds)
        else { throw noISODate(field) }
        return try kept(date, field)
    }

    /// Returns the failure for a date that does not exist, or for a text that is not a date.
    private func noDate(
        _ field: Field, _ missing: DatePattern.Missing?, _ wanted: String
    ) -> CastFailure {
        guard let missing else { return failure(field, wanted) }
        return CastFailure(
            message: "'\(attribute.name)' is \(Self.show(field)), and there is no such "
                + (missing == .day ? "day" : "time of day"))
    }

    /// Returns a failure that suggests the pattern of the value, if its pattern is unambiguous.
    private func noISODate(_ field: Field) -> CastFailure {
        let example = "an ISO 8601 date such as 2026-11-20"
        guard isText(field) else {
            return failure(field, "\(example) (or say `date:` with its pattern)")
        }
        var forms = DateForms()
        _ = forms.add(field.bytes)
        let pattern = forms.proven.map { "`date: \($0)`" } ?? "`date:` with its pattern"
        let day = ByteView(rebasing: field.bytes.prefix(10))
        return noDate(
            field, Self.isoDay?.missing(in: day), "\(example) (or say \(pattern))")
    }

    /// The pattern is valid, so this is never `nil`.
    private static let isoDay = try? DatePattern(parsing: "yyyy-MM-dd")

    /// Returns a date as a cell.
    ///
    /// If a double cannot hold its fraction of a second, the date is rejected or, if allowed,
    /// rounded.
    @inline(__always)
    private func kept(_ date: ReadDate, _ field: Field) throws(CastFailure) -> BulkCell {
        guard date.isKept || rules.isLossy else {
            throw failure(field, "\(Self.keptDate) (`cast: lossy` rounds)")
        }
        return .real(date.seconds)
    }

    /// The description of a date that can be stored exactly.
    static let keptDate =
        "a date whose fraction of a second is kept, to the microsecond from 1729 to 2272"

    /// The beginning of the year 10000, in seconds since 1970.
    ///
    /// A larger number of seconds is almost always a number of milliseconds.
    private static let secondsMax = 253_402_300_800.0

    /// Converts seconds or milliseconds since 1970 to seconds since 2001.
    func epoch(_ field: Field, _ perSecond: Double) throws(CastFailure) -> BulkCell {
        let unit = perSecond == 1 ? "seconds" : "milliseconds"
        guard isTextOrNumber(field),
            let number = ScalarParser.double(field.bytes), number.magnitude < 3e15 * perSecond
        else { throw failure(field, "a number of \(unit) since 1970") }
        guard perSecond > 1 || number.magnitude < Self.secondsMax else {
            throw failure(
                field,
                "seconds since 1970, up to the year 9999 (milliseconds need "
                    + "`number: milliseconds`)")
        }
        let seconds = (number - 978_307_200 * perSecond) / perSecond
        return .real(min(seconds, Self.endOfSecond(field.bytes, Int64(perSecond))))
    }

    /// Returns the largest double in the second of a number with a decimal point.
    ///
    /// A text such as `1769903999.999999999` has more digits than a double, and the nearest one is
    /// in the next second.
    private static func endOfSecond(_ bytes: ByteView, _ perSecond: Int64) -> Double {
        guard let point = bytes.firstIndex(of: UInt8(ascii: ".")),
            let units = ScalarParser.integer(ByteView(rebasing: bytes[..<point])),
            !bytes.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
        else { return .infinity }
        let hasFraction =
            units % perSecond != 0 || bytes[(point + 1)...].contains { $0 != UInt8(ascii: "0") }
        // Before 1970, the fraction counts up from the second below.
        let isBelow = bytes.first == UInt8(ascii: "-") && hasFraction
        let second = units / perSecond - (isBelow ? 1 : 0)
        return (Double(second - 978_307_200) + 1).nextDown
    }
}

extension DatePattern {
    /// The description of a valid date for messages.
    fileprivate var wanted: String { "a date in the pattern \(text), such as \(example)" }
}
