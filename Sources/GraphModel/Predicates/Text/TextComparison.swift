// `memchr` of the C library is faster than a loop over bytes.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Comparisons of UTF-8 strings, byte by byte unless options require folding.
package enum TextComparison {
    /// Returns a string folded by the options, for a comparison of bytes.
    ///
    /// `[d]` removes the nonspacing marks from the decomposed string. `[c]` maps every scalar to
    /// uppercase and then to lowercase. The result is composed (NFC).
    package static func folded(_ bytes: ByteView, _ options: ComparisonOptions) -> [UInt8] {
        if isASCII(bytes) {
            guard options.contains(.caseInsensitive) else { return Array(bytes) }
            return bytes.map(TextCollation.lowercased)
        }
        return simplyFolded(bytes, options) ?? composed(bytes, options)
    }

    /// Returns any string folded, using its decomposition.
    static func composed(_ bytes: ByteView, _ options: ComparisonOptions) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        var folded: [Unicode.Scalar] = []
        folded.reserveCapacity(bytes.count)
        CanonicalForm.decompose(text.unicodeScalars) { scalar in
            if options.contains(.diacriticInsensitive),
                scalar.properties.generalCategory == .nonspacingMark
            {
                return true
            }
            guard options.contains(.caseInsensitive) else {
                folded.append(scalar)
                return true
            }
            for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                folded.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
            }
            return true
        }
        var composed: [UInt8] = []
        composed.reserveCapacity(bytes.count)
        for scalar in CanonicalForm.composed(folded) {
            composed.append(contentsOf: UTF8.encode(scalar) ?? .init())
        }
        return composed
    }

    /// Returns whether the operator holds between two strings.
    ///
    /// - Parameter op: Equality, CONTAINS, BEGINSWITH, ENDSWITH, or LIKE; the result is false for
    ///   others.
    package static func holds(
        _ op: ComparisonOperator, _ left: ByteView, _ right: ByteView, _ options: ComparisonOptions
    ) -> Bool {
        if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
            return holds(op, left, right)
        }
        if op == .equal { return TextCollation.folded(left, right, options) == 0 }
        return folded(left, options).withUnsafeBufferPointer { left in
            folded(right, options).withUnsafeBufferPointer { holds(op, left, $0) }
        }
    }

    /// Returns a negative number, zero, or a positive number if left is before, equal to, or after
    /// right.
    package static func order(
        _ left: ByteView, _ right: ByteView, _ options: ComparisonOptions
    ) -> Int {
        if options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive]) {
            return TextCollation.bytes(left, right)
        }
        return TextCollation.folded(left, right, options)
    }

    private static func holds(
        _ op: ComparisonOperator, _ left: ByteView, _ right: ByteView
    ) -> Bool {
        switch op {
        case .equal: return left.count == right.count && matches(left, right, at: 0)
        case .beginsWith: return !right.isEmpty && matches(left, right, at: 0)
        case .endsWith: return !right.isEmpty && matches(left, right, at: left.count - right.count)
        case .contains: return firstIndex(of: right, in: left) != nil
        case .like: return like(left, right)
        default: return false
        }
    }

    /// Returns the first position of the part from an index on, or `nil`; an empty part is never
    /// found.
    ///
    /// - Complexity: O(the length of the text).
    static func firstIndex(of part: ByteView, in text: ByteView, from start: Int = 0) -> Int? {
        guard let first = part.first, let base = text.baseAddress,
            text.count - start >= part.count
        else { return nil }
        if part.count > shortPartMax { return firstIndex(ofLong: part, in: text, from: start) }
        let last = text.count - part.count
        var index = start
        // At nearly every position, the first byte already differs.
        while index <= last, let found = memchr(base + index, Int32(first), last - index + 1) {
            index = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if matches(text, part, at: index) { return index }
            index &+= 1
        }
        return nil
    }

    /// The maximum length of parts that are compared at each position.
    package static let shortPartMax = 32

    /// Searches with the Knuth-Morris-Pratt algorithm, which reads each byte of the text once.
    private static func firstIndex(
        ofLong part: ByteView, in text: ByteView, from start: Int
    ) -> Int? {
        // For each length of a match, the length of the longest shorter match with the same end.
        var shorter = [Int32](repeating: 0, count: part.count)
        var length = 0
        for index in 1..<part.count {
            while length > 0, part[index] != part[length] { length = Int(shorter[length - 1]) }
            if part[index] == part[length] { length += 1 }
            shorter[index] = Int32(length)
        }
        length = 0
        for index in start..<text.count {
            while length > 0, text[index] != part[length] { length = Int(shorter[length - 1]) }
            if text[index] == part[length] { length += 1 }
            if length == part.count { return index + 1 - length }
        }
        return nil
    }

    private static func matches(_ text: ByteView, _ part: ByteView, at start: Int) -> Bool {
        guard start >= 0, text.count - start >= part.count else { return false }
        for index in 0..<part.count where text[start + index] != part[index] { return false }
        return true
    }

    /// Returns whether the pattern matches the complete text.
    ///
    /// `*` is any run, `?` is one scalar, and a backslash escapes. On a mismatch, the last `*`
    /// takes one scalar more. This can take as many steps as the product of the lengths, so after
    /// some steps per byte, `LikeSearch` starts again.
    static func like(_ text: ByteView, _ pattern: ByteView) -> Bool {
        var position = 0
        var index = 0
        var lastStar: (index: Int, position: Int)?
        var stepsLeft = 1_024 + 8 * (text.count + pattern.count)
        while position < text.count || index < pattern.count {
            stepsLeft -= 1
            guard stepsLeft > 0 else { return LikeSearch.matches(text, pattern) }
            if index < pattern.count {
                let byte = pattern[index]
                if byte == UInt8(ascii: "*") {
                    index += 1
                    lastStar = (index, position)
                    continue
                }
                if position < text.count {
                    if byte == UInt8(ascii: "?") {
                        index += 1
                        position += ScalarDecoder.scalar(text, position).length
                        continue
                    }
                    let isEscape = byte == UInt8(ascii: "\\") && index + 1 < pattern.count
                    if text[position] == (isEscape ? pattern[index + 1] : byte) {
                        index += isEscape ? 2 : 1
                        position += 1
                        continue
                    }
                }
            }
            guard let star = lastStar, star.position < text.count else { return false }
            index = star.index
            position = star.position + ScalarDecoder.scalar(text, star.position).length
            lastStar = (index, position)
        }
        return true
    }

    private static func isASCII(_ bytes: ByteView) -> Bool {
        var all: UInt8 = 0
        for byte in bytes { all |= byte }
        return all < 0x80
    }
}
