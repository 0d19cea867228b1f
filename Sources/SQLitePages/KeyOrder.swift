/// The order of an index's keys (section 2.4.1), which are records.
package struct KeyOrder: Sendable {
    /// Whether each column is in descending order; the row ID follows them in ascending order.
    private let isDescending: [Bool]

    /// Creates the order of an index with the collation BINARY.
    ///
    /// - Parameter descending: for each column, whether its order is descending; without the row
    ///   ID.
    package init(descending: [Bool]) {
        isDescending = descending
    }

    /// Creates an ascending order.
    package init(columns: Int) {
        isDescending = Array(repeating: false, count: columns)
    }

    /// Whether the prefix contains all columns, so that an exact one decides the order.
    var hasOneColumn: Bool { isDescending.count == 1 }

    /// Returns the start of a key as a number; keys are in the order of these numbers, and keys
    /// with equal numbers must be compared.
    ///
    /// The two high bits are the type: NULL, number, text, blob. Numbers follow as the high bits of
    /// a double, text and blobs by their first bytes.
    ///
    /// - Parameter isExact: set to false if different values have this prefix.
    @inline(__always)
    func prefix(of key: UnsafeRawBufferPointer, isExact: inout Bool) -> UInt64 {
        guard let start = key.baseAddress else { return 0 }
        var fields = FieldReader(start)
        let field = fields.next()
        let prefix = field.prefix(isExact: &isExact)
        return isDescending[0] ? ~prefix : prefix
    }

    /// Compares the columns of two keys, without their row IDs.
    ///
    /// - Returns: a negative number, 0, or a positive number.
    func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Int {
        var lefts = FieldReader(left)
        var permissions = FieldReader(right)
        for isDescending in isDescending {
            let result = Field.compare(lefts.next(), permissions.next())
            if result != 0 { return isDescending ? -result : result }
        }
        return 0
    }

    /// Returns whether a column is NULL; such a key is never a duplicate.
    func hasNull(_ key: UnsafeRawPointer) -> Bool {
        var fields = FieldReader(key)
        return isDescending.contains { _ in fields.next().type == 0 }
    }
}

/// Reads the fields of a record in order.
private struct FieldReader {
    private let start: UnsafeRawPointer
    private var type = 0
    private var body: Int

    @inline(__always)
    init(_ record: UnsafeRawPointer) {
        start = record
        body = Int(record.loadVarint(at: &type))
    }

    @inline(__always)
    mutating func next() -> Field {
        let field = Field(type: start.loadVarint(at: &type), bytes: start + body)
        body += field.byteCount
        return field
    }
}

/// A value in a record: its serial type (2.1) and its bytes.
private struct Field {
    let type: UInt64
    let bytes: UnsafeRawPointer

    @inline(__always)
    var byteCount: Int { type.serialByteCount }

    /// The order of the types: NULL, numbers, text, blobs.
    @inline(__always)
    private var rank: UInt64 {
        if type >= 12 { return type & 1 == 1 ? 2 : 3 }
        return type == 0 ? 0 : 1
    }

    @inline(__always)
    private var integer: Int64 {
        if type == 8 { return 0 }
        if type == 9 { return 1 }
        let count = byteCount
        var value = Int64(bytes.load(as: Int8.self))
        for place in 1..<max(1, count) {
            value = value << 8 | Int64(bytes.load(fromByteOffset: place, as: UInt8.self))
        }
        return value
    }

    private var real: Double { Double(bitPattern: bytes.loadBig64(at: 0)) }

    private static let exactIntegerMax: Int64 = 1 << 50

    @inline(__always)
    func prefix(isExact: inout Bool) -> UInt64 {
        let rank = rank
        switch rank {
        case 0: return 0
        case 1:
            var number: Double
            if type == 7 {
                number = real
                if number.bitPattern & 3 != 0 { isExact = false }
            } else {
                let integer = integer
                number = Double(integer)
                if integer.magnitude >= Self.exactIntegerMax.magnitude { isExact = false }
            }
            // Negative zero equals zero.
            if number == 0 { number = 0 }
            let bits = number.bitPattern
            let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
            return 1 << 62 | ordered >> 2
        default:
            isExact = false
            let count = byteCount
            var first: UInt64 = 0
            if count >= 8 {
                first = bytes.loadBig64(at: 0)
            } else {
                for place in 0..<count {
                    let byte = bytes.load(fromByteOffset: place, as: UInt8.self)
                    first |= UInt64(byte) << UInt64(56 - 8 * place)
                }
            }
            return rank << 62 | first >> 2
        }
    }

    static func compare(_ left: Field, _ right: Field) -> Int {
        let (rank, other) = (left.rank, right.rank)
        guard rank == other else { return rank < other ? -1 : 1 }
        switch rank {
        case 0: return 0
        case 1: return compareNumbers(left, right)
        default:
            let (count, otherCount) = (left.byteCount, right.byteCount)
            let result = memoryOrder(left.bytes, right.bytes, min(count, otherCount))
            return result != 0 ? result : count - otherCount
        }
    }

    private static func compareNumbers(_ left: Field, _ right: Field) -> Int {
        switch (left.type == 7, right.type == 7) {
        case (false, false): order(left.integer, right.integer)
        case (true, true): order(left.real, right.real)
        case (false, true): compare(left.integer, right.real)
        case (true, false): -compare(right.integer, left.real)
        }
    }

    /// Compares without the loss of converting a large integer to a real number.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        // NaN, which SQLite never stores, has no integer either.
        guard real < 0x1p63 else { return -1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        return order(Double(integer), real)
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left < right ? -1 : (left == right ? 0 : 1)
    }
}

/// Compares bytes, eight at a time.
@inline(__always)
private func memoryOrder(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int
) -> Int {
    var place = 0
    while place + 8 <= count {
        let (first, second) = (left.loadBig64(at: place), right.loadBig64(at: place))
        if first != second { return first < second ? -1 : 1 }
        place += 8
    }
    while place < count {
        let first = left.load(fromByteOffset: place, as: UInt8.self)
        let second = right.load(fromByteOffset: place, as: UInt8.self)
        if first != second { return first < second ? -1 : 1 }
        place += 1
    }
    return 0
}
