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
        case ("NSData", .string(let text)): return binary(text)
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
        withBytes(text) { ScalarParser.isoDate($0) }.map { .date(secondsSinceReference: $0) }
    }

    static func uuid(_ text: String) -> GraphValue? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
            bytes.initialize(repeating: 0)
            guard let start = bytes.baseAddress,
                withBytes(text, { ScalarParser.uuid($0, into: start) })
            else { return nil }
            return .uuid(Array(bytes))
        }
    }

    private static func binary(_ text: String) -> GraphValue? {
        withBytes(text) { source in
            withUnsafeTemporaryAllocation(
                of: UInt8.self, capacity: ScalarParser.base64BytesMax(source.count)
            ) { bytes in
                ScalarParser.base64(source, into: bytes).map { .binary(Array(bytes[..<$0])) }
            }
        }
    }

    /// Parses a printed object ID: `12/p345` has the entity's number and the primary key.
    private static func object(_ text: String) -> GraphValue? {
        let parts = text.split(separator: "/p", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let entity = Int64(parts[0]), let key = Int64(parts[1])
        else { return nil }
        return .object(ManagedObjectID(entityNumber: entity, primaryKey: key))
    }

    /// Returns a date, UUID, object ID, or binary data as a cast that is parsed to an equal value.
    static func text(_ value: GraphValue) -> String? {
        switch value {
        case .date(let seconds):
            if !seconds.isFinite { return "CAST('\(seconds)', 'NSDate')" }
            let text = written(capacity: ScalarFormatter.isoDateBytesMax) {
                ScalarFormatter.isoDate(seconds, into: $0)
            }
            let isExact = date(text) == value
            return "CAST(\(isExact ? "'\(text)'" : seconds.description), 'NSDate')"
        case .uuid(let bytes) where bytes.count == 16:
            let text = written(capacity: ScalarFormatter.uuidBytes) { buffer in
                bytes.withUnsafeBufferPointer { ScalarFormatter.uuid($0, into: buffer) }
            }
            return "CAST('\(text)', 'NSUUID')"
        case .uuid(let bytes), .binary(let bytes):
            let text = written(capacity: ScalarFormatter.base64Bytes(bytes.count)) { buffer in
                bytes.withUnsafeBufferPointer { ScalarFormatter.base64($0, into: buffer) }
            }
            return "CAST('\(text)', 'NSData')"
        case .object(let id):
            return "CAST('\(id.entityNumber)/p\(id.primaryKey)', 'NSManagedObjectID')"
        default: return nil
        }
    }

    static func withBytes<R>(_ text: String, _ body: (ByteView) -> R) -> R {
        var text = text
        return text.withUTF8 { body($0) }
    }

    private static func written(
        capacity: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            let count = body(buffer)
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }
}
