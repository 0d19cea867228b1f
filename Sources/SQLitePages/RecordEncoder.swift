/// How a column stores numbers.
package enum NumberAffinity: Sendable, Hashable {
    /// INTEGER and NUMERIC: an integral real number becomes an integer.
    case numeric
    /// REAL: an integral real number is stored as an integer of at most six bytes.
    case real
    /// BLOB and TEXT: a number is stored as given.
    ///
    /// A column with TEXT affinity stores numbers as text, so add text to it.
    case none
}

/// Encodes records (section 2.1): rows of tables, and keys of indexes.
///
/// ```
/// encoder.begin(columns: 3)
/// encoder.addNull()          // the alias of the row ID
/// encoder.add(1)
/// encoder.add(text: bytes)
/// try table.add(rowID: 7, encoder.finish())
/// ```
/// Values must have the column's type already: SQLite converts a text that looks like a number in a
/// column with numeric affinity, and this type does not.
package struct RecordEncoder: ~Copyable {
    private static let varintBytesMax = 9

    private var room: UnsafeMutableRawPointer
    private var capacity: Int
    private var bodyStart = 0
    private var headEnd = 0
    private var bodyEnd = 0

    /// Creates an encoder.
    package init() {
        capacity = 4_096
        room = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { room.deallocate() }

    /// Begins a record.
    package mutating func begin(columns: Int) {
        // The types are collected in front and later moved next to the values.
        headEnd = Self.varintBytesMax
        bodyStart = Self.varintBytesMax * (columns + 1)
        bodyEnd = bodyStart
        reserve(0)
    }

    @inline(__always)
    private mutating func reserve(_ count: Int) {
        // Integers are stored as eight bytes, of which only the needed ones are kept.
        if bodyEnd + count + 8 > capacity { grow(count) }
    }

    private mutating func grow(_ count: Int) {
        let larger = max(capacity * 2, bodyEnd + count + 8)
        let new = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
        new.copyMemory(from: room, byteCount: min(bodyEnd, capacity))
        room.deallocate()
        room = new
        capacity = larger
    }

    @inline(__always)
    private mutating func addType(_ type: UInt64) {
        headEnd += room.storeVarint(type, at: headEnd)
    }

    /// Adds NULL.
    @inline(__always)
    package mutating func addNull() { addType(0) }

    /// Adds an integer.
    @inline(__always)
    package mutating func add(_ value: Int64) {
        let (type, count) = value.serialType
        put(value, bytes: count, type: UInt64(type))
    }

    /// Adds an integer to a column; with REAL affinity, one of more than six bytes becomes a real
    /// number.
    package mutating func add(_ value: Int64, as affinity: NumberAffinity) {
        let size = value < 0 ? ~value : value
        guard affinity == .real, size > Int64.sixBytesMax else { return add(value) }
        add(Double(value), as: .real)
    }

    @inline(__always)
    private mutating func put(_ value: Int64, bytes: Int, type: UInt64) {
        reserve(8)
        addType(type)
        // Without bytes, the result is not kept.
        let high = UInt64(bitPattern: value) << UInt64((64 - 8 * bytes) & 63)
        room.storeBytes(of: high.bigEndian, toByteOffset: bodyEnd, as: UInt64.self)
        bodyEnd += bytes
    }

    /// Adds a real number; NaN becomes NULL, as in SQLite.
    package mutating func add(_ value: Double, as affinity: NumberAffinity) {
        guard !value.isNaN else { return addNull() }
        if affinity != .none, let integer = Int64(exactly: value), integer > .min, integer < .max {
            let size = integer < 0 ? ~integer : integer
            if affinity == .numeric || size <= Int64.sixBytesMax { return add(integer) }
        }
        put(Int64(bitPattern: value.bitPattern), bytes: 8, type: 7)
    }

    /// Adds UTF-8 text.
    @inline(__always)
    package mutating func add(text: UnsafeRawBufferPointer) { add(text, type: 13) }

    /// Adds a blob.
    @inline(__always)
    package mutating func add(blob: UnsafeRawBufferPointer) { add(blob, type: 12) }

    @inline(__always)
    private mutating func add(_ bytes: UnsafeRawBufferPointer, type: UInt64) {
        reserve(bytes.count)
        addType(UInt64(bytes.count) * 2 + type)
        guard let start = bytes.baseAddress else { return }
        (room + bodyEnd).copyMemory(from: start, byteCount: bytes.count)
        bodyEnd += bytes.count
    }

    /// Returns the record, which is valid until the next one begins.
    package mutating func finish() -> UnsafeRawBufferPointer {
        let types = headEnd - Self.varintBytesMax
        // The size of the header includes the size itself.
        var size = types + 1
        if size >= 0x80 { size = types + UInt64(types + 2).varintBytes }
        let start = bodyStart - size
        (room + start + size - types).copyMemory(
            from: room + Self.varintBytesMax, byteCount: types)
        _ = room.storeVarint(UInt64(size), at: start)
        return UnsafeRawBufferPointer(start: room + start, count: bodyEnd - start)
    }
}
