/// Converts text of another encoding to UTF-8, piece by piece.
///
/// Invalid text, such as a lone surrogate or half a code unit at the end, becomes a byte that never
/// occurs in UTF-8. Only its record is rejected.
struct TextTranscoder {
    private static let pieceBytes = 32 * 1024
    /// The byte for invalid text, which never occurs in UTF-8.
    private static let badByte: UInt8 = 0xFF

    private let encoding: TextEncoding
    private let piece: UnsafeMutablePointer<UInt8>
    /// The UTF-8 bytes that are not read yet.
    private var ready: [UInt8] = []
    private var taken = 0
    private var isAtEnd = false

    /// The first byte of a code unit whose second byte is not read yet.
    private var halfUnit: UInt8?
    private var highSurrogate: UInt32?
    private var isBigEndian = false
    private var isAtStart = true

    init(_ encoding: TextEncoding, piece: UnsafeMutablePointer<UInt8>) {
        self.encoding = encoding
        self.piece = piece
    }

    /// Allocates the memory for `init`, which its owner must deallocate.
    static func makePiece() -> UnsafeMutablePointer<UInt8> { .allocate(capacity: pieceBytes) }

    /// Fills a buffer with UTF-8; returns 0 at the end.
    ///
    /// - Parameter source: returns the next unconverted bytes, 0 at the end.
    mutating func read(
        into target: UnsafeMutablePointer<UInt8>, count: Int,
        from source: (UnsafeMutablePointer<UInt8>, Int) throws(RecordStreamError) -> Int
    ) throws(RecordStreamError) -> Int {
        while taken == ready.count, !isAtEnd {
            ready.removeAll(keepingCapacity: true)
            taken = 0
            let length = try source(piece, Self.pieceBytes)
            isAtEnd = length == 0
            let bytes = UnsafeBufferPointer(start: piece, count: length)
            switch encoding {
            case .utf8: ready.append(contentsOf: bytes)
            case .latin1: for byte in bytes { append(UInt32(byte)) }
            case .windows1252: for byte in bytes { add(windows: byte) }
            case .utf16:
                for byte in bytes { add(byte) }
                if isAtEnd { finish() }
            }
        }
        let length = min(count, ready.count - taken)
        ready.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { target.update(from: base + taken, count: length) }
        }
        taken += length
        return length
    }

    // MARK: Windows-1252 (https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT)

    /// The code points of the bytes 0x80 to 0x9F; 0 for an undefined byte.
    private static let windows: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ]

    private mutating func add(windows byte: UInt8) {
        guard 0x80..<0xA0 ~= byte else { return append(UInt32(byte)) }
        let scalar = Self.windows[Int(byte) - 0x80]
        if scalar == 0 { ready.append(Self.badByte) } else { append(scalar) }
    }

    // MARK: UTF-16 (RFC 2781)

    private mutating func add(_ byte: UInt8) {
        guard let first = halfUnit else {
            halfUnit = byte
            return
        }
        halfUnit = nil
        if isAtStart {
            isAtStart = false
            if first == 0xFE, byte == 0xFF {
                isBigEndian = true
                return
            }
            if first == 0xFF, byte == 0xFE { return }
        }
        add(
            unit: isBigEndian
                ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first))
    }

    private mutating func add(unit: UInt32) {
        if let high = highSurrogate {
            highSurrogate = nil
            if unit & 0xFC00 == 0xDC00 {
                return append(0x10000 + ((high & 0x3FF) << 10 | unit & 0x3FF))
            }
            ready.append(Self.badByte)
        }
        switch unit & 0xFC00 {
        case 0xD800: highSurrogate = unit
        case 0xDC00: ready.append(Self.badByte)
        default: append(unit)
        }
    }

    private mutating func finish() {
        if highSurrogate != nil || halfUnit != nil { ready.append(Self.badByte) }
        highSurrogate = nil
        halfUnit = nil
    }

    private mutating func append(_ scalar: UInt32) {
        switch scalar {
        case 0..<0x80: ready.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            ready.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            ready.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            ready.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            ready.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        }
    }
}
