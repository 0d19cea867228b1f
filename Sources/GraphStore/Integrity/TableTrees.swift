/// The trees of tables in a damaged file, and which table each of them is.
///
/// A root page that the list of tables names counts if its records look like the table's. Otherwise
/// another tree is looked for whose records do. Of several, it is the one that
///
/// 1. has the pairs that an index of the table has,
/// 2. is what the list says,
/// 3. leads to most leaves,
/// 4. is the first in the file.
struct TableTrees {
    /// What the records of a table look like.
    struct Form {
        var name: String
        /// Whether the list must have the table.
        var isRequired = true
        /// Whether the records of several tables look alike, so that indexes must tell them apart.
        var isOfPairs = false
        var matches: ([BulkCell]) -> Bool
    }

    /// Records of a tree that are read to judge it, and pages that may be read for them.
    private static let recordsMax = 64
    private static let pagesMax = 1_024

    private let file: DamagedFile
    /// The page above each page, if there is one.
    private var parents: [Int: Int] = [:]
    /// Pages of tables that no page leads to.
    private var tops: [Int] = []
    private var isFree: [Bool]
    private let record = DamagedRecord()

    /// - Parameter list: Pages that hold the list of tables.
    init(_ file: DamagedFile, besides list: Set<Int>) {
        self.file = file
        isFree = [Bool](repeating: false, count: file.pageCount + 1)
        // If the list of free pages is damaged, a page may hold deleted records: only what the
        // list of tables says counts.
        guard file.markFree(&isFree) else {
            isFree = [Bool](repeating: false, count: file.pageCount + 1)
            return
        }
        var pages: [Int] = []
        for number in stride(from: 2, through: file.pageCount, by: 1)
        where !isFree[number] && !list.contains(number) {
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

    /// Whether the list names a root page for a table that cannot be it.
    func isWrong(_ form: Form, in rows: [SchemaRow]) -> Bool {
        guard let claim = rows.first(where: { $0.isNamed(form.name) }) else { return false }
        guard !isDestroyed(claim.root, in: rows) else { return false }
        return claim.root != root(of: form, claim.root)
            || rows.count(where: { $0.root == claim.root }) > 1
    }

    /// Whether the root page of a row cannot be read, and is no other row's: it is kept, so that all
    /// pages that it led to are looked for.
    private func isDestroyed(_ root: Int, in rows: [SchemaRow]) -> Bool {
        root > 1 && root <= file.pageCount && !isFree[root] && file.tree(root) == nil
            && rows.count(where: { $0.root == root }) == 1
    }

    /// The root page of a table by what the list says; nil if that cannot be right.
    private func root(of form: Form, _ claimed: Int) -> Int? {
        guard claimed > 1, claimed <= file.pageCount, !isFree[claimed], file.holdsRows(claimed)
        else { return nil }
        let (like, unlike) = counts(claimed, form)
        guard like > unlike else { return like + unlike == 0 ? claimed : nil }
        return top(of: claimed, form)
    }

    /// The highest page above a page whose records look like the table's, too.
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

    /// How many of the first records below a page look like those of a table, and how many do not.
    private func counts(_ root: Int, _ form: Form) -> (like: Int, unlike: Int) {
        var (like, unlike) = (0, 0)
        forEachRecord(below: root) { record in
            if form.matches(record.cells) { like += 1 } else { unlike += 1 }
            return like + unlike < Self.recordsMax
        }
        return (like, unlike)
    }

    /// Calls the body with the records below a page until it returns false.
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

    /// The rows with the root pages that their tables have.
    ///
    /// - A table that the list lacks gets a row if a tree looks like its own.
    /// - A row that claims a table's root page, and is not that table's, gets none.
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

    /// Gives a row whose name is damaged the one that its text has.
    private func nameTables(of rows: inout [SchemaRow], _ forms: [Form]) {
        for form in forms where !rows.contains(where: { $0.isNamed(form.name) }) {
            guard let place = rows.firstIndex(where: { $0.declaredTable == form.name }) else {
                continue
            }
            rows[place].name = form.name
        }
    }

    /// The trees that may be a table's.
    private func candidates(_ form: Form, _ rows: [SchemaRow]) -> [Int] {
        var trees = tops
        let claimed = rows.first { $0.isNamed(form.name) }?.root ?? 0
        if let root = root(of: form, claimed), !trees.contains(root) { trees.append(root) }
        return trees.filter { tree in
            let (like, unlike) = counts(tree, form)
            return like > unlike
        }
    }

    /// How much speaks for a tree.
    private struct Score: Comparable {
        var form: String
        var tree: Int
        var indexed: Int
        var isClaimed: Bool
        var leaves: Int

        static func < (left: Score, right: Score) -> Bool {
            if left.indexed != right.indexed { return left.indexed > right.indexed }
            if left.isClaimed != right.isClaimed { return left.isClaimed }
            if left.leaves != right.leaves { return left.leaves > right.leaves }
            if left.tree != right.tree { return left.tree < right.tree }
            return left.form < right.form
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
            isClaimed: rows.contains { $0.isNamed(form.name) && $0.root == tree }, leaves: leaves)
    }

    /// How many of the first pairs of a tree are in the indexes of a table, less those that are not.
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

    /// Puts a table's root page into its row, and takes it from others.
    private func put(_ form: Form, _ roots: [String: Int], in rows: inout [SchemaRow]) {
        let place = rows.firstIndex { $0.isNamed(form.name) }
        guard let root = roots[form.name] else {
            // A page with the records of another table is not this one's, which may be empty.
            if let place, roots.values.contains(rows[place].root) { rows[place].root = 0 }
            return
        }
        let names = Set(roots.keys.map { $0.lowercased() })
        if let place {
            rows[place].root = root
        } else if let place = rows.firstIndex(where: {
            $0.root == root && $0.type == "table" && !names.contains($0.name.lowercased())
        }) {
            // Its name is damaged both times that the row has it.
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
