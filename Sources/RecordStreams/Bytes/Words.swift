/// Searches eight bytes at a time in plain registers.
///
/// `x - 0x01…01` borrows into the high bit of a byte that is zero. After an exclusive or with a
/// repeated byte, the high bits therefore mark the positions of that byte. Marks above the first
/// can be wrong, because borrows propagate upward. The first one is always right, and only it is
/// used. See "Bit Twiddling Hacks", section "Determine if a word has a zero byte".
enum Words {
    /// Loads eight bytes as a word; the first byte is the lowest.
    @inline(__always)
    static func load(_ pointer: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
    }

    /// Returns a word that repeats a byte eight times.
    @inline(__always)
    static func repeating(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    @inline(__always) static var ones: UInt64 { 0x0101_0101_0101_0101 }
    @inline(__always) static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    /// Returns the first byte that ends a run of plain ASCII in a JSON string: a quote, a
    /// backslash, a control character, or a byte above 0x7F.
    ///
    /// A byte of this kind must follow the end of the data.
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

/// Sixteen bytes in a vector register.
///
/// Both sides of a comparison must be vectors: with a scalar on one side, the standard library
/// compares byte by byte.
struct ByteBlock {
    static let byteCount = 16

    /// The bytes; a caller can also combine them with `|`.
    let bytes: SIMD16<UInt8>

    /// Loads sixteen bytes from an address.
    @inline(__always)
    init(_ pointer: UnsafePointer<UInt8>) {
        bytes = UnsafeRawPointer(pointer).loadUnaligned(as: SIMD16<UInt8>.self)
    }

    /// Stores the bytes at an address.
    @inline(__always)
    func store(to pointer: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(pointer).storeBytes(of: bytes, as: SIMD16<UInt8>.self)
    }

    /// Returns a mask of the bytes that equal `byte`.
    @inline(__always)
    func equals(_ byte: SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>> { bytes .== byte }

    /// Returns the index of the first byte that is set in a mask, or `nil` if there is none.
    @inline(__always)
    static func first(in mask: SIMDMask<SIMD16<Int8>>) -> Int? {
        let halves = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        let low = UInt64(littleEndian: halves[0])
        let high = UInt64(littleEndian: halves[1])
        guard low | high != 0 else { return nil }
        return low != 0
            ? low.trailingZeroBitCount &>> 3 : 8 &+ (high.trailingZeroBitCount &>> 3)
    }

    /// Returns whether any byte is above 0x7F.
    @inline(__always)
    static func hasHighByte(_ bytes: SIMD16<UInt8>) -> Bool {
        let halves = unsafeBitCast(bytes, to: SIMD2<UInt64>.self)
        return (halves[0] | halves[1]) & Words.highBits != 0
    }
}
