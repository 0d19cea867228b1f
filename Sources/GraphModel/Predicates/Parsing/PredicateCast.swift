/// Constants that the language writes as casts, both ways.
enum PredicateCast {
    /// The value of `CAST(value, type)`; nil where the value is no such constant.
    static func constant(_ value: GraphValue, type: String) -> GraphValue? {
        switch (type, value) {
        case ("NSDate", .integer(let seconds)): return .date(secondsSinceReference: Double(seconds))
        case ("NSDate", .double(let seconds)): return .date(secondsSinceReference: seconds)
        case ("NSDate", .string(let text)): return date(text)
        case ("NSUUID", .string(let text)): return uuid(text)
        case ("NSData", .string(let text)): return binary(text)
        default: return nil
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

    /// A date, UUID or bytes as a cast that reads back equal.
    static func text(_ value: GraphValue) -> String? {
        switch value {
        case .date(let seconds):
            let text = written(capacity: ScalarFormatter.isoDateBytesMax) {
                ScalarFormatter.isoDate(seconds, into: $0)
            }
            let isExact = date(text) == value
            return "CAST(\(isExact ? "'\(text)'" : seconds.description), 'NSDate')"
        case .uuid(let bytes):
            let text = written(capacity: ScalarFormatter.uuidBytes) { buffer in
                bytes.withUnsafeBufferPointer { ScalarFormatter.uuid($0, into: buffer) }
            }
            return "CAST('\(text)', 'NSUUID')"
        case .binary(let bytes):
            let text = written(capacity: ScalarFormatter.base64Bytes(bytes.count)) { buffer in
                bytes.withUnsafeBufferPointer { ScalarFormatter.base64($0, into: buffer) }
            }
            return "CAST('\(text)', 'NSData')"
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
