#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

func memoryIsEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    memcmp(a, b, count) == 0
}

/// A 64-bit hash of values by folded multiplication, equal in every run.
///
/// It distributes keys in hash tables that compare the keys they find. It is therefore designed for
/// speed, and does not resist attackers.
struct KeyHash {
    private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    mutating func combine(_ word: UInt64) {
        value = Self.fold(value ^ word, 0xA076_1D64_78BD_642F ^ (value >> 32))
    }

    mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        combine(UInt64(bytes.count))
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            combine(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        guard offset < raw.count else { return }
        var rest: UInt64 = 0
        if offset > 0 {
            // The last eight bytes, without those that are combined already.
            let last = raw.loadUnaligned(fromByteOffset: raw.count - 8, as: UInt64.self)
            rest = UInt64(bigEndian: last) & (1 << UInt64(8 * (raw.count - offset)) - 1)
        } else {
            for byte in raw { rest = rest << 8 | UInt64(byte) }
        }
        combine(rest)
    }

    /// Adds a cell; equal values have equal hashes, even if their columns store them differently.
    mutating func combine(_ cell: BulkCell) {
        switch cell.kind {
        case .absent, .null, .list: combine(0xDEAD)
        case .integer: combine(UInt64(bitPattern: cell.integerValue))
        case .real:
            if let whole = Int64(exactly: cell.realValue) {
                combine(UInt64(bitPattern: whole))
            } else {
                combine(cell.realValue.bitPattern)
            }
        case .text, .blob: combine(cell.bytes)
        }
    }
}
