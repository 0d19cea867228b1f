/// A database file that is shorter than its header states, for example after an interrupted copy.
///
/// SQLite rejects the complete file, although most of it may exist.
struct TruncatedFile: Error, Equatable {
    let pageSize: Int
    /// The number of existing pages; the last one may be incomplete.
    let pages: Int
    /// The number of pages that the header states.
    let pagesInHeader: Int
    private let changeCounter: Int

    /// The offsets of header fields (https://www.sqlite.org/fileformat.html#the_database_header).
    private enum Offset {
        static let pageSize = 16
        static let changeCounter = 24
        static let pageCount = 28
        /// The change counter at the time when the page count was written.
        static let pageCountValidFor = 92
        static let end = 100
    }

    /// Reads the header; `nil` if the file is complete or the header's page count is not valid.
    ///
    /// Also `nil` if a non-empty WAL or journal exists, because the file may then be shorter.
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
        guard bytes < pagesInHeader * pageSize, StoreFiles.filledLogs(of: path).isEmpty else {
            return nil
        }
    }

    /// The predicate of an error message.
    var text: String {
        "is truncated: it has \(pages) of the \(pagesInHeader) pages that its header names"
    }

    /// Makes a copy readable for SQLite, which rejects it because of the page count in the header.
    ///
    /// The copy is extended to the length that the header states, because tables may begin after
    /// its end. A damaged header may state terabytes; SQLite is then made to derive the page count
    /// from the file size.
    func makeReadable(_ copy: String) throws(StoreError) {
        guard pagesInHeader > 64 * pages + 10_000 else {
            try StoreFiles.extend(copy, to: pagesInHeader * pageSize)
            return
        }
        // SQLite uses the page count only if this number equals the change counter.
        let other = UInt32(truncatingIfNeeded: ~changeCounter)
        try StoreFiles.overwrite(
            copy, at: Int64(Offset.pageCountValidFor),
            with: (0..<4).map { UInt8(truncatingIfNeeded: other >> (24 - 8 * $0)) })
    }
}

extension StoreError {
    /// Whether the store's file is shorter than its header states.
    package var isTruncated: Bool { cause is TruncatedFile }

    /// Creates the error for a file that SQLite rejects completely.
    init(damaged path: String) {
        // The file is damaged, whether or not its length can be checked.
        if let truncated = try? TruncatedFile(path) {
            self.init(.corrupt, "\(path) \(truncated.text)", cause: truncated)
        } else {
            self.init(.corrupt, "\(path) is not an SQLite file, or is damaged")
        }
    }
}
