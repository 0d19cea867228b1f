import Files
import SQLite
import SQLitePages

/// Builds the indexes and join tables that a large load or deletion has deferred, as finished
/// pages.
///
/// SQLite would add their keys one by one, and write each page to the log and then to the file. This
/// type sorts the keys and writes each page once.
///
/// It needs the file for itself: it leaves the WAL mode, which SQLite allows if no other connection
/// is open, and others wait until it is done. If it cannot have the file, or the pages are not ones
/// that it can write, it changes nothing, and SQL statements do the work.
///
/// 1. A transaction creates an empty tree for each index.
/// 2. All trees are filled; a rollback journal protects the file.
/// 3. A transaction turns the trees into indexes and deletes their notes in `ETL_PENDING`.
///
/// If the process is killed in between, the notes are left, and the next opening starts again.
package struct PageBuild {
    /// An index on a filled table.
    private struct Tree {
        let index: StoreLayout.Index
        /// The positions of the columns in the table; `nil` for the alias of the row ID.
        let places: [Int?]
        let descending: [Bool]

        /// Returns `nil` for an index with a condition, or with columns that it does not know.
        ///
        /// - Parameter columns: the columns of the table, in order.
        init?(_ index: StoreLayout.Index, columns: [String], rowID: String? = nil) {
            guard index.condition == nil else { return nil }
            var places: [Int?] = []
            var descending: [Bool] = []
            for column in index.columns {
                let words = column.split(separator: " ").map(String.init)
                guard let place = columns.firstIndex(of: words[0]),
                    [[], ["COLLATE", "BINARY", "ASC"], ["COLLATE", "BINARY", "DESC"]]
                        .contains(Array(words.dropFirst()))
                else { return nil }
                places.append(words[0] == rowID ? nil : place)
                descending.append(words.last == "DESC")
            }
            self.index = index
            self.places = places
            self.descending = descending
        }

        var name: String { PageBuild.treeName(index.name) }
    }

    /// The table whose rows have the keys of a tree.
    private struct KeySource {
        let tree: Tree
        /// The root page of the table.
        let root: UInt32
        let pageCount: UInt32
        /// The folder of a temporary file for keys that do not fit in memory.
        let folder: FileName

        /// Reads the table, and returns the keys in order.
        func sort(
            _ storage: any PageStorage, _ memoryBytes: Int
        ) throws(PageFault) -> KeySorter {
            let sorter = KeySorter(
                KeyOrder(descending: tree.descending), isUnique: tree.index.isUnique,
                spill: KeySpill(in: folder), memoryBytes: memoryBytes)
            var keys = KeyMaker(columns: tree.places)
            var reader = TableReader(storage, pageCount: pageCount)
            try reader.forEachRow(ofRoot: root) { rowID, record throws(PageFault) in
                let key = try keys.key(of: record, rowID: rowID)
                guard key.count <= keyBytesMax else { throw .unsuitable("a key is too long") }
                try sorter.add(key)
            }
            try sorter.finish()
            return sorter
        }
    }

    /// A join table with deferred rows.
    private struct Links {
        let rows: DeferredJoinRows
        let table: String
        let reverse: Tree

        /// The name of the index that SQLite creates for the primary key.
        var keyName: String { "sqlite_autoindex_\(table)_1" }
    }

    /// The minimum size of the file; in a smaller one, leaving the WAL mode costs more than it
    /// saves.
    package static let pagesMin: Int64 = 4_096
    /// The maximum size of a key; merging holds one of each sorted run in memory.
    private static let keyBytesMax = 1 << 14

    private let connection: Connection
    private let memoryBytes: Int
    private let pagesMin: Int64
    private var trees: [Tree] = []
    private var links: [Links] = []

    /// Returns the name of the tree that becomes an index.
    static func treeName(_ index: String) -> String { "ETL_TREE_\(index)" }

    /// Returns `nil` if nothing is deferred that can be built as pages.
    ///
    /// - Parameters:
    ///   - notes: The deferred statements by name, without those for other purposes.
    ///   - memoryBytes: The memory for sorting.
    ///   - pagesMin: The minimum size of the file in pages.
    init?(
        _ notes: [String: String], _ schema: StoreLayout, on connection: Connection,
        memoryBytes: Int, pagesMin: Int64
    ) throws(StoreError) {
        self.connection = connection
        self.memoryBytes = memoryBytes
        self.pagesMin = pagesMin
        let size = try connection.pageCounts()
        guard schema.isOurs, schema.parts.isEmpty, connection.fileName != nil,
            size.count >= pagesMin, size.bytes == PageFormat.pageBytes
        else { return nil }
        for table in schema.joinTables {
            let columns = [table.firstColumn, table.secondColumn] + table.orderColumns
            guard notes[table.reverseIndex.name] != nil,
                let reverse = Tree(table.reverseIndex, columns: columns)
            else { continue }
            let name = DeferredJoinRows.name(of: table.name)
            guard let note = notes[name] else {
                trees.append(reverse)
                continue
            }
            guard let rows = try DeferredJoinRows(name: name, note: note, on: connection),
                try !connection.hasRows(table.name)
            else { continue }
            links.append(Links(rows: rows, table: table.name, reverse: reverse))
        }
        for table in schema.tables {
            let columns = ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name)
            trees += table.indexes.filter { notes[$0.name] != nil }
                .compactMap { Tree($0, columns: columns, rowID: columns[0]) }
        }
        guard !trees.isEmpty || !links.isEmpty else { return nil }
    }

    private var folder: FileName { FileName(connection.fileName ?? "").folder }
    private var allTrees: [Tree] { links.map(\.reverse) + trees }

    /// Builds the deferred indexes and join tables that can be built as pages.
    ///
    /// The statements for all others remain in `ETL_PENDING`, and the caller runs them.
    func run() throws(StoreError) {
        switch try connection.journalMode() {
        case "delete":
            try build()
        case "wal":
            try PendingIndexes.noteLog(on: connection)
            guard try connection.leaveLog() else { return }
            defer { enterLog() }
            try build()
        default:
            return
        }
    }

    /// Sets the journal mode back to WAL after the pages are built.
    ///
    /// If other programs prevent this, the result is valid anyway; the store then only lacks a WAL.
    private func enterLog() { try? connection.enterLog() }

    /// Builds the B-trees of indexes and join tables.
    ///
    /// If another program interferes, their SQL statements remain to be run.
    private func build() throws(StoreError) {
        let pagesBefore = try connection.pageCounts().count
        do throws(StoreError) {
            try createTrees()
            guard case .success(let filled) = try fill(), try turnIntoIndexes(filled) else {
                return try dropTrees()
            }
        } catch {
            guard error.code == .busy else { throw error }
            return
        }
        // The new pages follow the old ones. Without this, the file keeps the space of both.
        let added = try connection.pageCounts().count - pagesBefore
        if added > 0 { try? connection.shrinkFile(byPages: added) }
    }

    /// Creates the empty trees.
    func createTrees() throws(StoreError) {
        try connection.writing { () throws(StoreError) in
            try PendingIndexes.claim(on: connection)
            for tree in allTrees {
                try connection.createTree(tree.name, descending: tree.descending)
            }
        }
    }

    private func dropTrees() throws(StoreError) {
        try connection.writing { () throws(StoreError) in
            for tree in allTrees { try connection.dropTree(tree.name) }
        }
    }

    /// Turns the filled trees into indexes, and deletes the notes of what is done.
    ///
    /// - Parameter filled: The file's change counter after they were filled.
    /// - Returns: False if another program has written since.
    func turnIntoIndexes(_ filled: UInt32) throws(StoreError) -> Bool {
        var isDone = false
        try connection.writing { () throws(StoreError) in
            isDone = try connection.turn(
                allTrees.map { tree in
                    (
                        tree.name,
                        Connection.StoredIndex(
                            name: tree.index.name, table: tree.index.table,
                            sql: SchemaSQL.stored(tree.index))
                    )
                }, filled: filled)
            guard isDone else { return }
            for links in links { try links.rows.dropTables(on: connection) }
            try PendingIndexes.forget(
                allTrees.map(\.index.name) + links.map(\.rows.name), on: connection)
        }
        return isDone
    }

    // MARK: Filling

    /// Fills the trees and the join tables.
    ///
    /// - Returns: The file's change counter, or the reason why nothing was written.
    func fill() throws(StoreError) -> Result<UInt32, PageFault> {
        let empty = allTrees.map(\.name) + links.flatMap { [$0.table, $0.keyName] }
        do {
            return try connection.fill(empty, reading: trees.map(\.index.table)) { file in
                let sources = try trees.map { tree in
                    KeySource(
                        tree: tree, root: try file.root(tree.index.table),
                        pageCount: file.pageCount, folder: folder)
                }
                let sorting = sortingThread(sources, file)
                defer { sorting?.stop() }
                let memoryBytes = sorting == nil ? memoryBytes : memoryBytes / 2
                for links in links { try fill(links, file, memoryBytes) }
                for (tree, source) in zip(trees, sources) {
                    let sorter = try sorting?.next() ?? source.sort(file.storage, memoryBytes)
                    try write(sorter, as: tree, file)
                }
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.internalError, "\(error)")
        }
    }

    /// Starts to sort the keys of all trees on a second thread; returns `nil` if it would not save
    /// time.
    private func sortingThread(
        _ sources: [KeySource], _ file: Connection.LockedFile
    ) -> SortingThread? {
        guard file.pageCount >= pagesMin, !sources.isEmpty, sources.count + links.count > 1,
            let storage = file.openForThread()
        else { return nil }
        return SortingThread(count: sources.count) { [memoryBytes] place throws(PageFault) in
            try sources[place].sort(storage, memoryBytes / 2)
        }
    }

    private func write(
        _ sorter: KeySorter, as tree: Tree, _ file: Connection.LockedFile
    ) throws(PageFault) {
        let pages = IndexTree(root: try file.root(tree.name), in: file.pages)
        try sorter.forEach { key throws(PageFault) in try pages.add(key) }
        try pages.finish()
    }

    /// Writes the rows in the order of the primary key, its index, and the index of the other
    /// column.
    private func fill(
        _ links: Links, _ file: Connection.LockedFile, _ memoryBytes: Int
    ) throws {
        let rows = TableTree(root: try file.root(links.table), in: file.pages)
        let keys = IndexTree(root: try file.root(links.keyName), in: file.pages)
        // The rows come in the order of the other column, where this one is equal.
        let sorter = KeySorter(
            KeyOrder(columns: 1), isUnique: false, spill: KeySpill(in: folder),
            memoryBytes: memoryBytes / 2)
        var record = RecordEncoder()
        var rowID: Int64 = 0
        var fault: PageFault?
        let isComplete = try links.rows.forEachSorted(
            on: connection, memoryBytes: memoryBytes / 2
        ) { pairs in
            do throws(PageFault) {
                for pair in pairs {
                    let (first, second) = PairTable.unpacked(pair)
                    rowID += 1
                    try rows.add(rowID: rowID, record.encode(first, second))
                    try keys.add(record.encode(first, second, rowID))
                    try sorter.add(record.encode(second, first, rowID))
                }
                return true
            } catch {
                fault = error
                return false
            }
        }
        if let fault { throw fault }
        guard isComplete else { throw PageFault.unsuitable("its links do not fit in memory") }
        try rows.finish()
        try keys.finish()
        try write(sorter, as: links.reverse, file)
    }
}

extension RecordEncoder {
    /// Returns the record of some integers, which is valid until the next one.
    fileprivate mutating func encode(_ first: Int64, _ second: Int64) -> UnsafeRawBufferPointer {
        begin(columns: 2)
        add(first)
        add(second)
        return finish()
    }

    fileprivate mutating func encode(
        _ first: Int64, _ second: Int64, _ rowID: Int64
    ) -> UnsafeRawBufferPointer {
        begin(columns: 3)
        add(first)
        add(second)
        add(rowID)
        return finish()
    }
}
