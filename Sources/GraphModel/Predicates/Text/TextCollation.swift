// `memcmp` of the C library is faster than a loop over bytes.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The orders of UTF-8 strings, for sorting in memory and for SQLite's collations.
///
/// `binary` is byte order. `caseInsensitive` and `caseAndDiacriticInsensitive` are byte order after
/// `TextComparison.folded`: strings that differ in no other way are equal, so the next sort key
/// decides. `LocalizedStandardOrder` describes `localizedStandard`, under which only identical
/// bytes are equal.
///
/// Each order is a total order of the strings that it distinguishes. If both strings are ASCII, or
/// differ only in ASCII characters, no memory is allocated.
package enum TextCollation {
    /// Returns a negative number, zero, or a positive number if left is before, equal to, or after
    /// right.
    ///
    /// - Parameter stop: The flag that stops a long comparison; the result is then arbitrary.
    package static func compare(
        _ left: ByteView, _ right: ByteView, order: GraphSortDescriptor.TextOrder,
        unless stop: (any EvaluationStop)? = nil
    ) -> Int {
        switch order {
        case .binary: bytes(left, right)
        case .caseInsensitive: folded(left, right, .caseInsensitive)
        case .caseAndDiacriticInsensitive:
            folded(left, right, [.caseInsensitive, .diacriticInsensitive])
        case .localizedStandard: LocalizedStandardOrder.compare(left, right, unless: stop)
        }
    }

    /// Returns the byte order, which is the order of Unicode scalars.
    static func bytes(_ left: ByteView, _ right: ByteView) -> Int {
        let count = min(left.count, right.count)
        if count > 0, let left = left.baseAddress, let right = right.baseAddress {
            let order = memcmp(left, right, count)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }

    /// Returns the order after folding.
    ///
    /// Skips the equal start of both strings; the case of ASCII letters counts only if the options
    /// require it. An ASCII difference decides, unless a following mark could compose with one of
    /// the characters. Those strings, and strings with other differences, are folded completely.
    static func folded(
        _ left: ByteView, _ right: ByteView, _ options: ComparisonOptions
    ) -> Int {
        let count = min(left.count, right.count)
        var index = 0
        while index < count {
            let one = left[index]
            let other = right[index]
            index &+= 1
            if one == other { continue }
            guard one < 0x80, other < 0x80 else { return slowFolded(left, right, options) }
            let order =
                options.contains(.caseInsensitive)
                ? Int(lowercased(one)) - Int(lowercased(other)) : Int(one) - Int(other)
            if order == 0 { continue }
            guard isPlain(left, index), isPlain(right, index) else {
                return slowFolded(left, right, options)
            }
            return order < 0 ? -1 : 1
        }
        guard isPlain(left, index), isPlain(right, index) else {
            return slowFolded(left, right, options)
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }

    /// Returns whether no mark can start at the index: the byte is ASCII, or the string ends.
    private static func isPlain(_ bytes: ByteView, _ index: Int) -> Bool {
        index >= bytes.count || bytes[index] < 0x80
    }

    /// Returns the order after folding both strings completely.
    static func slowFolded(
        _ left: ByteView, _ right: ByteView, _ options: ComparisonOptions
    ) -> Int {
        TextComparison.folded(left, options).withUnsafeBufferPointer { left in
            TextComparison.folded(right, options).withUnsafeBufferPointer { bytes(left, $0) }
        }
    }

    /// Returns an ASCII letter in lowercase, and any other byte unchanged.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") <= 25 ? byte | 0x20 : byte
    }
}
