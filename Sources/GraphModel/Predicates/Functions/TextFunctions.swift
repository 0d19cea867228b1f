/// Functions from string to string, on UTF-8 bytes.
package enum TextFunctions {
    /// Returns a string in lowercase or uppercase, by Unicode's full mappings.
    package static func cased(
        _ bytes: ByteView, upper: Bool, _ arena: EvaluationArena
    ) -> ByteView {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            let first = upper ? UInt8(ascii: "a") : UInt8(ascii: "A")
            let block = arena.allocate(bytes.count)
            for (index, byte) in bytes.enumerated() {
                block.initializeElement(at: index, to: byte &- first <= 25 ? byte ^ 0x20 : byte)
            }
            return ByteView(block)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return arena.store((upper ? text.uppercased() : text.lowercased()).utf8)
    }

    /// Returns the part of a string in a range of UTF-16 units, as in Foundation.
    ///
    /// The range is clamped to the string. A character of two units is in the result only if both
    /// units are in the range.
    ///
    /// - Parameter length: The number of units; `nil` is the rest of the string.
    static func substring(_ bytes: ByteView, from start: Int, length: Int?) -> ByteView {
        let (sum, overflow) = start.addingReportingOverflow(max(0, length ?? Int.max))
        let end = length == nil || overflow ? Int.max : sum
        var unit = 0
        var index = 0
        var first = bytes.count
        var last = bytes.count
        while index < bytes.count {
            if unit >= start, first == bytes.count { first = index }
            let byte = bytes[index]
            let units = byte >= 0xF0 ? 2 : 1
            if unit + units > end {
                last = index
                break
            }
            unit += units
            index += 1
            while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
        }
        return ByteView(rebasing: bytes[min(first, last)..<last])
    }

    /// Replaces every occurrence of a string, from left to right.
    static func replacing(
        _ bytes: ByteView, _ target: ByteView, _ replacement: ByteView, _ arena: EvaluationArena
    ) -> ByteView {
        guard var found = TextComparison.firstIndex(of: target, in: bytes) else { return bytes }
        var result: [UInt8] = []
        var start = 0
        while true {
            result.append(contentsOf: bytes[start..<found])
            result.append(contentsOf: replacement)
            start = found + target.count
            guard let next = TextComparison.firstIndex(of: target, in: bytes, from: start) else {
                break
            }
            found = next
        }
        result.append(contentsOf: bytes[start...])
        return arena.store(result)
    }

    /// Returns a string without white space (as in Unicode) at both ends.
    package static func trimmed(_ bytes: ByteView) -> ByteView {
        var start = 0
        var end = bytes.count
        while start < end {
            let length = whiteSpace(bytes, from: start, to: end, atEnd: false)
            if length == 0 { break }
            start += length
        }
        while end > start {
            let length = whiteSpace(bytes, from: start, to: end, atEnd: true)
            if length == 0 { break }
            end -= length
        }
        return ByteView(rebasing: bytes[start..<end])
    }

    /// Returns a string with each run of white space replaced by one space.
    package static func collapsed(_ bytes: ByteView, _ arena: EvaluationArena) -> ByteView {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let length = whiteSpace(bytes, from: index, to: bytes.count, atEnd: false)
            if length == 0 {
                result.append(bytes[index])
                index += 1
            } else {
                let isFirst = index == 0 || result.last != UInt8(ascii: " ")
                if isFirst { result.append(UInt8(ascii: " ")) }
                index += length
            }
        }
        return arena.store(result)
    }

    /// Returns the number of bytes of the white space character at one end, or 0.
    private static func whiteSpace(
        _ bytes: ByteView, from start: Int, to end: Int, atEnd: Bool
    ) -> Int {
        let edge = bytes[atEnd ? end - 1 : start]
        if edge < 0x80 { return Unicode.Scalar(edge).properties.isWhitespace ? 1 : 0 }
        // Other white space has two or three bytes in UTF-8.
        for length in 2...3 where length <= end - start {
            let first = atEnd ? end - length : start
            let (scalar, count) = ScalarDecoder.scalar(bytes, first)
            if count == length, scalar.properties.isWhitespace { return length }
        }
        return 0
    }
}
