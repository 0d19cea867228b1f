/// Reads the rows of a table's b-tree (section 1.6) in the order of their row IDs.
///
/// It reads the file, so the caller holds a lock, and no page is only in a cache or a log.
package struct TableReader: ~Copyable {
    private static let blockPages = PageFormat.transferBytesMax / PageFormat.pageBytes
    /// The maximum depth of a b-tree, as in SQLite.
    private static let depthMax = 20

    private let storage: any PageStorage
    private let pageCount: UInt32
    /// The memory for consecutive pages, because a table that was filled at once is mostly in
    /// order.
    private let block: UnsafeMutableRawBufferPointer
    private var firstInBlock: UInt32 = 0
    private var pagesInBlock: UInt32 = 0
    /// The record of a row with overflow pages.
    private var long: [UInt8] = []

    /// Creates a reader of the tables in a file.
    ///
    /// - Parameter pageCount: the number of pages of the file.
    package init(_ storage: any PageStorage, pageCount: UInt32) {
        self.storage = storage
        self.pageCount = pageCount
        block = .allocate(byteCount: Self.blockPages * PageFormat.pageBytes, alignment: 8)
    }

    deinit { block.deallocate() }

    /// Calls a closure with each row ID and its record, which is valid during the call.
    package mutating func forEachRow(
        ofRoot root: UInt32,
        _ body: (Int64, UnsafeRawBufferPointer) throws(PageFault) -> Void
    ) throws(PageFault) {
        try read(root, depth: 0, body)
    }

    private mutating func read(
        _ number: UInt32, depth: Int,
        _ body: (Int64, UnsafeRawBufferPointer) throws(PageFault) -> Void
    ) throws(PageFault) {
        guard depth < Self.depthMax else { throw .unsuitable("a table is too deep") }
        let page = try self.page(number)
        switch PageKind(rawValue: page.load(as: UInt8.self)) {
        case .tableInterior:
            for child in children(of: page) { try read(child, depth: depth + 1, body) }
        case .tableLeaf:
            try readLeaf(number, body)
        default:
            throw .unsuitable("page \(number) is not of a table")
        }
    }

    private func children(of page: UnsafeRawPointer) -> [UInt32] {
        let header = PageKind.tableInterior.headerBytes
        let count = Int(page.loadBig16(at: 3))
        return (0..<count).map { place in
            let cell = Int(page.loadBig16(at: header + 2 * place))
            return page.loadBig32(at: min(cell, PageFormat.pageBytes - 4))
        } + [page.loadBig32(at: 8)]
    }

    private mutating func readLeaf(
        _ number: UInt32,
        _ body: (Int64, UnsafeRawBufferPointer) throws(PageFault) -> Void
    ) throws(PageFault) {
        let header = PageKind.tableLeaf.headerBytes
        var page = try self.page(number)
        for place in 0..<Int(page.loadBig16(at: 3)) {
            var offset = Int(page.loadBig16(at: header + 2 * place))
            guard offset <= PageFormat.pageBytes - 18 else {
                // Near the end, a size could be read past it.
                let row = try shortRow(page, offset)
                try body(row.rowID, row.record)
                continue
            }
            let size = Int(truncatingIfNeeded: page.loadVarint(at: &offset))
            let rowID = Int64(bitPattern: page.loadVarint(at: &offset))
            let local = PageFormat.localBytes(of: size, atMost: PageFormat.tableLocalMax)
            guard local >= 0, offset + local <= PageFormat.pageBytes else {
                throw .unsuitable("page \(number) is damaged")
            }
            if local == size {
                try body(rowID, UnsafeRawBufferPointer(start: page + offset, count: size))
            } else {
                try readLong(size, page + offset, local)
                try callWithLong(rowID, body)
                // The chain may have replaced the block.
                page = try self.page(number)
            }
        }
    }

    /// Reads a cell at the end of a page, whose bytes are followed by no others.
    private func shortRow(
        _ page: UnsafeRawPointer, _ start: Int
    ) throws(PageFault) -> (rowID: Int64, record: UnsafeRawBufferPointer) {
        func varint(_ offset: inout Int) -> UInt64? {
            var value: UInt64 = 0
            for place in 0..<9 where offset < PageFormat.pageBytes {
                let byte = page.load(fromByteOffset: offset, as: UInt8.self)
                offset += 1
                guard place < 8 else { return value << 8 | UInt64(byte) }
                value = value << 7 | UInt64(byte & 0x7F)
                if byte < 0x80 { return value }
            }
            return nil
        }
        var offset = start
        guard let size = varint(&offset), let rowID = varint(&offset),
            size <= UInt64(PageFormat.pageBytes - offset)
        else { throw .unsuitable("a page is damaged") }
        return (
            Int64(bitPattern: rowID),
            UnsafeRawBufferPointer(start: page + offset, count: Int(size))
        )
    }

    private func callWithLong(
        _ rowID: Int64, _ body: (Int64, UnsafeRawBufferPointer) throws(PageFault) -> Void
    ) throws(PageFault) {
        let result = long.withUnsafeBytes { bytes in
            Result { () throws(PageFault) in try body(rowID, bytes) }
        }
        try result.get()
    }

    private mutating func readLong(
        _ size: Int, _ start: UnsafeRawPointer, _ local: Int
    ) throws(PageFault) {
        guard size <= Int(pageCount) * PageFormat.overflowBytes else {
            throw .unsuitable("a row is longer than its file")
        }
        long.removeAll(keepingCapacity: true)
        long.reserveCapacity(size)
        long.append(contentsOf: UnsafeRawBufferPointer(start: start, count: local))
        var next = start.loadBig32(at: local)
        while long.count < size {
            let page = try self.page(next)
            let count = min(size - long.count, PageFormat.overflowBytes)
            long.append(contentsOf: UnsafeRawBufferPointer(start: page + 4, count: count))
            next = page.loadBig32(at: 0)
        }
    }

    /// Returns a page, which is valid until the next call.
    private mutating func page(_ number: UInt32) throws(PageFault) -> UnsafeRawPointer {
        guard number > 0, number <= pageCount, let start = block.baseAddress else {
            throw .unsuitable("page \(number) does not exist")
        }
        if number < firstInBlock || number - firstInBlock >= pagesInBlock {
            let count = min(UInt32(Self.blockPages), pageCount - number + 1)
            pagesInBlock = 0
            try storage.read(
                UnsafeMutableRawBufferPointer(
                    rebasing: block[..<(Int(count) * PageFormat.pageBytes)]),
                at: Int64(number - 1) * Int64(PageFormat.pageBytes))
            firstInBlock = number
            pagesInBlock = count
        }
        return UnsafeRawPointer(start) + Int(number - firstInBlock) * PageFormat.pageBytes
    }
}

/// Makes the keys of an index from the records of its table.
package struct KeyMaker: ~Copyable {
    private enum Source {
        case column(Int)
        case rowID
    }

    private let sources: [Source]
    private let columnCount: Int
    private var types: [UInt64]
    private var offsets: [Int]
    private var room: UnsafeMutableRawPointer
    private var capacity = 256

    /// Creates an encoder of index keys from the rows of a table.
    ///
    /// - Parameter columns: the positions of the index's columns in the table; `nil` for the alias
    ///   of the row ID.
    package init(columns: [Int?]) {
        sources = columns.map { $0.map(Source.column) ?? .rowID }
        columnCount = (columns.compactMap(\.self).max() ?? -1) + 1
        types = Array(repeating: 0, count: columnCount)
        offsets = Array(repeating: 0, count: columnCount)
        room = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { room.deallocate() }

    /// Returns the key of a row, which is valid until the next call.
    package mutating func key(
        of record: UnsafeRawBufferPointer, rowID: Int64
    ) throws(PageFault) -> UnsafeRawBufferPointer {
        try findFields(of: record)
        var size = 9 * (sources.count + 2) + 8
        for case .column(let place) in sources { size += Self.byteCount(types[place]) }
        if size > capacity {
            room.deallocate()
            capacity = size * 2
            room = .allocate(byteCount: capacity, alignment: 8)
        }
        // Up to 13 columns with short types, the size of the header takes one byte.
        var header = 1
        for source in sources {
            switch source {
            case .column(let place): header += types[place].varintBytes
            case .rowID: header += 1
            }
        }
        header += 1
        guard header < 0x80 else { throw .unsuitable("an index has too many columns") }
        var type = room.storeVarint(UInt64(header), at: 0)
        var body = header
        for source in sources {
            switch source {
            case .column(let place):
                type += room.storeVarint(types[place], at: type)
                let count = Self.byteCount(types[place])
                guard count > 0, let start = record.baseAddress else { continue }
                (room + body).copyMemory(from: start + offsets[place], byteCount: count)
                body += count
            case .rowID:
                putInteger(rowID, type: &type, body: &body)
            }
        }
        putInteger(rowID, type: &type, body: &body)
        return UnsafeRawBufferPointer(start: room, count: body)
    }

    private func putInteger(_ value: Int64, type: inout Int, body: inout Int) {
        let (serial, count) = value.serialType
        room.storeBytes(of: serial, toByteOffset: type, as: UInt8.self)
        type += 1
        let high = UInt64(bitPattern: value) << UInt64((64 - 8 * count) & 63)
        room.storeBytes(of: high.bigEndian, toByteOffset: body, as: UInt64.self)
        body += count
    }

    private mutating func findFields(of record: UnsafeRawBufferPointer) throws(PageFault) {
        guard let start = record.baseAddress, record.count > 0 else {
            throw .unsuitable("a record is empty")
        }
        var type = 0
        let header = Int(truncatingIfNeeded: start.loadVarint(at: &type))
        guard header >= type, header <= record.count else {
            throw .unsuitable("a record is damaged")
        }
        var body = header
        for place in 0..<columnCount {
            // A row that is older than its column has the column's default, which is not here.
            guard type < header else { throw .unsuitable("a record lacks a column") }
            types[place] = start.loadVarint(at: &type)
            offsets[place] = body
            body += Self.byteCount(types[place])
            guard body <= record.count else { throw .unsuitable("a record is damaged") }
        }
    }

    @inline(__always)
    private static func byteCount(_ type: UInt64) -> Int { type.serialByteCount }
}
