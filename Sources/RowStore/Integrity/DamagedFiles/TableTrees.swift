/// The table trees of a damaged file, assigned to the tables of the store.
///
/// A root page in the schema table is used if its records look like the table's records. Otherwise,
/// another tree with matching records is searched. Among several trees, the first by these criteria
/// is used:
///
/// 1. It contains the pairs of an index of the table.
/// 2. It is the root page in the schema table.
/// 3. It has the most leaves.
/// 4. It is the first in the file.
struct TableTrees {
    /// A table with a test that shows whether a record can belong to it.
    struct Form {
        var name: String
        /// Whether the schema table must contain the table.
        var isRequired = true
        /// Whether the records of several tables look alike, so that indexes must distinguish them.
        var isOfPairs = false
        var matches: ([BulkCell]) -> Bool
    }

    /// The maximum number of records that are read to classify a tree, and of pages to find them.
    private static let recordsMax = 64
    private static let pagesMax = 1_024

    private let file: DamagedFile
    /// The parent of each page, if it has one.
    private var parents: [Int: Int] = [:]
    /// The pages of tables that have no parent.
    private var tops: [Int] = []
    private var isFree: [Bool]
    private let record = DamagedRecord()

    /// Finds all pages of table B-trees, and the topmost page of each tree.
    ///
    /// - Parameter list: the pages of the schema table.
    init(_ file: DamagedFile, besides list: Set<Int>) {
        self.file = file
        // A page that may be free may contain deleted records: it is used only if the schema table
        // contains it as a root page.
        let mayBeFree = file.freePages().possible
        isFree = [Bool](repeating: false, count: file.pageCount + 1)
        if !file.markFree(&isFree) {
            isFree = [Bool](repeating: false, count: file.pageCount + 1)
        }
        var pages: [Int] = []
        for number in stride(from: 2, through: file.pageCount, by: 1)
        where !mayBeFree[number] && !list.contains(number) {
            guard let page = file.tree(number),
                page.kind == .tableLeaf || page.kind == .tableInterior
            else { continue }
            pages.append(number)
            for child in page.children
            where child != number && child > 1 && child <= file.pageCount && parents[child] == nil {
                parents[child] = number
            }
        }
        tops = pages.filter { parents[$0] == nil }
    }

    // MARK: Judging

    /// Returns whether the schema table contains a root page that cannot be the table's.
    func isWrong(_ form: Form, in rows: [SchemaRow]) -> Bool {
        guard let claim = rows.first(where: { $0.isNamed(form.name) }) else { return false }
        guard !isDestroyed(claim.root, in: rows) else { return false }
        return claim.root != root(of: form, claim.root)
            || rows.count(where: { $0.root == claim.root }) > 1
    }

    /// Returns whether the root page of a row cannot be read and belongs to no other row.
    ///
    /// The row keeps this page number, so that the repair searches for the pages below it.
    private func isDestroyed(_ root: Int, in rows: [SchemaRow]) -> Bool {
        root > 1 && root <= file.pageCount && !isFree[root] && file.tree(root) == nil
            && rows.count(where: { $0.root == root }) == 1
    }

    /// Returns the root page of a table, given the page in the schema; `nil` if that is wrong.
    private func root(of form: Form, _ claimed: Int) -> Int? {
        guard claimed > 1, claimed <= file.pageCount, !isFree[claimed], file.holdsRows(claimed)
        else { return nil }
        let (like, unlike) = counts(claimed, form)
        guard like > unlike else { return like + unlike == 0 ? claimed : nil }
        return top(of: claimed, form)
    }

    /// Returns the highest ancestor of a page whose records also look like the table's.
    private func top(of page: Int, _ form: Form) -> Int {
        var top = page
        var passed: Set = [page]
        while let parent = parents[top], passed.insert(parent).inserted {
            let (like, unlike) = counts(parent, form)
            guard like > unlike else { break }
            top = parent
        }
        return top
    }

    /// Returns how many of the first records below a page look like those of a table, and how many
    /// do not.
    private func counts(_ root: Int, _ form: Form) -> (like: Int, unlike: Int) {
        var (like, unlike) = (0, 0)
        forEachRecord(below: root) { record in
            if form.matches(record.cells) { like += 1 } else { unlike += 1 }
            return like + unlike < Self.recordsMax
        }
        return (like, unlike)
    }

    /// Calls the body with the records below a page until it returns `false`.
    private func forEachRecord(
        below root: Int, pagesMax: Int = pagesMax, _ body: (DamagedRecord) -> Bool
    ) {
        forEachLeaf(below: root, pagesMax: pagesMax) { page in
            for cell in 0..<page.cellCount where record.read(cell, of: page, in: file) {
                guard body(record) else { return false }
            }
            return true
        }
    }

    private func forEachLeaf(
        below root: Int, pagesMax: Int = .max, _ body: (DamagedPage) -> Bool
    ) {
        var waiting = [root]
        var visited: Set<Int> = []
        while let number = waiting.popLast(), visited.count < pagesMax {
            guard visited.insert(number).inserted, let page = file.tree(number) else { continue }
            switch page.kind {
            case .tableInterior, .indexInterior: waiting += page.children.reversed()
            case .tableLeaf, .indexLeaf: guard body(page) else { return }
            }
        }
    }

    // MARK: Assigning

    /// Returns the rows with the actual root pages of their tables.
    ///
    /// - A table without a row gets one if a tree matches it.
    /// - A row with the root page of another table loses it.
    func corrected(_ rows: [SchemaRow], _ forms: [Form]) -> [SchemaRow] {
        var rows = rows
        nameTables(of: &rows, forms)
        var roots: [String: Int] = [:]
        for form in forms where !isWrong(form, in: rows) {
            guard let row = rows.first(where: { $0.isNamed(form.name) }) else { continue }
            let isEmpty = counts(row.root, form) == (0, 0)
            // An empty page is the table's only if no tree is.
            if !isEmpty || isDestroyed(row.root, in: rows) { roots[form.name] = row.root }
        }
        let wanted = forms.filter { roots[$0.name] == nil }
        var scores: [Score] = []
        for form in wanted {
            for tree in candidates(form, rows) where !roots.values.contains(tree) {
                scores.append(score(form, tree, rows))
            }
        }
        for score in scores.sorted() {
            guard roots[score.form] == nil, !roots.values.contains(score.tree) else { continue }
            roots[score.form] = score.tree
        }
        for form in forms { put(form, roots, in: &rows) }
        return rows
    }

    /// Renames a row with a damaged name to the name in its statement.
    private func nameTables(of rows: inout [SchemaRow], _ forms: [Form]) {
        for form in forms where !rows.contains(where: { $0.isNamed(form.name) }) {
            guard let place = rows.firstIndex(where: { $0.declaredTable == form.name }) else {
                continue
            }
            rows[place].name = form.name
        }
    }

    /// Returns the trees that can belong to a table.
    private func candidates(_ form: Form, _ rows: [SchemaRow]) -> [Int] {
        var trees = tops
        let claimed = rows.first { $0.isNamed(form.name) }?.root ?? 0
        if let root = root(of: form, claimed), !trees.contains(root) { trees.append(root) }
        return trees.filter { tree in
            let (like, unlike) = counts(tree, form)
            return like > unlike
        }
    }

    /// The criteria for assigning a tree to a table.
    private struct Score: Comparable {
        var form: String
        var tree: Int
        var indexed: Int
        /// The number of rows of the schema table that give the table this tree.
        var claims: Int
        var leaves: Int

        static func < (left: Score, right: Score) -> Bool {
            // The page number and the name only make the order definite.
            (right.indexed, right.claims, right.leaves, left.tree, left.form)
                < (left.indexed, left.claims, left.leaves, right.tree, right.form)
        }
    }

    private func score(_ form: Form, _ tree: Int, _ rows: [SchemaRow]) -> Score {
        var leaves = 0
        forEachLeaf(below: tree) { _ in
            leaves += 1
            return true
        }
        return Score(
            form: form.name, tree: tree, indexed: form.isOfPairs ? indexed(form, tree, rows) : 0,
            claims: rows.count { $0.isNamed(form.name) && $0.root == tree }, leaves: leaves)
    }

    /// Returns how many of a tree's first pairs match the indexes of a table, minus the mismatches.
    private func indexed(_ form: Form, _ tree: Int, _ rows: [SchemaRow]) -> Int {
        var pairs: [Int64: Set<Int64>] = [:]
        forEachRecord(below: tree) { record in
            pairs[record.rowID] = Set(record.cells.prefix(2).map(\.integerValue))
            return pairs.count < Self.recordsMax
        }
        var agreement = 0
        for index in rows where index.type == "index" && index.table == form.name {
            forEachRecord(below: index.root, pagesMax: .max) { record in
                guard record.cells.count == 3, record.cells.allSatisfy({ $0.kind == .integer }),
                    let pair = pairs[record.cells[2].integerValue]
                else { return true }
                let isSame = pair == Set(record.cells.prefix(2).map(\.integerValue))
                agreement += isSame ? 1 : -1
                return true
            }
        }
        return agreement
    }

    /// Stores a table's root page in its row, and removes it from other rows.
    private func put(_ form: Form, _ roots: [String: Int], in rows: inout [SchemaRow]) {
        let place = rows.firstIndex { $0.isNamed(form.name) }
        guard let root = roots[form.name] else {
            // A page with the records of another table is wrong for this one, which may be empty.
            if let place, roots.values.contains(rows[place].root) { rows[place].root = 0 }
            return
        }
        let names = Set(roots.keys.map { $0.lowercased() })
        if let place {
            rows[place].root = root
        } else if let place = rows.firstIndex(where: {
            $0.root == root && $0.type == "table" && !names.contains($0.name.lowercased())
        }) {
            // The name is damaged in both columns of the row.
            rows[place].name = form.name
        } else {
            rows.append(SchemaRow("table", form.name, table: form.name, root: root, sql: ""))
        }
        for place in rows.indices
        where rows[place].root == root && !names.contains(rows[place].name.lowercased()) {
            rows[place].root = 0
        }
    }
}
