/// The pointer-map pages (section 1.8) of the appended pages.
///
/// An entry is set when the page that refers to its page is written. A pointer-map page is complete
/// when all its entries are set, so only a few are in memory at a time.
struct PointerMap: ~Copyable {
    /// The kind of a page and the meaning of its parent.
    enum Kind: UInt8 {
        /// The first page of a chain; the parent is the b-tree page of the cell.
        case firstOverflow = 3
        /// The parent is the previous page of the chain.
        case laterOverflow = 4
        /// The parent is the b-tree page above.
        case tree = 5
    }

    private static let entryBytes = 5
    /// The number of entries of a pointer-map page.
    private static let entriesMax = Int(PageFormat.pointerMapStride) - 1

    private var pages: [[UInt8]] = []
    private var missing: [Int] = []
    private var complete: [Int] = []
    private let firstGroup: Int

    /// Creates the entries for pages that are appended to a file.
    ///
    /// - Parameters:
    ///   - firstNew: the first appended page.
    ///   - last: the pointer-map page before it, which has the first appended page's entry; `nil`
    ///     if the first appended page is a pointer-map page.
    init(firstNew: UInt32, last: [UInt8]?) {
        firstGroup = Self.group(of: firstNew)
        guard let last else { return }
        let known = Int(firstNew - Self.page(ofGroup: firstGroup)) - 1
        pages.append(last)
        missing.append(Self.entriesMax - known)
    }

    /// Returns the number of the pointer-map page that has a page's entry, counted from 0.
    static func group(of page: UInt32) -> Int {
        Int((page - PageFormat.firstPointerMap) / PageFormat.pointerMapStride)
    }

    static func page(ofGroup group: Int) -> UInt32 {
        PageFormat.firstPointerMap + UInt32(group) * PageFormat.pointerMapStride
    }

    /// Sets the entry of an appended page, once.
    mutating func set(_ page: UInt32, _ kind: Kind, parent: UInt32) {
        let group = Self.group(of: page)
        let place = group - firstGroup
        while pages.count <= place {
            pages.append([UInt8](repeating: 0, count: PageFormat.pageBytes))
            missing.append(Self.entriesMax)
        }
        let offset = Int(page - Self.page(ofGroup: group) - 1) * Self.entryBytes
        pages[place].withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return }
            start.storeBytes(of: kind.rawValue, toByteOffset: offset, as: UInt8.self)
            start.storeBig(parent, at: offset + 1)
        }
        missing[place] -= 1
        // The lock-byte page has no entry, so its pointer-map page never counts as complete.
        if missing[place] == 0 { complete.append(place) }
    }

    /// Returns the pages that became complete since the last call, and frees their memory.
    mutating func takeComplete() -> [(number: UInt32, page: [UInt8])] {
        defer { complete.removeAll() }
        return complete.map { place in
            defer { pages[place] = [] }
            return (Self.page(ofGroup: firstGroup + place), pages[place])
        }
    }

    /// Returns all pages that were not returned yet.
    mutating func takeAll() -> [(number: UInt32, page: [UInt8])] {
        complete = pages.indices.filter { !pages[$0].isEmpty }
        return takeComplete()
    }
}
