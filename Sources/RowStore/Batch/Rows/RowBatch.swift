package import GraphModel

/// A batch of rows to be written: cells in row order, and the memory that they refer to.
///
/// One thread fills it, and then the writer's thread uses it. It can be reused: `removeAll()` keeps
/// the memory.
package final class RowBatch {
    /// The number of cells in a row.
    package let width: Int
    // `@exclusivity(unchecked)`: only one thread uses a batch at a time, and no access is nested in
    // another.
    /// The number of rows.
    @exclusivity(unchecked) package private(set) var count = 0
    /// The owner of cell bytes outside the arena, kept alive as long as the cells.
    package var owner: AnyObject?
    /// The memory for cell bytes that this batch copies.
    @exclusivity(unchecked) package var arena = ByteArena()

    @exclusivity(unchecked) private var cells: UnsafeMutablePointer<BulkCell>
    @exclusivity(unchecked) private var capacity: Int
    @exclusivity(unchecked) private var items: [BulkCell] = []
    /// The number of items above which their memory is freed when the batch is emptied.
    package static let keptItemsMax = 1 << 17

    /// Creates an empty batch with memory for `capacity` rows, which grows if necessary.
    package init(width: Int, capacity: Int = 1024) {
        self.width = width
        self.capacity = capacity
        cells = .allocate(capacity: max(1, width * capacity))
    }

    deinit {
        cells.deallocate()
    }

    /// Removes the rows and their list items, invalidates the arena's bytes, and releases `owner`.
    package func removeAll() {
        count = 0
        items.removeAll(keepingCapacity: items.capacity <= Self.keptItemsMax)
        arena.removeAll()
        owner = nil
    }

    /// Adds a row whose cells are all absent.
    ///
    /// - Returns: The index of the row.
    package func addRow() -> Int {
        if count == capacity { grow() }
        (cells + count * width).initialize(repeating: .absent, count: width)
        count += 1
        return count - 1
    }

    /// Removes the last row.
    package func removeLastRow() {
        precondition(count > 0, "A batch without rows has no last one")
        count -= 1
    }

    /// The memory of rows and bytes, in bytes.
    package var byteCount: Int {
        (count * width + items.count) * MemoryLayout<BulkCell>.stride + arena.byteCount
    }

    /// The cell of a row; the program traps if the batch does not have it.
    package subscript(row: Int, column: Int) -> BulkCell {
        get { cells[place(row, column)] }
        set { cells[place(row, column)] = newValue }
    }

    private func place(_ row: Int, _ column: Int) -> Int {
        precondition(
            UInt(bitPattern: row) < UInt(bitPattern: count)
                && UInt(bitPattern: column) < UInt(bitPattern: width),
            "The batch does not have this cell")
        return row * width + column
    }

    /// Returns a row's cells, which are valid until a row is added or the batch is freed.
    package func row(_ row: Int) -> UnsafePointer<BulkCell> {
        precondition(
            UInt(bitPattern: row) < UInt(bitPattern: count), "The batch does not have this row")
        return UnsafePointer(cells + row * width)
    }

    /// Starts a list; `addItem` adds an item, and `list(from:)` creates the cell.
    package func beginList() -> Int { items.count }

    /// Adds an item to the list that `beginList()` started last.
    package func addItem(_ cell: BulkCell) { items.append(cell) }

    /// Returns the cell of a list with all items from `start`, the result of `beginList()`.
    package func list(from start: Int) -> BulkCell {
        precondition(start <= items.count, "A list ends before it starts")
        return .list(start: start, count: items.count - start)
    }

    /// Returns an item by its index among the items of the batch.
    package func item(_ index: Int) -> BulkCell { items[index] }

    /// Adds a copy of another batch's row.
    ///
    /// - Parameter copiesBytes: Whether to copy the bytes of strings and binary values. Otherwise
    ///   they belong to the other batch and are valid as long as its bytes.
    @discardableResult
    package func addCopy(of row: Int, from other: RowBatch, copiesBytes: Bool = true) -> Int {
        let copy = addRow()
        for column in 0..<width {
            self[copy, column] = self.copy(other[row, column], from: other, copiesBytes)
        }
        return copy
    }

    /// Copies a cell.
    ///
    /// Lists may be nested; the items of an inner list precede those of the outer list.
    private func copy(
        _ cell: BulkCell, from other: RowBatch, _ copiesBytes: Bool
    ) -> BulkCell {
        guard cell.kind == .list else { return copiesBytes ? arena.copy(cell) : cell }
        let copies = (cell.listStart..<(cell.listStart + cell.listCount)).map {
            copy(other.items[$0], from: other, copiesBytes)
        }
        let start = beginList()
        items += copies
        return list(from: start)
    }

    private func grow() {
        let larger = UnsafeMutablePointer<BulkCell>.allocate(capacity: capacity * 2 * width)
        larger.moveInitialize(from: cells, count: count * width)
        cells.deallocate()
        cells = larger
        capacity *= 2
    }
}

/// An arena allocator: memory is allocated in pieces and freed as a whole; addresses do not change.
package struct ByteArena: ~Copyable {
    private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []
    private var current = 0
    private var used = 0
    /// The size of the blocks before the current one, which are full.
    private var usedBefore = 0

    /// Creates an arena without memory; the first allocation creates a block.
    package init() {}

    /// The number of allocated bytes.
    var byteCount: Int { usedBefore + used }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Allocates bytes, which are valid until `removeAll()`.
    package mutating func allocate(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        precondition(count >= 0, "An arena has no pieces of less than nothing")
        while current < blocks.count {
            if used + count <= blocks[current].count, let base = blocks[current].baseAddress {
                defer { used += count }
                return base + used
            }
            usedBefore += blocks[current].count
            current += 1
            used = 0
        }
        let block = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1 << 16))
        blocks.append(UnsafeMutableBufferPointer(start: block, count: max(count, 1 << 16)))
        current = blocks.count - 1
        used = count
        return block
    }

    /// Returns unused bytes of the last allocation to the arena; must be called right after it.
    package mutating func giveBack(_ count: Int) {
        precondition(count >= 0 && count <= used, "More is given back than was handed out")
        used -= count
    }

    /// Returns a cell with its bytes copied into the arena; numbers and lists are unchanged.
    package mutating func copy(_ cell: BulkCell) -> BulkCell {
        switch cell.kind {
        case .text: .text(copy(cell.bytes))
        case .blob: .blob(copy(cell.bytes))
        default: cell
        }
    }

    /// Copies bytes into the arena, and returns the copy, which is valid until `removeAll()`.
    package mutating func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return bytes }
        let copy = allocate(bytes.count)
        copy.initialize(from: base, count: bytes.count)
        return UnsafeBufferPointer(start: copy, count: bytes.count)
    }

    /// Returns a cell with a value; the bytes of a string or of binary data are copied into this
    /// arena.
    package mutating func cell(_ value: StoredValue) -> BulkCell {
        switch value {
        case .null: return .null
        case .integer(let value): return .integer(value)
        case .real(let value): return .real(value)
        case .text(var text): return text.withUTF8 { .text(copyWithAddress($0)) }
        case .blob(let bytes):
            return bytes.withUnsafeBufferPointer { .blob(copyWithAddress($0)) }
        }
    }

    /// Returns a copy with a non-null address even if it is empty, because it represents a value.
    private mutating func copyWithAddress(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        let copy = allocate(max(1, bytes.count))
        if let base = bytes.baseAddress { copy.initialize(from: base, count: bytes.count) }
        return UnsafeBufferPointer(start: copy, count: bytes.count)
    }

    /// Frees all pieces, and keeps the blocks for reuse.
    package mutating func removeAll() {
        // Free the blocks of single oversized records, which would otherwise be kept for the rest
        // of the run.
        blocks.removeAll { block in
            let isLarge = block.count > 1 << 20
            if isLarge { block.deallocate() }
            return isLarge
        }
        while blocks.count > 16 { blocks.removeLast().deallocate() }
        current = 0
        used = 0
        usedBefore = 0
    }
}
