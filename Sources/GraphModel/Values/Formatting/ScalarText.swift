/// Conversions between values and strings, by the scalar parsers and formatters.
package enum ScalarText {
    /// Returns the seconds since 2001-01-01 UTC, or `nil` if the text is not an ISO 8601 date.
    package static func date(_ text: String) -> Double? {
        withBytes(text) { ScalarParser.isoDate($0) }
    }

    /// Returns the decimal, or `nil` if a double cannot hold it without loss.
    package static func decimal(_ text: String) -> Double? {
        withBytes(text) { ScalarParser.decimal($0) }
    }

    /// Returns the 16 bytes of a UUID, or `nil` if the text is not a UUID.
    package static func uuid(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let isRead = bytes.withUnsafeMutableBufferPointer { destination in
            guard let start = destination.baseAddress else { return false }
            return withBytes(text) { ScalarParser.uuid($0, into: start) }
        }
        return isRead ? bytes : nil
    }

    /// Returns the decoded bytes of base64 text, or `nil` if the text is invalid.
    package static func base64(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: ScalarParser.base64BytesMax(text.utf8.count))
        let count = bytes.withUnsafeMutableBufferPointer { destination in
            withBytes(text) { ScalarParser.base64($0, into: destination) }
        }
        return count.map { Array(bytes.prefix($0)) }
    }

    /// Returns ISO 8601 in UTC, with the fewest fractional digits that parse to an equal value.
    package static func isoDate(_ seconds: Double) -> String {
        written(capacity: ScalarFormatter.isoDateBytesMax) {
            ScalarFormatter.isoDate(seconds, into: $0)
        }
    }

    /// Returns the text of a UUID, or an empty text if there are not 16 bytes.
    package static func uuidText(_ bytes: ByteView) -> String {
        written(capacity: ScalarFormatter.uuidBytes) { ScalarFormatter.uuid(bytes, into: $0) }
    }

    /// Returns base64 text.
    package static func base64Text(_ bytes: ByteView) -> String {
        written(capacity: ScalarFormatter.base64Bytes(bytes.count)) {
            ScalarFormatter.base64(bytes, into: $0)
        }
    }

    /// Returns the shortest text of a number, without a fraction if it is an integer.
    package static func whole(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }

    /// Whether a text begins with a scheme, as a URI does (RFC 3986 section 3.1).
    package static func hasScheme(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic
        else { return false }
        return text[..<colon].unicodeScalars.allSatisfy {
            $0.isASCII
                && ($0.properties.isAlphabetic || "0123456789+-.".unicodeScalars.contains($0))
        }
    }

    private static func withBytes<R>(
        _ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R {
        var copy = text
        return copy.withUTF8(body)
    }

    private static func written(
        capacity: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int
    ) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            String(decoding: buffer.prefix(body(buffer)), as: UTF8.self)
        }
    }
}
