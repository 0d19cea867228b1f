import SQLite

/// Checks whether all rows of a damaged file's tables were found.
///
/// A page with wrong cell numbers loses rows silently, because reads skip them. The indexes of the
/// table still refer to these rows.
struct RowAccount {
    /// The rows of a table that are missing according to its indexes.
    struct Answer {
        /// The keys in an index whose rows were not found.
        var missing: Set<Int64> = []
        /// Whether `missing` contains every missing row.
        var isWhole = false
        /// Whether SQLite finds no fault in the table itself.
        var isIntact = true
    }

    private let source: Connection
    /// The pages of a damaged file; `nil` if SQLite finds no fault in it, or if its header is
    /// unreadable.
    let file: DamagedFile?
    /// Whether SQLite finds no fault in the file, so that a read finds all rows.
    private let isFileIntact: Bool
    /// Whether some pages are unreferenced: a tree that lost them looks intact.
    private let hasStrayPages: Bool

    private static let linesMax = 100_000

    /// Checks a file.
    ///
    /// - Throws: `.busy` if the file is damaged, and its log cannot be merged into it.
    init(of source: Connection) throws(StoreError) {
        self.source = source
        // Otherwise, SQLite reads past the end of a page whose cells are too long.
        try? source.execute("PRAGMA cell_size_check = ON")
        let lines = Self.lines("PRAGMA integrity_check(\(Self.linesMax))", on: source)
        isFileIntact = lines == ["ok"]
        file = isFileIntact ? nil : DamagedFile(of: source)
        hasStrayPages =
            lines.map { lines in
                lines.count >= Self.linesMax || lines.contains { $0.contains("never used") }
            } ?? true
        // A file without a log that is no SQLite file at all has no readable tables, either.
        if !isFileIntact, file == nil, let path = source.fileName,
            !StoreFiles.filledLogs(of: path).isEmpty
        {
            throw StoreError(
                .busy,
                "\(source.path) is damaged, and its log cannot be merged into it; close the programs"
                    + " that use the store, then try again")
        }
    }

    /// Returns the rows that the indexes contain in addition to the found ones.
    ///
    /// - Parameters:
    ///   - count: the number of rows that were found.
    ///   - last: the largest key that was assigned, if it is known. A single larger key in an index
    ///     is treated as damaged.
    ///   - isKnown: whether a row was found, or is already reported.
    func missing(
        of table: String, besides count: Int, upTo last: Int64?,
        isKnown: (Int64) throws(StoreError) -> Bool
    ) throws(StoreError) -> Answer {
        guard !isFileIntact else { return Answer(isWhole: true) }
        let isIntact = isIntact(table)
        var answer = Answer(isWhole: isIntact && !hasStrayPages, isIntact: isIntact)
        for index in indexes(of: table) {
            var entries = 0
            var lost: Set<Int64> = []
            var unassigned: Set<Int64> = []
            let isRead = try scan(index, of: table) { key throws(StoreError) in
                entries += 1
                guard try !isKnown(key) else { return }
                if key > 0, key <= last ?? Int64.max {
                    lost.insert(key)
                } else {
                    unassigned.insert(key)
                }
            }
            if unassigned.count > 1 { lost.formUnion(unassigned) }
            answer.missing.formUnion(lost)
            if isRead, !index.isPartial, entries == count + lost.count { answer.isWhole = true }
        }
        return answer
    }

    /// Returns how many more rows the indexes contain than were found, or `nil` if this is unknown.
    ///
    /// - Returns: the number, and whether an index was read completely, so that it is exact.
    func missingCount(
        of table: String, besides count: Int
    ) throws(StoreError) -> (count: Int, isExact: Bool)? {
        guard !isFileIntact else { return (0, true) }
        var most = isIntact(table) && !hasStrayPages ? count : -1
        var isExact = false
        for index in indexes(of: table) {
            var entries = 0
            let isRead = try scan(index, of: table) { _ throws(StoreError) in entries += 1 }
            if isRead || entries > count { most = max(most, entries) }
            if isRead, !index.isPartial, entries >= count { isExact = true }
        }
        return most < count ? nil : (most - count, isExact)
    }

    /// Returns a function that checks whether an index of a join table names a row with two values.
    ///
    /// It takes the row's key, and the values of the two columns.
    func naming(of table: String, _ columns: [String]) -> (Int64, [Int64]) -> Bool {
        // An index that cannot be read names nothing.
        let lookups = indexes(of: table).compactMap { index in
            try? source.prepare(
                "SELECT 1 FROM \(table) INDEXED BY \"\(index.name)\" WHERE \(columns[0]) = ?"
                    + " AND \(columns[1]) = ? AND rowid = ?")
        }
        return { key, pair in
            lookups.contains { lookup in
                lookup.bind(pair[0], at: 1)
                lookup.bind(pair[1], at: 2)
                lookup.bind(key, at: 3)
                defer { lookup.reset() }
                // An unreadable page of an index names nothing.
                return (try? lookup.step()) ?? false
            }
        }
    }

    /// Returns whether SQLite finds no fault in a table and its indexes.
    func isIntact(_ table: String) -> Bool {
        Self.lines("PRAGMA integrity_check(\(Connection.literal(table)))", on: source) == ["ok"]
    }

    // MARK: Indexes

    private struct Index {
        var name: String
        var isPartial: Bool
        /// The ` WHERE …` clause of a partial index.
        var condition: String
    }

    private func indexes(of table: String) -> [Index] {
        // A table whose indexes cannot be listed is treated as having none.
        guard
            let rows = try? source.prepare(
                "SELECT l.name, l.partial, m.sql FROM pragma_index_list('\(table)') l"
                    + " LEFT JOIN sqlite_master m ON m.type = 'index' AND m.name = l.name")
        else { return [] }
        var indexes: [Index] = []
        // An unreadable index is ignored.
        while (try? rows.step()) == true {
            let isPartial = rows.integer(1) != 0
            let sql = rows.string(2)
            let start = isPartial ? sql.firstRange(of: " WHERE ")?.lowerBound : nil
            indexes.append(
                Index(
                    name: rows.string(0), isPartial: isPartial,
                    condition: start.map { String(sql[$0...]) } ?? ""))
        }
        return indexes
    }

    /// Calls the body with each key in an index, without reading the table.
    ///
    /// - Returns: whether the index was read completely.
    private func scan(
        _ index: Index, of table: String, _ body: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let rows = try source.prepare(
                "SELECT rowid FROM \(table) INDEXED BY \"\(index.name)\"\(index.condition)")
            while try rows.step() { try body(rows.integer(0)) }
            return true
        } catch {
            // The keys from a damaged index are still valid.
            guard error.isDamage || error.isDamagedRead || error.isFunctionFailure else {
                throw error
            }
            return false
        }
    }

    private static func lines(_ sql: String, on source: Connection) -> [String]? {
        do throws(StoreError) {
            let rows = try source.prepare(sql)
            var lines: [String] = []
            while try rows.step() {
                lines += rows.string(0).split(separator: "\n").map(String.init)
            }
            return lines
        } catch {
            // A file that is too damaged to be checked is not intact.
            return nil
        }
    }
}
