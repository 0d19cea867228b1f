import Testing

@testable import GraphStore

/// Rows that are packed into bytes and unpacked without loss.
@Suite("Packed rows")
struct PackedRowTests {
    /// Returns a cell as text for comparisons.
    private func text(_ cell: BulkCell, in batch: RowBatch) -> String {
        switch cell.kind {
        case .absent: "absent"
        case .null: "null"
        case .integer: "\(cell.integerValue)"
        case .real: "\(cell.realValue)r"
        case .text: "'\(String(decoding: cell.bytes, as: UTF8.self))'"
        case .blob: "x\(Array(cell.bytes))"
        case .list:
            "["
                + (cell.listStart..<(cell.listStart + cell.listCount))
                .map { text(batch.item($0), in: batch) }.joined(separator: " ") + "]"
        }
    }

    @Test("packing keeps numbers, strings inside and outside the record, and nested lists")
    func roundTrip() throws {
        let record = Array(#"{"id":7,"title":"Milk","tag":""}"#.utf8)
        let beside = Array("élan".utf8)
        record.withUnsafeBufferPointer { record in
            beside.withUnsafeBufferPointer { beside in
                let inside = BulkCell.text(UnsafeBufferPointer(rebasing: record[17..<21]))
                let batch = RowBatch(width: 12, capacity: 1)
                // Items must not start at index zero.
                batch.addItem(.null)
                let inner = batch.beginList()
                batch.addItem(.integer(-1))
                batch.addItem(inside)
                let first = batch.list(from: inner)
                let outer = batch.beginList()
                batch.addItem(first)
                batch.addItem(.text(beside))
                batch.addItem(batch.list(from: batch.beginList()))
                let list = batch.list(from: outer)
                let cells: [BulkCell] = [
                    .integer(.min), .integer(.max), .integer(0), .integer(-64), .real(-0.1),
                    .null, inside, .text(UnsafeBufferPointer(rebasing: record[30..<30])),
                    .text(beside), .blob(UnsafeBufferPointer(rebasing: beside[..<2])), list,
                ]
                let row = batch.addRow()
                for (column, cell) in cells.enumerated() { batch[row, column] = cell }

                let size = batch.packedSizeMax(ofRow: row)
                let room = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 1)
                defer { room.deallocate() }
                var end = room
                batch.pack(row: row, of: record, into: &end)
                #expect(end - room <= size)
                // The record's contents are not duplicated.
                #expect(end - room < 90)

                let other = RowBatch(width: 12, capacity: 1)
                other.addItem(.integer(5))
                other.addRow(
                    packed: UnsafeRawBufferPointer(start: room, count: end - room), of: record)
                #expect(
                    (0..<12).map { text(other[0, $0], in: other) }
                        == (0..<12).map { text(batch[row, $0], in: batch) })
                #expect(text(other[0, 10], in: other) == "[[-1 'Milk'] 'élan' []]")
                // An empty text needs a non-null address, or SQLite would treat it as NULL.
                #expect(other[0, 7].bytes.baseAddress != nil)
            }
        }
    }

    @Test("bytes that end before the row does, or after it, trap")
    func wrongSizes() async {
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([2]) }
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([4, 5, 97]) }
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([6, 200, 1]) }
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([0x84, 1, 1]) }
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([7]) }
        await #expect(processExitsWith: .failure) { PackedRowTests.unpack([1, 1]) }
        await #expect(processExitsWith: .success) { PackedRowTests.unpack([1]) }
    }

    /// Unpacks a row of one cell, whose record has one byte.
    private static func unpack(_ bytes: [UInt8]) {
        let record: [UInt8] = [97]
        record.withUnsafeBufferPointer { record in
            bytes.withUnsafeBytes { bytes in
                RowBatch(width: 1, capacity: 1).addRow(packed: bytes, of: record)
            }
        }
    }
}
