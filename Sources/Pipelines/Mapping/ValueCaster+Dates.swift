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
            else { throw failure(field, "a date in the given pattern") }
            return try kept(date, field)
        }
        if let perSecond = rules.epochPerSecond { return try epoch(field, perSecond) }
        guard isText(field),
            let date = ScalarParser.readISODate(
                field.bytes, defaultZoneSeconds: rules.zoneSeconds)
        else {
            throw failure(field, "an ISO 8601 date (or say `date:` with its pattern)")
        }
        return try kept(date, field)
    }

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
