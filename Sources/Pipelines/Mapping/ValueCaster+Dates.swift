import GraphModel
import GraphStore
import RecordStreams

/// Dates, by their pattern, as numbers, or as ISO 8601 has them.
extension ValueCaster {
    func date(_ field: Field) throws(CastFailure) -> BulkCell {
        if let datePattern = rules.datePattern {
            guard isTextOrNumber(field),
                let seconds = datePattern.parse(
                    field.bytes, defaultZoneSeconds: rules.zoneSeconds)
            else { throw failure(field, "a date in the given pattern") }
            return .real(seconds)
        }
        if let perSecond = rules.epochPerSecond { return try epoch(field, perSecond) }
        guard isText(field),
            let seconds = ScalarParser.isoDate(
                field.bytes, defaultZoneSeconds: rules.zoneSeconds)
        else {
            throw failure(field, "an ISO 8601 date (or say `date:` with its pattern)")
        }
        return .real(seconds)
    }

    /// Seconds or milliseconds since 1970; dates count from 2001.
    func epoch(_ field: Field, _ perSecond: Double) throws(CastFailure) -> BulkCell {
        let unit = perSecond == 1 ? "seconds" : "milliseconds"
        guard isTextOrNumber(field),
            let number = ScalarParser.double(field.bytes), number.magnitude < 3e15 * perSecond
        else { throw failure(field, "a number of \(unit) since 1970") }
        return .real((number - 978_307_200 * perSecond) / perSecond)
    }
}
