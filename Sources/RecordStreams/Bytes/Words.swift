/// Searching eight bytes at a time, in plain registers.
///
/// `x - 0x01…01` borrows into the high bit of a byte that is zero, so after an exclusive or with a
/// repeated byte the high bits mark where that byte stands. Marks above the first may be wrong,
/// because borrows travel upward; the first one is always right, and only the first is used. See
/// "Bit Twiddling Hacks", section "Determine if a word has a zero byte".
enum Words {
    /// The bytes at an address as a word whose lowest byte comes first.
    @inline(__always)
    static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
    }

    /// A word of eight times that byte.
    @inline(__always)
    static func repeating(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    @inline(__always) static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inline(__always) static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// The first byte that ends a run of plain ASCII in a JSON string: a quote, a backslash, a
    /// control character or a byte above 0x7F.
    ///
    /// Something of that kind must follow the end of the data.
    @inline(__always)
    static func endOfPlainText(_ start: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var position = start
        while true {
            let word = load(position)
            let controls = word &- 0x2020_2020_2020_2020
            let quotes = (word ^ 0x2222_2222_2222_2222) &- ones
            let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- ones
            let marks = (controls | quotes | backslashes | word) & highBits
            if marks != 0 { return position + (marks.trailingZeroBitCount &>> 3) }
            position += 8
        }
    }
}

/// Sixteen bytes at a time, in vector registers.
///
/// Both sides of a comparison are vectors: with a plain number on one side the standard library
/// compares byte by byte.
struct ByteBlock {
    static let byteCount = 16

    /// The bytes, which a caller may also collect by `|`.
    let bytes: SIMD16<UInt8>

    /// The bytes at an address.
    @inline(__always)
    init(_ pointer: UnsafePointer<UInt8>) {
        bytes = UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// Writes the bytes to an address.
    @inline(__always)
    func store(to pointer: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(pointer).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
    }

    /// Where the bytes equal that one.
    @inline(__always)
    func equals(_ byte: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> { bytes .== byte }

    /// The index of the first byte that a mask has set, or nil.
    @inline(__always)
    static func first(in mask: SIMDMask<SIMD16<Int8>>) -> Int? {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        guard low | high != 0 else { return nil }
        return low != 0
            ? low.trailingZeroBitCount &>> 3 : 8 &+ (high.trailingZeroBitCount &>> 3)
    }

    /// Whether one of the bytes is above 0x7F.
    @inline(__always)
    static func hasHighByte(_ bytes: SIMD16<UInt8>) -> Bool {
        let halves = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & Words.highBits != 0
    }
}
