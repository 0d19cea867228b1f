import GraphModel
import GraphStore
import RecordStreams

/// Dates, by their pattern, as numbers, or as ISO 8601 has them.
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

    /// Tells a date that there is not from a text that is none.
    private func noDate(
        _ field: Field, _ missing: DatePattern.Missing?, _ wanted: String
    ) -> CastFailure {
        guard let missing else { return failure(field, wanted) }
        return CastFailure(
            message: "'\(attribute.name)' is \(Self.show(field)), and there is no such "
                + (missing == .day ? "day" : "time of day"))
    }

    /// Shows the pattern of the value, if it has one that leaves no doubt.
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

    private static let isoDay = try? DatePattern(parsing: "yyyy-MM-dd")

    /// Far from 2001 a double does not hold every fraction of a second.
    @inline(__always)
    private func kept(_ date: ReadDate, _ field: Field) throws(CastFailure) -> BulkCell {
        if date.isKept { return .real(date.seconds) }
        guard rules.isLossy else { throw failure(field, "\(Self.keptDate) (`cast: lossy` rounds)") }
        return .real(date.roundedSeconds)
    }

    /// What a date must be that loses nothing.
    static let keptDate =
        "a date whose fraction of a second is kept, to the microsecond from 1729 to 2272"

    /// Seconds or milliseconds since 1970; dates count from 2001.
    func epoch(_ field: Field, _ perSecond: Double) throws(CastFailure) -> BulkCell {
        let unit = perSecond == 1 ? "seconds" : "milliseconds"
        guard isTextOrNumber(field),
            let number = ScalarParser.double(field.bytes), number.magnitude < 3e15 * perSecond
        else { throw failure(field, "a number of \(unit) since 1970") }
        return .real((number - 978_307_200 * perSecond) / perSecond)
    }
}

extension DatePattern {
    /// What a value must be, in words.
    fileprivate var wanted: String { "a date in the pattern \(text), such as \(example)" }
}
