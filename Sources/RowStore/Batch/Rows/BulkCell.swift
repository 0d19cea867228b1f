package import SQLite

/// One value to be written to a row: a number, or bytes that the cell does not own.
///
/// The type is trivial and has 16 bytes, so that a batch of rows is one block of memory.
package struct BulkCell {
    /// The type of a cell's value; packed rows contain the raw value.
    package enum Kind: UInt8 {
        /// The record does not set this property.
        case absent
        case null
        case integer
        case real
        case text
        case blob
        /// A range of the batch's items: the keys of a to-many relationship.
        case list
    }

    private var bits: UInt64
    private var length: UInt32
    /// The type of the value, which decides which of the accessors below are valid.
    package private(set) var kind: Kind

    private init(_ kind: Kind, bits: UInt64 = 0, length: Int = 0) {
        precondition(length >= 0 && length <= UInt32.max, "A cell holds less than 4 GiB")
        self.kind = kind
        self.bits = bits
        self.length = UInt32(truncatingIfNeeded: length)
    }

    /// A cell of a property that the record does not set.
    package static var absent: BulkCell { BulkCell(.absent) }

    /// A cell with a null value.
    package static var null: BulkCell { BulkCell(.null) }

    /// Creates a cell with an integer.
    package static func integer(_ value: Int64) -> BulkCell {
        BulkCell(.integer, bits: UInt64(bitPattern: value))
    }

    /// Creates a cell with a floating-point number.
    package static func real(_ value: Double) -> BulkCell {
        BulkCell(.real, bits: value.bitPattern)
    }

    /// Creates a cell that refers to UTF-8 bytes, which must remain valid while the cell is used.
    package static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> BulkCell {
        BulkCell(.text, bits: address(bytes), length: bytes.count)
    }

    /// Creates a cell that refers to binary data, which must remain valid while the cell is used.
    package static func blob(_ bytes: UnsafeBufferPointer<UInt8>) -> BulkCell {
        BulkCell(.blob, bits: address(bytes), length: bytes.count)
    }

    /// Creates a list of the batch's items `start ..< start + count`.
    package static func list(start: Int, count: Int) -> BulkCell {
        BulkCell(.list, bits: UInt64(start), length: count)
    }

    private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        UInt64(UInt(bitPattern: bytes.baseAddress))
    }

    /// The value of a cell of the kind `integer`.
    package var integerValue: Int64 { Int64(bitPattern: bits) }

    /// The value of a cell of the kind `real`.
    package var realValue: Double { Double(bitPattern: bits) }

    /// The index of a list's first item among the items of the batch.
    package var listStart: Int { Int(bits) }

    /// The number of items in a list.
    package var listCount: Int { Int(length) }

    /// The bytes of a cell of the kind `text` or `blob`, which the cell does not own.
    package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafePointer(bitPattern: UInt(bits)), count: Int(length))
    }

    /// Binds the value to a parameter of a statement; an absent value binds null.
    func bind(to statement: Statement, at index: Int32) {
        switch kind {
        case .absent, .null, .list: statement.bindNull(at: index)
        case .integer: statement.bind(integerValue, at: index)
        case .real: statement.bind(realValue, at: index)
        case .text: statement.bind(text: bytes, at: index)
        case .blob: statement.bind(blob: bytes, at: index)
        }
    }

    /// Returns whether a column of a row has this value.
    ///
    /// Numbers are compared by value, because a date with whole seconds is stored as an integer.
    func equals(column: Int32, of row: Statement) -> Bool {
        // Use patterns: `==` of an enum from another module is a function call, and this code runs
        // for every value.
        switch (kind, row.storage(column)) {
        case (.absent, _), (.null, .null), (.list, .null): true
        case (.integer, .integer): row.integer(column) == integerValue
        case (.integer, .real): row.double(column) == Double(integerValue)
        case (.real, .real), (.real, .integer): row.double(column) == realValue
        case (.text, .text), (.blob, .blob): equalBytes(row.bytes(column))
        default: false
        }
    }

    private func equalBytes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        let mine = bytes
        guard mine.count == other.count else { return false }
        guard let left = mine.baseAddress, let right = other.baseAddress else { return true }
        return memoryIsEqual(left, right, mine.count)
    }

    /// Creates a cell that refers to a column of a statement's current row.
    @inline(__always)
    package init(column: Int32, of row: Statement) {
        let value = row.columnValue(column)
        self =
            switch value.storage {
            case .null: .null
            case .integer: .integer(value.integer)
            case .real: .real(value.double)
            case .text: .text(value.bytes)
            case .blob: .blob(value.bytes)
            }
    }
}
