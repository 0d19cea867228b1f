// The C library's memory comparison is faster than a loop over bytes.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Orders text in UTF-8, for sorting in memory and for SQLite's collations alike.
///
/// `binary` is byte order. `caseInsensitive` and `caseAndDiacriticInsensitive` are byte order
/// after `TextComparison.folded`: texts that differ in nothing else are equal, so that the next
/// sort key decides between them. `localizedStandard` is described at `LocalizedStandardOrder`;
/// under it only the same bytes are equal.
///
/// Each is a total order of the texts it holds apart. Nothing is allocated while both texts are
/// ASCII, or differ from each other in ASCII characters only.
package enum TextCollation {
    /// Negative, zero or positive as the first comes before, beside or after the second.
    ///
    /// - Parameter stop: When it is raised, a comparison that takes long ends with any result.
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

    /// Byte order, which is the order of Unicode scalars.
    static func bytes(_ left: ByteView, _ right: ByteView) -> Int {
        let count = min(left.count, right.count)
        if count > 0, let left = left.baseAddress, let right = right.baseAddress {
            let order = memcmp(left, right, count)
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return left.count < right.count ? -1 : left.count > right.count ? 1 : 0
    }

    /// The order after folding.
    ///
    /// Walks while the texts are the same, but for the case of ASCII letters where that does not
    /// matter. An ASCII difference decides, unless a mark may follow that composes with one of the
    /// characters; such texts, and those that differ in others, are folded whole.
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

    /// Whether what starts at the index can be no mark: it is ASCII, or the end.
    private static func isPlain(_ bytes: ByteView, _ index: Int) -> Bool {
        index >= bytes.count || bytes[index] < 0x80
    }

    /// The order after folding both texts.
    static func slowFolded(
        _ left: ByteView, _ right: ByteView, _ options: ComparisonOptions
    ) -> Int {
        TextComparison.folded(left, options).withUnsafeBufferPointer { left in
            TextComparison.folded(right, options).withUnsafeBufferPointer { bytes(left, $0) }
        }
    }

    /// An ASCII letter in lower case; other bytes as they are.
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") <= 25 ? byte | 0x20 : byte
    }
}
