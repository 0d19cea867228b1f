/// Packs rows into bytes, to store them temporarily outside of memory.
///
/// This format is only for files of the same process, whose bytes are trusted. Data from a store
/// may be damaged, so `NoteReader` checks each step.
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
    package func addRow(packed: UnsafeRawPointer, of record: UnsafeBufferPointer<UInt8>) {
        var packed = packed
        let row = addRow()
        for column in 0..<width { self[row, column] = unpack(&packed, record) }
    }

    private func unpack(
        _ packed: inout UnsafeRawPointer, _ record: UnsafeBufferPointer<UInt8>
    ) -> BulkCell {
        let mark: UInt8 = packed.take()
        let isInside = mark & Self.inside != 0
        switch BulkCell.Kind(rawValue: mark & ~Self.inside) {
        case nil, .absent: return .absent
        case .null: return .null
        case .integer:
            let value = packed.takePacked()
            return .integer(Int64(value >> 1) ^ -Int64(value & 1))
        case .real: return .real(Double(bitPattern: packed.take()))
        case .text: return .text(bytes(&packed, isInside, record))
        case .blob: return .blob(bytes(&packed, isInside, record))
        case .list:
            // The items of nested lists precede those of the list.
            let items = (0..<packed.takePacked()).map { _ in unpack(&packed, record) }
            let start = beginList()
            for item in items { addItem(item) }
            return list(from: start)
        }
    }

    private func bytes(
        _ packed: inout UnsafeRawPointer, _ isInside: Bool, _ record: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let count = Int(packed.takePacked())
        if isInside {
            let offset = Int(packed.takePacked())
            return UnsafeBufferPointer(rebasing: record[offset..<(offset + count)])
        }
        defer { packed += count }
        return UnsafeBufferPointer(
            start: packed.assumingMemoryBound(to: UInt8.self), count: count)
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

/// Reads values in sequence, and advances the pointer.
extension UnsafeRawPointer {
    /// Reads a fixed-width number in the byte order of the machine, at any alignment.
    package mutating func take<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        defer { self += MemoryLayout<Number>.size }
        return loadUnaligned(as: Number.self)
    }

    /// Reads a number in LEB128 format.
    package mutating func takePacked() -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte: UInt8 = take()
            number |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else { return number }
            shift += 7
        }
    }
}
