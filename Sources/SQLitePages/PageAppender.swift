package import Files

/// Appends pages to a database file and replaces the empty root pages of its b-trees.
///
/// ```
/// let file = try PageAppender(storage, roots: [3, 4], journal: path)
/// let table = TableTree(root: 3, in: file)
/// try table.add(rowID: 1, record)          // in rising order of the row IDs
/// try table.finish()
/// try file.commit()
/// ```
/// The caller holds all locks of the file from before the initializer until after `commit`, and has
/// no cached page of it after that. Without `commit`, a file with a journal is rolled back when
/// SQLite opens it next; a file without one is useless.
package final class PageAppender {
    private enum Header {
        static let magic = Array("SQLite format 3\0".utf8)
        static let pageSize = 16
        static let versions = 18..<20
        static let reservedBytes = 20
        static let changeCounter = Int(PageFormat.changeCounterOffset)
        static let pageCount = 28
        static let schemaFormat = 44
        static let largestRoot = 52
        static let textEncoding = 56
        static let validFor = 92
    }

    private static let blockBytes = PageFormat.transferBytesMax

    private let storage: any PageStorage
    private let journal: RollbackJournal?
    private var firstPage: [UInt8]
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var pointerMap: PointerMap
    private let roots: Set<UInt32>
    private var rootPages: [UInt32: [UInt8]] = [:]
    private let block: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var blockUsed = 0
    private var blockOffset: Int64
    /// The number of pages of the file.
    @exclusivity(unchecked) package private(set) var pageCount: UInt32

    /// Checks the file's header, and writes the journal.
    ///
    /// - Parameters:
    ///   - roots: the root pages that may be filled; their trees are empty.
    ///   - journal: the name of the database file, for a file that must survive a kill; `nil` for a
    ///     private file that is deleted if its load fails.
    package init(
        _ storage: any PageStorage, roots: [UInt32], journal: FileName?
    ) throws(PageFault) {
        self.storage = storage
        self.roots = Set(roots)
        firstPage = try storage.page(1)
        let count = try Self.pageCount(of: firstPage)
        pageCount = count
        let (changed, last) = try Self.pagesThatChange(storage, roots, firstPage, count)
        self.journal = try journal.map { path throws(PageFault) in
            try RollbackJournal(of: path, pages: changed, pageCount: count)
        }
        pointerMap = PointerMap(firstNew: pageCount + 1, last: last)
        blockOffset = Int64(pageCount) * Int64(PageFormat.pageBytes)
        block = .allocate(byteCount: Self.blockBytes, alignment: 8)
    }

    deinit { block.deallocate() }

    /// Returns the original pages that change, and the pointer-map page with a free entry.
    private static func pagesThatChange(
        _ storage: any PageStorage, _ roots: [UInt32], _ first: [UInt8], _ count: UInt32
    ) throws(PageFault) -> (changed: [(number: UInt32, bytes: [UInt8])], last: [UInt8]?) {
        var changed: [(number: UInt32, bytes: [UInt8])] = [(1, first)]
        var last: [UInt8]?
        if !PageFormat.isPointerMap(count + 1) {
            let number = PointerMap.page(ofGroup: PointerMap.group(of: count + 1))
            let page = try storage.page(number)
            changed.append((number, page))
            last = page
        }
        for root in roots {
            let page = try storage.page(root)
            let isLeaf = [PageKind.tableLeaf.rawValue, PageKind.indexLeaf.rawValue]
                .contains(page[0])
            guard isLeaf, page[3] == 0, page[4] == 0 else {
                throw .unsuitable("page \(root) is not an empty root")
            }
            changed.append((root, page))
        }
        return (changed, last)
    }

    /// Returns the size of a file in pages if its header (1.3) is as SQLite writes it for our
    /// stores.
    private static func pageCount(of page: [UInt8]) throws(PageFault) -> UInt32 {
        func number(_ offset: Int) -> UInt32 {
            page[offset...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard Array(page[..<Header.magic.count]) == Header.magic,
            Int(page[Header.pageSize]) << 8 | Int(page[Header.pageSize + 1])
                == PageFormat.pageBytes,
            page[Header.reservedBytes] == 0, number(Header.textEncoding) == 1,
            number(Header.schemaFormat) == 4
        else { throw .unsuitable("its pages, its text, or its schema has another format") }
        // The roots precede all other pages, so the pages after them can be appended.
        guard number(Header.largestRoot) > 0 else { throw .unsuitable("it has no pointer map") }
        // A WAL may contain newer pages.
        guard page[Header.versions].allSatisfy({ $0 == 1 }) else {
            throw .unsuitable("it is in WAL mode")
        }
        guard number(Header.changeCounter) == number(Header.validFor) else {
            throw .unsuitable("its size is not known")
        }
        return number(Header.pageCount)
    }

    // MARK: Pages

    /// Appends a page and returns its number.
    func append(_ page: UnsafeMutableRawPointer) throws(PageFault) -> UInt32 {
        try skipReservedPages()
        pageCount += 1
        try put(page)
        return pageCount
    }

    /// The number of the next appended page.
    var nextPage: UInt32 {
        get throws(PageFault) {
            try skipReservedPages()
            return pageCount + 1
        }
    }

    /// Returns the number of the page that is appended after a page.
    func page(after number: UInt32) -> UInt32 {
        var next = number + 1
        while Self.isReserved(next) { next += 1 }
        return next
    }

    private static func isReserved(_ page: UInt32) -> Bool {
        PageFormat.isPointerMap(page) || page == PageFormat.lockBytePage
    }

    private func skipReservedPages() throws(PageFault) {
        guard pageCount < PageFormat.pageCountMax else {
            throw .unsuitable("it has too many pages")
        }
        while Self.isReserved(pageCount + 1) {
            pageCount += 1
            try put(nil)
        }
    }

    private func put(_ page: UnsafeMutableRawPointer?) throws(PageFault) {
        if blockUsed == Self.blockBytes { try flush() }
        if let page {
            (block + blockUsed).copyMemory(from: page, byteCount: PageFormat.pageBytes)
        } else {
            (block + blockUsed).initializeMemory(
                as: UInt8.self, repeating: 0, count: PageFormat.pageBytes)
        }
        blockUsed += PageFormat.pageBytes
    }

    private func flush() throws(PageFault) {
        try storage.write(
            UnsafeRawBufferPointer(start: block, count: blockUsed), at: blockOffset)
        blockOffset += Int64(blockUsed)
        blockUsed = 0
        try writeCompletePointerMaps()
    }

    /// Sets the pointer-map entry of a page.
    func setPointer(to page: UInt32, _ kind: PointerMap.Kind, parent: UInt32) {
        pointerMap.set(page, kind, parent: parent)
    }

    /// Writes a root page at the commit.
    func replace(root number: UInt32, with page: UnsafeMutableRawPointer) throws(PageFault) {
        guard roots.contains(number), rootPages[number] == nil else {
            throw .unsuitable("page \(number) is not one of the roots")
        }
        rootPages[number] = Array(
            UnsafeRawBufferPointer(start: page, count: PageFormat.pageBytes))
    }

    private func writeCompletePointerMaps() throws(PageFault) {
        for (number, page) in pointerMap.takeComplete() {
            try storage.write(page: page, at: number)
        }
    }

    // MARK: Committing

    /// Writes the remaining pages, the roots, and the header, and makes them durable.
    ///
    /// - Returns: the new change counter of the file.
    @discardableResult
    package func commit() throws(PageFault) -> UInt32 {
        if blockUsed > 0 { try flush() }
        for (number, page) in pointerMap.takeAll() { try storage.write(page: page, at: number) }
        for (number, page) in rootPages.sorted(by: { $0.key < $1.key }) {
            try storage.write(page: page, at: number)
        }
        let counter = (number(Header.changeCounter) &+ 1)
        set(counter, at: Header.changeCounter)
        set(counter, at: Header.validFor)
        set(pageCount, at: Header.pageCount)
        try storage.write(page: firstPage, at: 1)
        try storage.synchronize()
        try journal?.delete()
        return counter
    }

    private func number(_ offset: Int) -> UInt32 {
        firstPage[offset...].prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func set(_ value: UInt32, at offset: Int) {
        for place in 0..<4 {
            firstPage[offset + place] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * place))
        }
    }
}
