import SQLite

/// What is told of rows that reads skip without a word.
extension SalvageWriter {
    /// Tells of objects that an index names and that were not found, and where there may be others.
    ///
    /// - Parameters:
    ///   - reader: what it could not read is told already.
    ///   - leftOut: keys of rows that were found, and left out.
    ///   - last: the largest key that was handed out, where that is known.
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

    /// Tells of pages that belong to nothing, where nothing else is told that explains them: a tree
    /// that lost them looks sound.
    mutating func tellStrayPages() {
        guard hasStrayPages, salvage.losses.isEmpty else { return }
        lose(
            .file, nil, count: 1, keys: [],
            "some objects may be lost, because pages of the file belong to no table")
    }

    /// As `tellMissing`, of a table of pairs.
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
