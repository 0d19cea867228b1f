import Files
import SQLite

/// The pages of an SQLite file that may be damaged, read without SQLite.
///
/// SQLite trusts the numbers on a page: the offsets of cells, their lengths, and the order of their
/// keys. On a damaged page, it skips rows without an error, or reads arbitrary memory. This class
/// reads only bytes of the file and checks each number before using it. The same file therefore
/// always yields the same rows.
///
/// The file format: https://www.sqlite.org/fileformat2.html.
final class DamagedFile {
    let pageSize: Int
    /// The number of bytes of a page without the reserved ones at its end.
    let usableSize: Int
    let pageCount: Int
    /// Whether the header states that the file has pointer map pages.
    private let hasPointerMaps: Bool
    private let descriptor: Int32
    /// The unreferenced pages, which are cached because the reader of every table needs them.
    private var knownOrphans: (roots: [Int], orphans: [Orphan])?
    /// The last pointer map page, since it has the entries of many pages in a row.
    private var knownMap: (number: Int, bytes: [UInt8]?)?

    /// Opens the pages; `nil` if the file has a WAL or journal that is not merged, or an invalid
    /// header.
    convenience init?(of source: Connection) {
        guard let path = source.fileName else { return nil }
        self.init(path: path)
    }

    /// Opens the pages; `nil` if the file has a WAL or journal that is not merged, or an invalid
    /// header.
    init?(path: String) {
        guard
            StoreFiles.filledLogs(of: path).isEmpty,
            // The caller opened the file before, so this fails only if descriptors run out.
            let descriptor = try? FileSystem.open(path, .reading)
        else { return nil }
        self.descriptor = descriptor
        var header = [UInt8](repeating: 0, count: 100)
        let isRead = Self.fill(&header, from: descriptor, at: 0)
        var size = header.number(at: 16, bytes: 2)
        if size == 1 { size = 65_536 }
        pageSize = size
        usableSize = size - Int(header[20])
        let bytes = Int(StoreFiles.size(path))
        let isFormat = size >= 512 && size & (size - 1) == 0 && usableSize >= 480
        pageCount = isFormat ? (bytes + size - 1) / size : 0
        hasPointerMaps = header.number(at: 52, bytes: 4) != 0
        guard isRead, isFormat else { return nil }
    }

    deinit { FileSystem.close(descriptor) }

    /// The maximum number of cells on a leaf of a table.
    ///
    /// A leaf has a header of 8 bytes. The smallest cell takes 4 bytes in addition to its 2 in the
    /// array.
    var leafCellsMax: Int { (usableSize - 8) / 6 }

    /// Returns the bytes of a page, numbered from 1, or `nil` if it does not exist.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: pageSize)
        return Self.fill(&bytes, from: descriptor, at: Int64(number - 1) * Int64(pageSize))
            ? bytes : nil
    }

    /// Returns the B-tree page with this number, or `nil` if it is not a B-tree page.
    func tree(_ number: Int) -> DamagedPage? {
        guard let bytes = page(number), !isPointerMap(number, bytes) else { return nil }
        return DamagedPage(bytes, start: number == 1 ? 100 : 0, usableSize)
    }

    /// Returns whether a page is a pointer map page.
    ///
    /// Its first byte can be that of a B-tree page:
    /// https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages
    private func isPointerMap(_ number: Int, _ bytes: [UInt8]) -> Bool {
        guard number > 1, pointerMap(of: number) == number else { return false }
        let entries = min(usableSize / 5, pageCount - number)
        let valid = (0..<entries).count { (1...5).contains(bytes[5 * $0]) }
        // The lock page has no entry, and some entries may be damaged.
        if hasPointerMaps { return 2 * valid >= entries }
        // The header may be damaged; a B-tree page can start with a few valid entries.
        return entries >= 16 && valid == entries
    }

    /// The number of the pointer-map page that has the entry of a page, or that is the page.
    private func pointerMap(of number: Int) -> Int {
        let span = usableSize / 5 + 1
        // SQLite keeps this page for locks, and puts the map that would be there after it.
        let lock = 0x4000_0000 / pageSize + 1
        let map = (number - 2) / span * span + 2
        return map == lock ? map + 1 : map
    }

    /// Whether a pointer map says that a page is in use; `nil` if none says anything about it.
    private func isInUse(_ number: Int) -> Bool? {
        let map = pointerMap(of: number)
        guard number > 2, map < number, let bytes = pointerMap(at: map) else { return nil }
        let entry = bytes[5 * (number - map - 1)]
        let freePage: UInt8 = 2
        return (1...5).contains(entry) ? entry != freePage : nil
    }

    /// Returns the bytes of a pointer map page, or `nil` if the page is not one.
    private func pointerMap(at number: Int) -> [UInt8]? {
        if let known = knownMap, known.number == number { return known.bytes }
        let found = page(number).flatMap { isPointerMap(number, $0) ? $0 : nil }
        knownMap = (number, found)
        return found
    }

    /// Whether a page is one of a table with row IDs.
    func holdsRows(_ number: Int) -> Bool {
        guard number > 1, let page = tree(number) else { return false }
        return page.kind == .tableLeaf || page.kind == .tableInterior
    }

    /// Fills an array; bytes after the end of the file are zero.
    ///
    /// - Returns: `false` if nothing can be read, so that the page counts as damaged.
    private static func fill(
        _ bytes: inout [UInt8], from descriptor: Int32, at place: Int64
    ) -> Bool {
        bytes.withUnsafeMutableBytes { room in
            // The caller reports each page that cannot be read.
            ((try? FileSystem.fill(room, from: descriptor, at: place)) ?? 0) > 0
        }
    }

    // MARK: Pages without a parent

    /// A leaf of a table that no page leads to.
    struct Orphan {
        var page: Int
        /// Whether a pointer map says that the page is not free.
        var isInUse: Bool
    }

    /// Returns the leaves of tables that no page leads to, because a page above them is damaged.
    ///
    /// Pages that may be free are left out, because pages with deleted rows look the same. Pages
    /// that a pointer map calls free are left out, too, because the header may have lost the list.
    ///
    /// - Parameter roots: The root pages of all tables and indexes.
    func orphans(roots: [Int]) -> [Orphan] {
        if let known = knownOrphans, known.roots == roots { return known.orphans }
        var orphans: [Orphan] = []
        let free = freePages()
        let used = usedPages(roots: roots, besides: free.known)
        for page in stride(from: 1, through: pageCount, by: 1)
        where !used[page] && !free.possible[page] && tree(page)?.kind == .tableLeaf {
            let isInUse = isInUse(page)
            guard isInUse ?? true else { continue }
            orphans.append(Orphan(page: page, isInUse: isInUse ?? false))
        }
        knownOrphans = (roots, orphans)
        return orphans
    }

    /// Returns whether each page belongs to a tree or is free.
    private func usedPages(roots: [Int], besides free: [Bool]) -> [Bool] {
        var used = free
        var waiting = [1] + roots
        while let number = waiting.popLast() {
            guard number >= 1, number <= pageCount, !used[number] else { continue }
            used[number] = true
            guard let page = tree(number) else { continue }
            waiting += page.children
            for cell in 0..<page.cellCount {
                markOverflow(page.payload(ofCell: cell)?.overflow, &used)
            }
        }
        return used
    }

    private func markOverflow(_ first: Int?, _ used: inout [Bool]) {
        var next = first ?? 0
        while next >= 1, next <= pageCount, !used[next], let bytes = page(next) {
            used[next] = true
            next = bytes.number(at: 0, bytes: 4)
        }
    }

    /// What the file shows about free pages; both lists have an element for each page number.
    struct FreePages {
        /// The pages that are certainly free.
        var known: [Bool]
        /// The pages that are not certainly in use.
        var possible: [Bool]
    }

    /// Returns the free pages by their list or, if it is damaged, by the pointer maps.
    func freePages() -> FreePages {
        var free = [Bool](repeating: false, count: pageCount + 1)
        if markFree(&free) { return FreePages(known: free, possible: free) }
        let uses = free.indices.map { isInUse($0) }
        return FreePages(known: uses.map { $0 == false }, possible: uses.map { $0 != true })
    }

    /// Marks the pages in the file's list of free pages; returns `false` if the list does not match
    /// the header.
    func markFree(_ used: inout [Bool]) -> Bool {
        guard let header = page(1) else { return false }
        var trunk = header.number(at: 32, bytes: 4)
        let total = header.number(at: 36, bytes: 4)
        var found = 0
        while trunk != 0 {
            guard trunk <= pageCount, !used[trunk], let bytes = page(trunk) else { return false }
            used[trunk] = true
            found += 1
            let count = bytes.number(at: 4, bytes: 4)
            guard count <= usableSize / 4 - 2 else { return false }
            for place in 0..<count {
                let leaf = bytes.number(at: 8 + 4 * place, bytes: 4)
                guard leaf >= 1, leaf <= pageCount, !used[leaf] else { return false }
                used[leaf] = true
                found += 1
            }
            trunk = bytes.number(at: 0, bytes: 4)
        }
        return found == total
    }
}

/// A page of a B-tree.
struct DamagedPage {
    enum Kind: UInt8 {
        case indexInterior = 2
        case tableInterior = 5
        case indexLeaf = 10
        case tableLeaf = 13
    }

    let kind: Kind
    /// The number of cells, at most as many as fit on the page.
    let cellCount: Int
    /// Whether the page states more cells than fit.
    let claimsTooMany: Bool
    let bytes: [UInt8]
    private let usableSize: Int
    /// The offset of the cell pointer array.
    private let offsets: Int
    private let rightmost: Int?

    /// Parses a page; `nil` if the bytes do not start like a B-tree page.
    init?(_ bytes: [UInt8], start: Int, _ usableSize: Int) {
        guard let kind = Kind(rawValue: bytes[start]) else { return nil }
        self.kind = kind
        self.bytes = bytes
        self.usableSize = usableSize
        let isInterior = kind == .tableInterior || kind == .indexInterior
        offsets = start + (isInterior ? 12 : 8)
        rightmost = isInterior ? bytes.number(at: start + 8, bytes: 4) : nil
        let claimed = bytes.number(at: start + 3, bytes: 2)
        // The smallest cell takes 4 bytes in addition to its 2 in the array.
        let most = (usableSize - offsets) / 6
        cellCount = min(claimed, most)
        claimsTooMany = claimed > most
    }

    /// Returns the start of a cell, or `nil` if it is not after its entry in the array, or too
    /// close to the end of the page.
    func offset(ofCell cell: Int) -> Int? {
        let offset = bytes.number(at: offsets + 2 * cell, bytes: 2)
        return offset >= offsets + 2 * (cell + 1) && offset <= usableSize - 4 ? offset : nil
    }

    /// The child pages, in order.
    var children: [Int] { branches.map(\.page) }

    /// The child pages and the largest key of each; the key is `nil` for the last one and in an
    /// index.
    var branches: [(page: Int, key: Int64?)] {
        guard let rightmost else { return [] }
        var branches: [(page: Int, key: Int64?)] = []
        for cell in 0..<cellCount {
            guard let offset = offset(ofCell: cell) else { continue }
            var place = offset + 4
            let key = kind == .tableInterior ? varint(&place) : nil
            branches.append((bytes.number(at: offset, bytes: 4), key))
        }
        return branches + [(rightmost, nil)]
    }

    /// The location of a cell's record: the bytes on this page, and the overflow pages if it has
    /// any.
    struct Payload {
        var rowID: Int64
        /// The size of the record in bytes, including the part on overflow pages.
        var size: Int
        var local: Range<Int>
        /// The number of the first overflow page; `nil` if the whole record is on this page.
        var overflow: Int?
    }

    /// Returns the payload of a cell, or `nil` if it has none or does not fit on the page.
    func payload(ofCell cell: Int) -> Payload? {
        guard kind != .tableInterior, let offset = offset(ofCell: cell) else { return nil }
        var place = kind == .indexInterior ? offset + 4 : offset
        guard let claimed = varint(&place), claimed > 0, claimed <= Int64(Int32.max) else {
            return nil
        }
        let size = Int(claimed)
        var rowID: Int64 = 0
        if kind == .tableLeaf {
            guard let key = varint(&place) else { return nil }
            rowID = key
        }
        let most = kind == .tableLeaf ? usableSize - 35 : (usableSize - 12) * 64 / 255 - 23
        return Self.payload(at: place, size: size, rowID: rowID, most: most, bytes, usableSize)
    }

    /// Returns the payload of a table leaf cell that starts at an offset.
    static func leafPayload(
        at place: Int, size: Int, rowID: Int64, _ bytes: [UInt8], _ usableSize: Int
    ) -> Payload? {
        payload(at: place, size: size, rowID: rowID, most: usableSize - 35, bytes, usableSize)
    }

    private static func payload(
        at place: Int, size: Int, rowID: Int64, most: Int, _ bytes: [UInt8], _ usableSize: Int
    ) -> Payload? {
        guard size > most else {
            guard place + size <= usableSize else { return nil }
            return Payload(rowID: rowID, size: size, local: place..<place + size)
        }
        let least = (usableSize - 12) * 32 / 255 - 23
        let fitting = least + (size - least) % (usableSize - 4)
        let end = place + (fitting <= most ? fitting : least)
        guard end + 4 <= usableSize else { return nil }
        return Payload(
            rowID: rowID, size: size, local: place..<end,
            overflow: bytes.number(at: end, bytes: 4))
    }

    /// Returns the cells of a leaf whose bytes are part of no other cell and of no free space.
    ///
    /// A wrong pointer can lead to the bytes of a deleted cell. Such bytes are free, or they are
    /// used again by another cell. The result is empty if the list of free blocks is damaged.
    func separateCells() -> Set<Int> {
        let start = offsets - 8
        let claimed = bytes.number(at: start + 5, bytes: 2)
        // 0 stands for 65536, which does not fit into two bytes.
        let content = claimed == 0 ? 65_536 : claimed
        var taken: [(range: Range<Int>, cell: Int?)] = []
        var block = bytes.number(at: start + 1, bytes: 2)
        var reached = max(content, offsets + 2 * cellCount)
        while block != 0 {
            guard block >= reached, block <= usableSize - 4 else { return [] }
            let end = block + bytes.number(at: block + 2, bytes: 2)
            guard end >= block + 4, end <= usableSize else { return [] }
            taken.append((block..<end, nil))
            reached = end
            block = bytes.number(at: block, bytes: 2)
        }
        for cell in 0..<cellCount {
            guard let offset = offset(ofCell: cell), let payload = payload(ofCell: cell) else {
                continue
            }
            let end = payload.local.upperBound + (payload.overflow == nil ? 0 : 4)
            // SQLite stores at least 4 bytes for each cell.
            taken.append((offset..<max(end, offset + 4), cell))
        }
        taken.sort { $0.range.lowerBound < $1.range.lowerBound }
        var separate: Set<Int> = []
        var end = 0
        for (place, next) in taken.enumerated() {
            let following = place + 1 < taken.count ? taken[place + 1].range.lowerBound : .max
            if let cell = next.cell, next.range.lowerBound >= max(end, content),
                next.range.upperBound <= following
            {
                separate.insert(cell)
            }
            end = max(end, next.range.upperBound)
        }
        return separate
    }

    /// Whether a cell ends at the end of the page, as the first cell that was inserted does.
    var isFilledToItsEnd: Bool {
        (0..<cellCount).contains { cell in
            guard let payload = payload(ofCell: cell) else { return false }
            return payload.local.upperBound + (payload.overflow == nil ? 0 : 4) == usableSize
        }
    }

    /// Reads a varint; `nil` if it extends past the page.
    private func varint(_ place: inout Int) -> Int64? {
        bytes.varint(&place, end: usableSize)
    }
}

extension [UInt8] {
    /// Returns a big-endian number.
    func number(at place: Int, bytes count: Int) -> Int {
        self[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads a varint of 1 to 9 bytes; `nil` if it extends past the end.
    func varint(_ place: inout Int, end: Int) -> Int64? {
        var value: UInt64 = 0
        for count in 1...9 {
            guard place < end else { return nil }
            let byte = self[place]
            place += 1
            if count == 9 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return Int64(bitPattern: value) }
        }
        return nil
    }
}
