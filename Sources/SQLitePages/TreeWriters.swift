/// Writes the b-tree of a table from rows in rising order of their row IDs.
package final class TableTree {
    private let file: PageAppender
    private let root: UInt32
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var leaf = TreePage(.tableLeaf)
    @exclusivity(unchecked) private var lastRowID: Int64 = .min
    @exclusivity(unchecked) private var upper: InteriorPages
    @exclusivity(unchecked) private var divider = TreeCell()

    /// Begins a tree whose root page is empty.
    package init(root: UInt32, in file: PageAppender) {
        self.root = root
        self.file = file
        upper = InteriorPages(.tableInterior, root: root, in: file)
    }

    /// Adds a row.
    ///
    /// - Parameter rowID: larger than the last one.
    package func add(rowID: Int64, _ record: UnsafeRawBufferPointer) throws(PageFault) {
        guard rowID > lastRowID || leaf.isEmpty && upper.isEmpty else {
            throw .unsuitable("row \(rowID) comes after row \(lastRowID)")
        }
        let local = PageFormat.localBytes(of: record.count, atMost: PageFormat.tableLocalMax)
        let hasOverflow = local < record.count
        let number = UInt64(bitPattern: rowID)
        let size =
            UInt64(record.count).varintBytes + number.varintBytes + local + (hasOverflow ? 4 : 0)
        if !leaf.hasSpace(for: size) { try finishLeaf() }
        let overflow =
            hasOverflow ? try file.appendOverflow(record, from: local) : 0
        let cell = leaf.addCell(bytes: size, overflow: overflow)
        var place = cell.storeVarint(UInt64(record.count), at: 0)
        place += cell.storeVarint(number, at: place)
        if let start = record.baseAddress {
            (cell + place).copyMemory(from: start, byteCount: local)
        }
        if hasOverflow { cell.storeBig(overflow, at: place + local) }
        lastRowID = rowID
    }

    private func finishLeaf() throws(PageFault) {
        let page = try file.append(&leaf, right: 0)
        divider.set(rowID: lastRowID)
        try upper.add(page, divider)
    }

    /// Writes the last pages.
    package func finish() throws(PageFault) {
        if upper.isEmpty {
            if !leaf.isEmpty { try file.replace(root: root, with: &leaf, right: 0) }
        } else {
            try upper.finish(try file.append(&leaf, right: 0))
        }
    }
}

/// Writes the b-tree of an index from keys in the order of the index.
package final class IndexTree {
    private let file: PageAppender
    private let root: UInt32
    // Unchecked, as in `TableTree`.
    @exclusivity(unchecked) private var leaf = TreePage(.indexLeaf)
    /// The previous leaf, which is full.
    ///
    /// It is kept until it is certain that the last leaf gets a key; otherwise, its last key moves
    /// there.
    @exclusivity(unchecked) private var full = TreePage(.indexLeaf)
    /// The key between the two leaves.
    @exclusivity(unchecked) private var divider = TreeCell()
    @exclusivity(unchecked) private var taken = TreeCell()
    @exclusivity(unchecked) private var upper: InteriorPages

    /// Begins a tree whose root page is empty.
    package init(root: UInt32, in file: PageAppender) {
        self.root = root
        self.file = file
        upper = InteriorPages(.indexInterior, root: root, in: file)
    }

    /// Adds a key.
    ///
    /// - Parameter key: the record of the key's columns and the row ID.
    package func add(_ key: UnsafeRawBufferPointer) throws(PageFault) {
        let local = PageFormat.localBytes(of: key.count, atMost: PageFormat.indexLocalMax)
        let hasOverflow = local < key.count
        let size = UInt64(key.count).varintBytes + local + (hasOverflow ? 4 : 0)
        let overflow = hasOverflow ? try file.appendOverflow(key, from: local) : 0
        if leaf.hasSpace(for: size) {
            let cell = leaf.addCell(bytes: size, overflow: overflow)
            _ = cell.storePayload(key, local: local, overflow: overflow, at: 0)
            return
        }
        try appendFull()
        swap(&leaf, &full)
        divider.set(payload: key, local: local, overflow: overflow)
    }

    private func appendFull() throws(PageFault) {
        guard !full.isEmpty else { return }
        try upper.add(try file.append(&full, right: 0), divider)
    }

    /// Writes the last pages.
    package func finish() throws(PageFault) {
        if full.isEmpty {
            if !leaf.isEmpty { try file.replace(root: root, with: &leaf, right: 0) }
            return
        }
        if leaf.isEmpty {
            _ = full.removeLast(into: &taken)
            leaf.add(divider)
            divider.set(taken)
        }
        try appendFull()
        try upper.finish(try file.append(&leaf, right: 0))
    }
}

/// The interior pages of a b-tree, from the level above the leaves to the root.
struct InteriorPages: ~Copyable {
    /// The pages of one level that are not written yet.
    private final class Level {
        var page: TreePage
        /// The previous page of this level, which is full, and the key between it and `page`.
        var full: TreePage
        var right: UInt32 = 0
        var divider = TreeCell()
        var taken = TreeCell()

        init(_ kind: PageKind) {
            page = TreePage(kind)
            full = TreePage(kind)
        }
    }

    private let kind: PageKind
    private let root: UInt32
    private let file: PageAppender
    private var levels: [Level] = []

    init(_ kind: PageKind, root: UInt32, in file: PageAppender) {
        self.kind = kind
        self.root = root
        self.file = file
    }

    /// Whether the tree is still a single leaf.
    var isEmpty: Bool { levels.isEmpty }

    /// Adds a page below and the key to its right.
    mutating func add(
        _ child: UInt32, _ key: borrowing TreeCell, level place: Int = 0
    ) throws(PageFault) {
        if place == levels.count { levels.append(Level(kind)) }
        let level = levels[place]
        guard !level.page.hasSpace(for: key.count + 4) else {
            return level.page.add(key, child: child)
        }
        try appendFull(place)
        swap(&level.page, &level.full)
        level.right = child
        level.divider.set(key)
    }

    private mutating func appendFull(_ place: Int) throws(PageFault) {
        let level = levels[place]
        guard !level.full.isEmpty else { return }
        let page = try file.append(&level.full, right: level.right)
        try add(page, level.divider, level: place + 1)
    }

    /// Writes the last pages.
    ///
    /// - Parameter last: the last page below.
    mutating func finish(_ last: UInt32) throws(PageFault) {
        var (last, place) = (last, 0)
        while place < levels.count {
            let level = levels[place]
            if level.page.isEmpty {
                let child = level.full.removeLast(into: &level.taken)
                level.page.add(level.divider, child: level.right)
                level.right = child
                level.divider.set(level.taken)
            }
            try appendFull(place)
            place += 1
            guard place < levels.count else {
                return try file.replace(root: root, with: &level.page, right: last)
            }
            last = try file.append(&level.page, right: last)
        }
    }
}

extension PageAppender {
    /// Appends a page, sets the pointer-map entries of the pages to which it refers, and empties
    /// it.
    fileprivate func append(_ page: inout TreePage, right: UInt32) throws(PageFault) -> UInt32 {
        try seal(page, right: right, number: try nextPage)
        let number = try append(page.bytes)
        page.removeAll()
        return number
    }

    fileprivate func replace(
        root: UInt32, with page: inout TreePage, right: UInt32
    ) throws(PageFault) {
        try seal(page, right: right, number: root)
        try replace(root: root, with: page.bytes)
        page.removeAll()
    }

    private func seal(
        _ page: borrowing TreePage, right: UInt32, number: UInt32
    ) throws(PageFault) {
        page.seal(right: right)
        page.forEachChild { setPointer(to: $0, .tree, parent: number) }
        if right != 0 { setPointer(to: right, .tree, parent: number) }
        for overflow in page.overflows {
            setPointer(to: overflow.page, .firstOverflow, parent: number)
        }
    }

    /// Appends the overflow chain of a payload, and returns its first page.
    ///
    /// - Parameter start: the number of bytes in the cell.
    fileprivate func appendOverflow(
        _ payload: UnsafeRawBufferPointer, from start: Int
    ) throws(PageFault) -> UInt32 {
        let page = UnsafeMutableRawPointer.allocate(
            byteCount: PageFormat.pageBytes, alignment: 8)
        defer { page.deallocate() }
        let first = try nextPage
        var number = first
        var place = start
        while place < payload.count {
            let part = UnsafeRawBufferPointer(
                rebasing: payload[place...].prefix(PageFormat.overflowBytes))
            place += part.count
            let rest = UnsafeMutableRawBufferPointer(
                start: page + 4, count: PageFormat.overflowBytes)
            rest.copyMemory(from: part)
            if part.count < rest.count {
                (page + 4 + part.count).initializeMemory(
                    as: UInt8.self, repeating: 0, count: rest.count - part.count)
            }
            let next = place < payload.count ? self.page(after: number) : 0
            page.storeBig(next, at: 0)
            _ = try append(page)
            if next != 0 { setPointer(to: next, .laterOverflow, parent: number) }
            number = next
        }
        return first
    }
}
