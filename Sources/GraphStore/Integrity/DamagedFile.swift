import Files
import SQLite

/// The pages of an SQLite file that may be damaged, read without SQLite.
///
/// SQLite trusts the numbers on a page: where cells are, how long they are, and that their keys rise.
/// On a damaged page it skips rows without an error, or reads what happens to be in memory. This
/// reads bytes of the file only, and each number is checked before it is used, so that the same file
/// always gives the same rows.
///
/// The format is described at https://www.sqlite.org/fileformat2.html.
final class DamagedFile {
    let pageSize: Int
    /// The bytes of a page without those that are reserved at its end.
    let usableSize: Int
    let pageCount: Int
    /// Whether the header says that the file has pages that tell what others are for.
    private let hasPointerMaps: Bool
    private let descriptor: Int32
    /// Kept, since every table asks for them.
    private var knownOrphans: (roots: [Int], pages: [Int])?

    /// Nil if the file has a log that is not in it yet, or a header that says nothing.
    convenience init?(of source: Connection) {
        guard
            let path = try? source.text(
                "SELECT file FROM pragma_database_list WHERE name = 'main'"),
            !path.isEmpty
        else { return nil }
        self.init(path: path)
    }

    /// Nil if the file has a log that is not in it yet, or a header that says nothing.
    init?(path: String) {
        guard
            !["-wal", "-journal"].contains(where: { StoreFiles.size(path + $0) > 0 }),
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

    /// The bytes of a page, which count from 1; nil if the file does not have it.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= pageCount else { return nil }
        var bytes = [UInt8](repeating: 0, count: pageSize)
        return Self.fill(&bytes, from: descriptor, at: Int64(number - 1) * Int64(pageSize))
            ? bytes : nil
    }

    /// The B-tree page of that number; nil if its bytes are none.
    func tree(_ number: Int) -> DamagedPage? {
        guard let bytes = page(number), !isPointerMap(number, bytes) else { return nil }
        return DamagedPage(bytes, start: number == 1 ? 100 : 0, usableSize)
    }

    /// Whether a page is one of those that tell what the pages behind them are for.
    ///
    /// Its first byte may be that of a B-tree page:
    /// https://www.sqlite.org/fileformat2.html#pointer_map_or_ptrmap_pages
    private func isPointerMap(_ number: Int, _ bytes: [UInt8]) -> Bool {
        let span = usableSize / 5 + 1
        // SQLite keeps this page for locks; the map that would be there is behind it.
        let lock = 0x4000_0000 / pageSize + 1
        let isPlace = number != lock && (number - 2) % span == 0
        guard number > 1, isPlace || number == lock + 1 && (lock - 2) % span == 0 else {
            return false
        }
        let entries = min(span - 1, pageCount - number)
        let valid = (0..<entries).count { (1...5).contains(bytes[5 * $0]) }
        // The page for locks has no entry, and some entries may be damaged.
        if hasPointerMaps { return 2 * valid >= entries }
        // The header may be damaged; a few entries may be what a B-tree page begins with.
        return entries >= 16 && valid == entries
    }

    /// Whether a page is one of a table with row IDs.
    func holdsRows(_ number: Int) -> Bool {
        guard number > 1, let page = tree(number) else { return false }
        return page.kind == .tableLeaf || page.kind == .tableInterior
    }

    /// Fills an array; zeros stand for what is behind the end of the file.
    private static func fill(
        _ bytes: inout [UInt8], from descriptor: Int32, at place: Int64
    ) -> Bool {
        let wanted = bytes.count
        return bytes.withUnsafeMutableBytes { room in
            var done = 0
            while done < wanted {
                let rest = UnsafeMutableRawBufferPointer(rebasing: room[done...])
                guard
                    let count = try? FileSystem.read(
                        descriptor, into: rest, at: place + Int64(done))
                else { return false }
                if count == 0 { break }
                done += count
            }
            return done > 0
        }
    }

    // MARK: Pages without a parent

    /// Leaves of tables that no page leads to any more, since a page above them is damaged.
    ///
    /// Nothing if the list of free pages is damaged: then pages with rows that were deleted would look
    /// the same.
    ///
    /// - Parameter roots: The first pages of all tables and indexes.
    func orphans(roots: [Int]) -> [Int] {
        if let known = knownOrphans, known.roots == roots { return known.pages }
        var pages: [Int] = []
        if let used = usedPages(roots: roots) {
            pages = (1...max(1, pageCount)).filter { !used[$0] && tree($0)?.kind == .tableLeaf }
        }
        knownOrphans = (roots, pages)
        return pages
    }

    /// Which pages are free or belong to a tree; nil if the list of free pages is damaged.
    private func usedPages(roots: [Int]) -> [Bool]? {
        var used = [Bool](repeating: false, count: pageCount + 1)
        used[0] = true
        guard markFree(&used) else { return nil }
        var waiting = [1] + roots
        while let number = waiting.popLast() {
            guard number >= 1, number <= pageCount, !used[number] else { continue }
            used[number] = true
            guard let page = tree(number) else { continue }
            waiting += page.children
            for cell in 0..<page.cellCount { markOverflow(page.overflow(ofCell: cell), &used) }
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

    /// Marks the free pages; false if their list is not what the header says.
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
    /// The cells that the page can hold at most, if it claims to have more.
    let cellCount: Int
    /// Whether the page claims to have more.
    let claimsTooMany: Bool
    let bytes: [UInt8]
    private let usableSize: Int
    /// The array of the cells' offsets.
    private let offsets: Int
    private let rightmost: Int?

    /// Nil if the bytes do not begin as such a page does.
    init?(_ bytes: [UInt8], start: Int, _ usableSize: Int) {
        guard let kind = Kind(rawValue: bytes[start]) else { return nil }
        self.kind = kind
        self.bytes = bytes
        self.usableSize = usableSize
        let isInterior = kind == .tableInterior || kind == .indexInterior
        offsets = start + (isInterior ? 12 : 8)
        rightmost = isInterior ? bytes.number(at: start + 8, bytes: 4) : nil
        let claimed = bytes.number(at: start + 3, bytes: 2)
        // The smallest cell takes 4 bytes besides its 2 in the array.
        let most = (usableSize - offsets) / 6
        cellCount = min(claimed, most)
        claimsTooMany = claimed > most
    }

    /// Where a cell begins; nil if that is not behind its place in the array, or too close to the
    /// page's end.
    func offset(ofCell cell: Int) -> Int? {
        let offset = bytes.number(at: offsets + 2 * cell, bytes: 2)
        return offset >= offsets + 2 * (cell + 1) && offset <= usableSize - 4 ? offset : nil
    }

    /// The pages below this one, in their order.
    var children: [Int] { branches.map(\.page) }

    /// The pages below this one, and the largest key of each; nil for the last one, and in an index.
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

    /// What a cell holds of its payload on this page.
    struct Payload {
        var rowID: Int64
        /// All of it, on other pages, too.
        var size: Int
        var local: Range<Int>
        /// The first of the other pages.
        var overflow: Int?
    }

    /// The payload of a cell that has one; nil if it does not fit on the page.
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

    /// The payload of a table's cell, which begins at a place.
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

    /// Whether a cell ends where the page does, as the first one that was put there.
    var isFilledToItsEnd: Bool {
        (0..<cellCount).contains { cell in
            guard let payload = payload(ofCell: cell) else { return false }
            return payload.local.upperBound + (payload.overflow == nil ? 0 : 4) == usableSize
        }
    }

    /// The first of the pages that hold the rest of a cell's payload.
    func overflow(ofCell cell: Int) -> Int? { payload(ofCell: cell)?.overflow }

    /// A number of variable length; nil if it reaches beyond the page.
    private func varint(_ place: inout Int) -> Int64? {
        bytes.varint(&place, end: usableSize)
    }
}

extension [UInt8] {
    /// A number, the highest byte first.
    func number(at place: Int, bytes count: Int) -> Int {
        self[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of 1 to 9 bytes; nil if it reaches beyond the end.
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
