/// A b-tree page that is being filled (section 1.6): cell pointers grow from its start, cells from
/// its end.
struct TreePage: ~Copyable {
    /// An overflow chain of one of the page's cells.
    struct Overflow {
        var cell: Int
        var page: UInt32
    }

    let bytes: UnsafeMutableRawPointer
    let kind: PageKind
    private(set) var cellCount = 0
    private var contentStart = PageFormat.pageBytes
    private var pointersEnd: Int
    private(set) var overflows: [Overflow] = []

    init(_ kind: PageKind) {
        self.kind = kind
        pointersEnd = kind.headerBytes
        bytes = .allocate(byteCount: PageFormat.pageBytes, alignment: 8)
        // A cell may be shorter than its space.
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: PageFormat.pageBytes)
    }

    deinit { bytes.deallocate() }

    var isEmpty: Bool { cellCount == 0 }

    @inline(__always)
    func hasSpace(for count: Int) -> Bool {
        pointersEnd + 2 + max(count, PageFormat.cellBytesMin) <= contentStart
    }

    /// Adds a cell and returns the memory for its bytes.
    ///
    /// - Parameter overflow: the first page of its overflow chain; 0 if it has no such chain.
    @inline(__always)
    mutating func addCell(bytes count: Int, overflow: UInt32) -> UnsafeMutableRawPointer {
        contentStart -= max(count, PageFormat.cellBytesMin)
        bytes.storeBig(UInt16(contentStart), at: pointersEnd)
        pointersEnd += 2
        if overflow != 0 { overflows.append(Overflow(cell: cellCount, page: overflow)) }
        cellCount += 1
        return bytes + contentStart
    }

    /// Adds a copy of a cell.
    mutating func add(_ cell: borrowing TreeCell, child: UInt32? = nil) {
        let left = child == nil ? 0 : 4
        let room = addCell(bytes: cell.count + left, overflow: cell.overflow)
        if let child { room.storeBig(child, at: 0) }
        (room + left).copyMemory(from: cell.bytes, byteCount: cell.count)
    }

    /// Removes the last cell, which is at least as long as its space, as every cell except a short
    /// row of a table is.
    ///
    /// - Parameter cell: receives the cell, without its left child.
    /// - Returns: the left child of the cell; 0 in a leaf.
    mutating func removeLast(into cell: inout TreeCell) -> UInt32 {
        // The cell before it starts where this one ends.
        let end =
            cellCount == 1
            ? PageFormat.pageBytes : Int(UnsafeRawPointer(bytes).loadBig16(at: pointersEnd - 4))
        let left = kind.isInterior ? 4 : 0
        var overflow: UInt32 = 0
        if let last = overflows.last, last.cell == cellCount - 1 {
            overflow = last.page
            overflows.removeLast()
        }
        cell.set(
            UnsafeRawBufferPointer(
                start: bytes + contentStart + left, count: end - contentStart - left),
            overflow: overflow)
        let child = left == 0 ? 0 : UnsafeRawPointer(bytes).loadBig32(at: contentStart)
        contentStart = end
        pointersEnd -= 2
        cellCount -= 1
        return child
    }

    /// Writes the header, and clears the space between the pointers and the cells.
    ///
    /// - Parameter right: the rightmost child of an interior page.
    func seal(right: UInt32) {
        bytes.storeBytes(of: kind.rawValue, as: UInt8.self)
        bytes.storeBig(UInt16(0), at: 1)
        bytes.storeBig(UInt16(cellCount), at: 3)
        bytes.storeBig(UInt16(contentStart), at: 5)
        bytes.storeBytes(of: 0, toByteOffset: 7, as: UInt8.self)
        if kind.isInterior { bytes.storeBig(right, at: 8) }
        (bytes + pointersEnd).initializeMemory(
            as: UInt8.self, repeating: 0, count: contentStart - pointersEnd)
    }

    /// Calls a closure with the left child of each cell.
    func forEachChild(_ body: (UInt32) -> Void) {
        guard kind.isInterior else { return }
        for place in stride(from: kind.headerBytes, to: pointersEnd, by: 2) {
            let cell = Int(UnsafeRawPointer(bytes).loadBig16(at: place))
            body(UnsafeRawPointer(bytes).loadBig32(at: cell))
        }
    }

    mutating func removeAll() {
        cellCount = 0
        contentStart = PageFormat.pageBytes
        pointersEnd = kind.headerBytes
        overflows.removeAll(keepingCapacity: true)
    }
}

/// A cell outside a page, without its left child.
struct TreeCell: ~Copyable {
    let bytes: UnsafeMutableRawPointer
    private(set) var count = 0
    private(set) var overflow: UInt32 = 0

    init() {
        bytes = .allocate(byteCount: PageFormat.pageBytes, alignment: 8)
    }

    deinit { bytes.deallocate() }

    mutating func set(_ other: UnsafeRawBufferPointer, overflow: UInt32) {
        count = other.count
        self.overflow = overflow
        guard let start = other.baseAddress else { return }
        bytes.copyMemory(from: start, byteCount: count)
    }

    mutating func set(_ other: borrowing TreeCell) {
        set(
            UnsafeRawBufferPointer(start: other.bytes, count: other.count), overflow: other.overflow
        )
    }

    /// Sets the cell to a row ID, the key of a table's interior page.
    mutating func set(rowID: Int64) {
        count = bytes.storeVarint(UInt64(bitPattern: rowID), at: 0)
        overflow = 0
    }

    /// Sets the cell to a payload, of which a part may be in overflow pages.
    mutating func set(payload: UnsafeRawBufferPointer, local: Int, overflow: UInt32) {
        count = bytes.storePayload(payload, local: local, overflow: overflow, at: 0)
        self.overflow = overflow
    }
}

extension UnsafeMutableRawPointer {
    /// Stores the part of a payload that is in its own page, between its size and the number of its
    /// first overflow page, as the cell of an index.
    ///
    /// - Returns: the number of bytes.
    @inline(__always)
    func storePayload(
        _ payload: UnsafeRawBufferPointer, local: Int, overflow: UInt32, at offset: Int
    ) -> Int {
        let size = storeVarint(UInt64(payload.count), at: offset)
        if let start = payload.baseAddress {
            (self + offset + size).copyMemory(from: start, byteCount: local)
        }
        guard overflow != 0 else { return size + local }
        storeBig(overflow, at: offset + size + local)
        return size + local + 4
    }
}
