/// Converts constants that the language writes as casts, in both directions.
enum PredicateCast {
    /// Returns the value of `CAST(value, type)`, or `nil` if it is not such a constant.
    static func constant(_ value: GraphValue, type: String) -> GraphValue? {
        switch (type, value) {
        case ("NSDate", .integer(let seconds)): return .date(secondsSinceReference: Double(seconds))
        case ("NSDate", .double(let seconds)): return .date(secondsSinceReference: seconds)
        case ("NSDate", .string(let text)):
            return nonFinite(text).map { .date(secondsSinceReference: $0) } ?? date(text)
        case ("NSNumber", .string(let text)):
            return nonFinite(text).map { .double($0) }
        case ("NSUUID", .string(let text)): return uuid(text)
        case ("NSData", .string(let text)):
            return ScalarText.base64(text).map { .binary($0) }
        case ("NSManagedObjectID", .string(let text)): return object(text)
        default: return nil
        }
    }

    /// Returns the number for `nan`, `inf`, or `-inf`, or `nil`.
    private static func nonFinite(_ text: String) -> Double? {
        switch text {
        case "nan": .nan
        case "inf": .infinity
        case "-inf": -.infinity
        default: nil
        }
    }

    static func date(_ text: String) -> GraphValue? {
        ScalarText.date(text).map { .date(secondsSinceReference: $0) }
    }

    static func uuid(_ text: String) -> GraphValue? { ScalarText.uuid(text).map { .uuid($0) } }

    /// Parses a printed object ID: `12/p345` has the entity's number and the primary key.
    private static func object(_ text: String) -> GraphValue? {
        let parts = text.split(separator: "/p", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let entity = Int64(parts[0]), let key = Int64(parts[1])
        else { return nil }
        return .object(ManagedObjectID(entityNumber: entity, primaryKey: key))
    }

    /// Returns a date as a cast that is parsed to an equal value.
    static func text(ofDate seconds: Double) -> String {
        if !seconds.isFinite { return "CAST('\(seconds)', 'NSDate')" }
        let text = ScalarText.isoDate(seconds)
        let isExact = date(text) == .date(secondsSinceReference: seconds)
        return "CAST(\(isExact ? "'\(text)'" : seconds.description), 'NSDate')"
    }

    /// Returns a UUID as a cast; bytes that are not a UUID are printed as binary data.
    static func text(ofUUID bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return text(ofData: bytes) }
        let text = bytes.withUnsafeBufferPointer(ScalarText.uuidText)
        return "CAST('\(text)', 'NSUUID')"
    }

    /// Returns binary data as a cast that is parsed to an equal value.
    static func text(ofData bytes: [UInt8]) -> String {
        "CAST('\(bytes.withUnsafeBufferPointer(ScalarText.base64Text))', 'NSData')"
    }
}
