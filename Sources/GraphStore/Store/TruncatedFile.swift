/// A database file that is shorter than its header says, as one is whose copy was not finished.
///
/// SQLite refuses all of such a file, although most of it may be there.
struct TruncatedFile: Error, Equatable {
    let pageSize: Int
    /// Pages that are there, the last of them perhaps in part.
    let pages: Int
    /// Pages that the header names.
    let pagesInHeader: Int
    private let changeCounter: Int

    /// Where numbers stand in the header (https://www.sqlite.org/fileformat.html#the_database_header).
    private enum Offset {
        static let pageSize = 16
        static let changeCounter = 24
        static let pageCount = 28
        /// The change counter of the moment at which the page count was written.
        static let pageCountValidFor = 92
        static let end = 100
    }

    /// Nil where the file is as long as its header says, or where the header does not tell.
    ///
    /// What a log has to add is not looked at: a file with a log may well be shorter.
    init?(_ path: String) throws(StoreError) {
        let header = try StoreFiles.read(path, first: Offset.end)
        guard header.count == Offset.end, try StoreFiles.hasHeader(path) else { return nil }
        // 1 stands for 65536, which two bytes do not hold.
        let size = header.number(at: Offset.pageSize, bytes: 2)
        pageSize = size == 1 ? 65_536 : size
        pagesInHeader = header.number(at: Offset.pageCount, bytes: 4)
        changeCounter = header.number(at: Offset.changeCounter, bytes: 4)
        guard pageSize >= 512,
            changeCounter == header.number(at: Offset.pageCountValidFor, bytes: 4)
        else { return nil }
        let bytes = StoreFiles.size(path)
        pages = (bytes + pageSize - 1) / pageSize
        guard bytes < pagesInHeader * pageSize,
            StoreFiles.size(path + "-wal") == 0, StoreFiles.size(path + "-journal") == 0
        else { return nil }
    }

    /// What to tell of it.
    var text: String {
        "is cut off: it has \(pages) of the \(pagesInHeader) pages that its header names"
    }

    /// Makes SQLite read a copy, which it refuses as a whole because of the page count in the header.
    ///
    /// The copy gets the length that the header says, so that tables may begin behind its end. A
    /// damaged header may say terabytes; then SQLite is made to count the pages by the file's size.
    func makeReadable(_ copy: String) throws(StoreError) {
        guard pagesInHeader > 64 * pages + 10_000 else {
            try StoreFiles.extend(copy, to: pagesInHeader * pageSize)
            return
        }
        // The page count counts only if this number is that of the last change.
        let other = UInt32(truncatingIfNeeded: ~changeCounter)
        try StoreFiles.overwrite(
            copy, at: Int64(Offset.pageCountValidFor),
            with: (0..<4).map { UInt8(truncatingIfNeeded: other >> (24 - 8 * $0)) })
    }
}

extension StoreError {
    /// The store's file is shorter than its header says.
    package var isTruncated: Bool { cause is TruncatedFile }

    /// What to tell of a file that SQLite refuses as a whole.
    init(damaged path: String) {
        // Whatever else is wrong with the file, it is damaged.
        if let truncated = try? TruncatedFile(path) {
            self.init(.corrupt, "\(path) \(truncated.text)", cause: truncated)
        } else {
            self.init(.corrupt, "\(path) is not an SQLite file, or is damaged")
        }
    }
}
