/// Packs rows into bytes, to store them temporarily outside of memory.
///
/// This format is only for files of the same process, so wrong bytes are a fault of the program,
/// which then traps instead of writing wrong rows. Data from a store may be damaged; for that,
/// `NoteReader` throws.
///
/// A cell consists of its kind and one of the following:
/// - a number
/// - the length of a string, and its bytes
/// - the number of a list's items, and the items
///
/// Strings that are part of the row's record are not copied; they are stored as an offset into the
/// record.
///
/// ```
/// record   {"id":7,"title":"Milk"}
/// cells    integer 7 · text inside, 4 bytes at 17 · absent
/// ```
extension RowBatch {
    /// A flag in the kind of a cell whose bytes are in the record.
    private static let inside: UInt8 = 0x80
    /// The maximum size of a cell, without the bytes of a string.
    private static let cellBytesMax = 1 + 2 * UnsafeMutableRawPointer.packedBytesMax

    /// Returns the maximum size of a packed row in bytes.
    package func packedSizeMax(ofRow row: Int) -> Int {
        let cells = self.row(row)
        var size = 0
        for column in 0..<width { size += packedSizeMax(of: cells[column]) }
        return size
    }

    private func packedSizeMax(of cell: BulkCell) -> Int {
        switch cell.kind {
        case .absent, .null, .integer, .real: return Self.cellBytesMax
        case .text, .blob: return Self.cellBytesMax + cell.bytes.count
        case .list:
            var size = Self.cellBytesMax
            for place in 0..<cell.listCount {
                size += packedSizeMax(of: item(cell.listStart + place))
            }
            return size
        }
    }

    /// Packs a row.
    ///
    /// - Parameters:
    ///   - record: The record that may contain the strings.
    ///   - room: Memory of at least `packedSizeMax(ofRow:)` bytes; advanced to the end of the row.
    package func pack(
        row: Int, of record: UnsafeBufferPointer<UInt8>, into room: inout UnsafeMutableRawPointer
    ) {
        let cells = self.row(row)
        for column in 0..<width { pack(cells[column], record, &room) }
    }

    private func pack(
        _ cell: BulkCell, _ record: UnsafeBufferPointer<UInt8>,
        _ room: inout UnsafeMutableRawPointer
    ) {
        let kind = cell.kind.rawValue
        switch cell.kind {
        case .absent, .null: room.put(kind)
        case .integer:
            room.put(kind)
            // Move the sign to the lowest bit, so that small negative numbers take few bytes.
            let value = cell.integerValue
            room.put(packed: UInt64(bitPattern: value << 1 ^ value >> 63))
        case .real:
            room.put(kind)
            room.put(cell.realValue.bitPattern)
        case .text, .blob:
            let bytes = UnsafeRawBufferPointer(cell.bytes)
            if let offset = Self.offset(of: cell, in: record) {
                room.put(kind | Self.inside)
                room.put(packed: UInt64(bytes.count))
                room.put(packed: UInt64(offset))
            } else {
                room.put(kind)
                room.put(packed: UInt64(bytes.count))
                room.put(bytes)
            }
        case .list:
            room.put(kind)
            room.put(packed: UInt64(cell.listCount))
            for place in 0..<cell.listCount {
                pack(item(cell.listStart + place), record, &room)
            }
        }
    }

    private static func offset(
        of cell: BulkCell, in record: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        guard let start = cell.bytes.baseAddress, let first = record.baseAddress else { return nil }
        let offset = UInt(bitPattern: start) &- UInt(bitPattern: first)
        return offset <= UInt(record.count) && cell.bytes.count <= record.count - Int(offset)
            ? Int(offset) : nil
    }

    /// Adds a packed row; its cells refer to the record and the packed bytes.
    ///
    /// - Parameter packed: The bytes of the row, and no others.
    package func addRow(
        packed: UnsafeRawBufferPointer, of record: UnsafeBufferPointer<UInt8>
    ) {
        var packed = PackedReader(packed)
        let row = addRow()
        for column in 0..<width { self[row, column] = unpack(&packed, record) }
        precondition(packed.rest.isEmpty, "A packed row has more bytes than cells")
    }

    private func unpack(
        _ packed: inout PackedReader, _ record: UnsafeBufferPointer<UInt8>
    ) -> BulkCell {
        let mark: UInt8 = packed.take()
        let isInside = mark & Self.inside != 0
        switch BulkCell.Kind(rawValue: mark & ~Self.inside) {
        case nil: preconditionFailure("A packed cell has an unknown kind")
        case .absent: return .absent
        case .null: return .null
        case .integer:
            let value = packed.takePacked()
            return .integer(Int64(value >> 1) ^ -Int64(value & 1))
        case .real: return .real(Double(bitPattern: packed.take()))
        case .text: return .text(bytes(&packed, isInside, record))
        case .blob: return .blob(bytes(&packed, isInside, record))
        case .list:
            // The items of nested lists precede those of the list.
            let items = (0..<packed.takeCount()).map { _ in unpack(&packed, record) }
            let start = beginList()
            for item in items { addItem(item) }
            return list(from: start)
        }
    }

    private func bytes(
        _ packed: inout PackedReader, _ isInside: Bool, _ record: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        guard isInside else {
            return packed.take(bytes: packed.takeCount()).assumingMemoryBound(to: UInt8.self)
        }
        let (count, offset) = (packed.takePacked(), packed.takePacked())
        precondition(
            offset <= UInt64(record.count) && count <= UInt64(record.count) - offset,
            "A packed string ends after its record")
        return UnsafeBufferPointer(rebasing: record[Int(offset)..<Int(offset + count)])
    }
}

/// Writes values in sequence, and advances the pointer.
extension UnsafeMutableRawPointer {
    /// The maximum size of a packed number in bytes.
    package static let packedBytesMax = 10

    /// Writes a fixed-width number in the byte order of the machine.
    package mutating func put<Number: FixedWidthInteger & BitwiseCopyable>(_ number: Number) {
        storeBytes(of: number, as: Number.self)
        self += MemoryLayout<Number>.size
    }

    /// Writes a number in LEB128 format.
    package mutating func put(packed number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            put(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        put(UInt8(rest))
    }

    /// Copies bytes, without a length prefix.
    package mutating func put(_ bytes: UnsafeRawBufferPointer) {
        if let start = bytes.baseAddress { copyMemory(from: start, byteCount: bytes.count) }
        self += bytes.count
    }
}

/// Reads values that were written in sequence, and traps if the bytes end before a value does.
package struct PackedReader {
    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer

    /// Creates a reader that starts at the first of the packed values.
    ///
    /// - Parameter bytes: The values, which must be valid while the reader and their strings are
    ///   used.
    package init(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else {
            preconditionFailure("Packed values have an address")
        }
        position = start
        end = start + bytes.count
    }

    /// The bytes that are not read yet.
    package var rest: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: position, count: end - position)
    }

    /// Returns a number of bytes without copying them.
    package mutating func take(bytes count: Int) -> UnsafeRawBufferPointer {
        precondition(count >= 0 && count <= end - position, "Packed values end too early")
        defer { position += count }
        return UnsafeRawBufferPointer(start: position, count: count)
    }

    /// Reads a fixed-width number in the byte order of the machine, at any alignment.
    package mutating func take<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        take(bytes: MemoryLayout<Number>.size).loadUnaligned(as: Number.self)
    }

    /// Reads a number in LEB128 format.
    package mutating func takePacked() -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte: UInt8 = take()
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        preconditionFailure("A packed number has too many bytes")
    }

    /// Reads the length of a list, and traps if the rest has too few bytes for that many items.
    package mutating func takeCount() -> Int {
        let number = takePacked()
        precondition(number <= UInt64(end - position), "Packed values end too early")
        return Int(number)
    }
}
