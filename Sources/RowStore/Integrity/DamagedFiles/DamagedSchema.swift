import Files

/// A row of a file's schema table.
struct SchemaRow: Hashable {
    var type: String
    var name: String
    var table: String
    var root: Int
    /// The statement, or `nil` for an index that is part of a table's statement.
    var sql: String?

    /// Creates the row from a record; `nil` if the record is not a schema row.
    init?(_ cells: [BulkCell]) {
        guard cells.count == 5, cells[0].kind == .text, cells[1].kind == .text,
            cells[2].kind == .text
        else { return nil }
        type = cells[0].text
        name = cells[1].text
        table = cells[2].text
        root = cells[3].kind == .integer ? Int(clamping: cells[3].integerValue) : 0
        sql = cells[4].kind == .text ? cells[4].text : nil
        guard !name.isEmpty, sql != nil || name.hasPrefix("sqlite_autoindex_") else { return nil }
    }

    /// The statement, or an empty string if there is none.
    var statement: String { sql ?? "" }

    /// The name of the table that the row's statement declares, or `nil` if there is none.
    var declaredTable: String? {
        let words = statement.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[0] == "CREATE", words[1] == "TABLE" else { return nil }
        return String(words[2])
    }

    /// Returns whether SQLite treats a name as equal to the row's name.
    func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    init(_ type: String, _ name: String, table: String, root: Int, sql: String?) {
        self.type = type
        self.name = name
        self.table = table
        self.root = root
        self.sql = sql
    }
}

/// A file's schema table, read cell by cell from pages that may be damaged.
struct DamagedSchema {
    let file: DamagedFile
    private(set) var rows: [SchemaRow] = []
    /// The pages of the schema table except the first.
    private(set) var pages: [Int] = []
    /// Whether every cell was read and all names are unique.
    private(set) var isWhole = true
    private var names: Set<String> = []
    private let record = DamagedRecord()

    /// Reads the rows that are reachable from the first page.
    init(_ file: DamagedFile) {
        self.file = file
        var waiting = [1]
        var visited: Set<Int> = []
        while let number = waiting.popLast() {
            guard visited.insert(number).inserted, let page = file.tree(number) else {
                isWhole = false
                continue
            }
            guard number == 1 || leadsToList(page) else {
                isWhole = false
                continue
            }
            if number > 1 { pages.append(number) }
            if page.claimsTooMany { isWhole = false }
            switch page.kind {
            case .tableLeaf: addRows(of: page)
            case .tableInterior:
                if page.children.count != page.cellCount + 1 { isWhole = false }
                waiting += page.children.reversed()
            case .indexLeaf, .indexInterior: isWhole = false
            }
        }
    }

    /// Returns whether the schema table contains a name.
    func has(_ name: String) -> Bool { names.contains(name.lowercased()) }

    private mutating func addRows(of page: DamagedPage) {
        for cell in 0..<page.cellCount {
            guard let payload = page.payload(ofCell: cell),
                record.read(payload, page.bytes, in: file),
                let row = SchemaRow(record.cells), add(row)
            else {
                isWhole = false
                continue
            }
            guard record.isWhole else {
                isWhole = false
                continue
            }
            // A damaged overflow chain leads to pages of other tables.
            if let sql = row.sql, sql.hasPrefix("CREATE "), !sql.contains(BulkCell.mark) {
                noteOverflow(payload)
            }
        }
    }

    private mutating func add(_ row: SchemaRow) -> Bool {
        guard names.insert(row.name.lowercased()).inserted else { return false }
        rows.append(row)
        return true
    }

    private mutating func noteOverflow(_ payload: DamagedPage.Payload) {
        let count = (payload.size - payload.local.count) / (file.usableSize - 4) + 1
        var next = payload.overflow ?? 0
        for _ in 0..<count {
            guard next > 1, !pages.contains(next), let bytes = file.page(next) else { return }
            pages.append(next)
            next = bytes.number(at: 0, bytes: 4)
        }
    }

    /// Returns whether the first leaf below a page belongs to the schema table.
    private func leadsToList(_ page: DamagedPage) -> Bool {
        var page = page
        for _ in 0..<20 where page.kind == .tableInterior {
            guard let child = page.children.lazy.compactMap(file.tree).first else { return false }
            page = child
        }
        return page.kind == .tableLeaf && isOfList(page)
    }

    // MARK: Rows that nothing leads to

    /// Searches pages that are not reachable from the first one, and the free space between the
    /// cells of a page for the given tables.
    mutating func search(for tables: Set<String>) {
        let free = file.freePages().possible
        var leaves = [1]
        for number in stride(from: 2, through: file.pageCount, by: 1) where !free[number] {
            guard let page = file.tree(number), page.kind == .tableLeaf, page.cellCount > 0 else {
                continue
            }
            guard !pages.contains(number) else {
                leaves.append(number)
                continue
            }
            guard isOfList(page) else { continue }
            pages.append(number)
            leaves.append(number)
            addRows(of: page)
        }
        for number in leaves {
            guard let bytes = file.page(number) else { continue }
            for place in (number == 1 ? 100 : 0)..<max(100, file.usableSize - 12)
            where (6...24).contains(bytes[place]) {
                guard let row = row(at: place, bytes), tables.contains(row.name.lowercased()),
                    file.holdsRows(row.root), !rows.contains(where: { $0.root == row.root })
                else { continue }
                _ = add(row)
            }
        }
    }

    /// Returns whether the first readable cell belongs to the schema table.
    private func isOfList(_ page: DamagedPage) -> Bool {
        for cell in 0..<page.cellCount {
            guard let payload = page.payload(ofCell: cell),
                record.read(payload, page.bytes, in: file)
            else { continue }
            guard let row = SchemaRow(record.cells) else { return false }
            return ["table", "index", "trigger", "view"].contains(row.type)
        }
        return false
    }

    /// Returns the row of a table whose record starts at an offset of a page.
    private func row(at place: Int, _ bytes: [UInt8]) -> SchemaRow? {
        var next = place
        guard let length = bytes.varint(&next, end: file.usableSize), length >= 6, length <= 24
        else { return nil }
        let end = place + Int(length)
        var types: [Int64] = []
        while next < end, types.count < 6 {
            guard let type = bytes.varint(&next, end: file.usableSize) else { return nil }
            types.append(type)
        }
        let isText = { (type: Int64) -> Bool in type >= 13 && type % 2 == 1 && type < 1 << 24 }
        guard next == end, types.count == 5, types[0] == 23, (1...6).contains(types[3]),
            isText(types[1]), isText(types[2]), isText(types[4])
        else { return nil }
        let numberSize = types[3] == 5 ? 6 : types[3] == 6 ? 8 : Int(types[3])
        var size = Int(length) + numberSize
        for text in [types[0], types[1], types[2], types[4]] { size += Int(text - 13) / 2 }
        guard
            let payload = DamagedPage.leafPayload(
                at: place, size: size, rowID: 0, bytes, file.usableSize),
            record.read(payload, bytes, in: file), record.isWhole,
            let row = SchemaRow(record.cells), row.type == "table"
        else { return nil }
        return row
    }

    // MARK: Corrections

    /// Replaces the rows with corrected ones.
    mutating func replaceRows(with corrected: [SchemaRow]) {
        rows = corrected
        names = Set(corrected.map { $0.name.lowercased() })
    }
}

extension BulkCell {
    /// The replacement for one byte that is not valid text.
    ///
    /// It takes one byte, so that the length of a damaged text is unchanged.
    fileprivate static let mark: Character = "\u{1A}"

    /// The text, with marks instead of invalid bytes.
    fileprivate var text: String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for unit in FileName.units(of: bytes) {
            switch unit {
            case .scalar(let scalar): text.unicodeScalars.append(scalar)
            case .byte: text.append(Self.mark)
            }
        }
        return text
    }
}
