import SQLite

/// Reports of rows that reads skip silently.
extension SalvageWriter {
    /// Reports objects that are in an index but were not found, and tables that may lack others.
    ///
    /// - Parameters:
    ///   - reader: the reader, whose unreadable keys are already reported.
    ///   - leftOut: the keys of rows that were found but not saved.
    ///   - last: the largest key that was assigned, if it is known.
    mutating func tellMissing(
        _ table: StoreLayout.Table, _ reader: DamagedTableReader, saved: Int, leftOut: [Int64],
        last: Int64?
    ) throws(StoreError) {
        let known = Set(leftOut)
        let saving = try target.prepare("SELECT 1 FROM \(table.name) WHERE Z_PK = ?")
        let answer = try account.missing(
            of: table.name, besides: saved + leftOut.count, upTo: last
        ) { key throws(StoreError) in
            saving.bind(key, at: 1)
            defer { saving.reset() }
            if try saving.step() { return true }
            return known.contains(key) || reader.hasLost(key)
        }
        let name = table.rootEntity
        lose(
            .file, name, count: answer.missing.count, keys: answer.missing.sorted(),
            "\(name): \(answer.missing.count.counting("object is", "objects are")) lost, which an index"
                + " names still")
        guard !answer.isWhole, reader.lostCount == 0 else { return }
        guard !answer.looksSound else {
            hasStrayPages = true
            return
        }
        lose(
            .file, name, count: 1, keys: [],
            "\(name): some objects may be lost, since a page of the table, or of an index of it,"
                + " is damaged")
    }

    /// Reports unreferenced pages, unless another loss explains them: a tree that lost them looks
    /// intact.
    mutating func tellStrayPages() {
        guard hasStrayPages, salvage.losses.isEmpty else { return }
        lose(
            .file, nil, count: 1, keys: [],
            "some objects may be lost, because pages of the file belong to no table")
    }

    /// Reports missing rows of a join table, as `tellMissing` does for objects.
    mutating func tellMissingPairs(of table: String, besides count: Int) throws(StoreError) {
        guard let missing = try account.missingCount(of: table, besides: count) else {
            guard !account.looksSound(table) else {
                hasStrayPages = true
                return
            }
            return lose(
                .pair, nil, count: 1, keys: [],
                "\(table): some pairs may be lost, since a page of the table, or of an index of"
                    + " it, is damaged")
        }
        lose(
            .pair, nil, count: missing, keys: [],
            "\(table): \(missing.counting("pair is", "pairs are")) lost, which an index names"
                + " still")
    }
}
