/// The values of one row, read from the bytes of a damaged file.
///
/// A value whose bytes cannot be read is null.
final class DamagedRecord {
    private(set) var rowID: Int64 = 0
    /// The values in the order of the table's columns; valid until the next record is read.
    private(set) var cells: [BulkCell] = []
    /// Whether the record has the length that its cell states, and was read completely.
    private(set) var isWhole = false
    private var payload = [UInt8]()
    private var overflowPagesRead = 0
    /// SQLite's limit of columns.
    ///
    /// A damaged header can claim as many as the file has bytes.
    private static let columnsMax = 32_767
    /// The memory for the bytes of texts and blobs.
    private var room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4096)

    deinit { room.deallocate() }

    /// Reads a cell.
    ///
    /// - Returns: `false` if the cell contains no record.
    func read(_ cell: Int, of page: DamagedPage, in file: DamagedFile) -> Bool {
        guard let place = page.payload(ofCell: cell) else { return false }
        return read(place, page.bytes, in: file)
    }

    /// Reads the record whose payload is given.
    ///
    /// - Returns: `false` if it is not a record.
    func read(_ place: DamagedPage.Payload, _ bytes: [UInt8], in file: DamagedFile) -> Bool {
        guard place.size <= file.pageCount * file.pageSize else { return false }
        rowID = place.rowID
        payload.removeAll(keepingCapacity: true)
        payload.append(contentsOf: bytes[place.local])
        readOverflow(place, file)
        return decode(size: place.size)
    }

    /// Reads the overflow pages of a payload, up to the first invalid one.
    private func readOverflow(_ place: DamagedPage.Payload, _ file: DamagedFile) {
        var next = place.overflow ?? 0
        var passed: Set<Int> = []
        // A page belongs to one cell, which is read a few times at most. The limit bounds the time
        // for a file in which many cells claim the same pages.
        while payload.count < place.size, overflowPagesRead < 8 * file.pageCount,
            passed.insert(next).inserted, let bytes = file.page(next)
        {
            overflowPagesRead += 1
            let count = min(place.size - payload.count, file.usableSize - 4)
            payload.append(contentsOf: bytes[4..<4 + count])
            next = bytes.number(at: 0, bytes: 4)
        }
    }

    private func decode(size: Int) -> Bool {
        cells.removeAll(keepingCapacity: true)
        var place = 0
        guard let header = payload.varint(&place, end: payload.count), header >= Int64(place),
            header <= Int64(payload.count)
        else { return false }
        let end = Int(header)
        if room.count < payload.count {
            room.deallocate()
            room = .allocate(capacity: payload.count * 2)
        }
        _ = room.update(fromContentsOf: payload)
        var value = end
        isWhole = payload.count == size
        while place < end {
            guard let type = payload.varint(&place, end: end), type >= 0,
                cells.count < Self.columnsMax
            else { return false }
            let length = Self.length(ofType: type)
            guard let length, length <= payload.count - value else {
                // If a value is missing, all values after it are missing as well.
                cells.append(.null)
                isWhole = false
                value = payload.count
                continue
            }
            cells.append(cell(type, value..<value + length))
            value += length
        }
        if value != payload.count { isWhole = false }
        return true
    }

    /// Returns the number of bytes of a value, or `nil` for a type that does not exist.
    private static func length(ofType type: Int64) -> Int? {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        case 10, 11: nil
        default: Int(exactly: (type - 12) / 2)
        }
    }

    private func cell(_ type: Int64, _ range: Range<Int>) -> BulkCell {
        let bytes = UnsafeBufferPointer(rebasing: room[range])
        switch type {
        case 0: return .null
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 7: return .real(Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case 1...6:
            let unused = 64 - 8 * bytes.count
            let value = bytes.reduce(0) { $0 << 8 | UInt64($1) } << UInt64(unused)
            return .integer(Int64(bitPattern: value) >> Int64(unused))
        default: return type.isMultiple(of: 2) ? .blob(bytes) : .text(bytes)
        }
    }
}
