import SQLite

/// Reports of rows that reads skip silently.
extension SalvageWriter {
    /// Reports the objects that a reader could not read, or not without doubt.
    mutating func reportUnreadable(_ name: String, _ reader: DamagedTableReader) {
        let losses = reader.losses
        // Otherwise, an index may contain the exact number.
        if !losses.hasUnusedKeys { reportLost(name, losses) }
        lose(
            .file, name, count: losses.doubtfulKeys.count, keys: losses.doubtfulKeys,
            "\(name): \(losses.doubtfulKeys.count.counting("object is", "objects are")) saved from a"
                + " damaged record, so that some values may be wrong")
        let (unassigned, impossible) = (losses.unassignedKeys, losses.impossibleKeys)
        lose(
            .counter, name, count: unassigned.count, keys: unassigned,
            "\(name): \(unassigned.count.counting("object is", "objects are")) saved with a key that"
                + " Z_PRIMARYKEY does not count, and that may be wrong")
        lose(
            .file, name, count: impossible.count, keys: impossible,
            "\(name): \(impossible.count.counting("object has a key", "objects have keys")) that no"
                + " store assigns, and \(impossible.count == 1 ? "is" : "are") left out")
    }

    private mutating func reportLost(_ name: String, _ losses: TableLosses) {
        lose(
            .file, name, count: losses.count, keys: losses.firstKeys,
            "\(name): up to \(losses.count.counting("object", "objects")) cannot be read")
    }

    /// Reports objects that are in an index but were not found, and tables that may lack others.
    ///
    /// - Parameters:
    ///   - reader: the reader, whose unreadable keys are already reported.
    ///   - leftOut: the keys of rows that were found but not saved.
    mutating func reportMissing(
        _ table: StoreLayout.Table, _ reader: DamagedTableReader, saved: Int, leftOut: [Int64]
    ) throws(StoreError) {
        let (known, losses) = (Set(leftOut), reader.losses)
        let saving = try target.prepare("SELECT 1 FROM \(table.name) WHERE Z_PK = ?")
        let answer = try account.missing(
            of: table.name, besides: saved + leftOut.count, upTo: reader.lastAssigned
        ) { key throws(StoreError) in
            saving.bind(key, at: 1)
            defer { saving.reset() }
            if try saving.step() { return true }
            return known.contains(key) || losses.hasCounted(key)
        }
        let name = table.rootEntity
        if losses.hasUnusedKeys, !answer.isWhole { reportLost(name, losses) }
        lose(
            .file, name, count: answer.missing.count, keys: answer.missing.sorted(),
            "\(name): \(answer.missing.count.counting("object is", "objects are")) lost, which an index"
                + " names still")
        guard !answer.isWhole, losses.mayLackOthers else { return }
        guard !answer.isIntact else {
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
    mutating func reportStrayPages() {
        guard hasStrayPages, salvage.losses.isEmpty else { return }
        lose(
            .file, nil, count: 1, keys: [],
            "some objects may be lost, because pages of the file belong to no table")
    }

    /// Reports missing rows of a join table: exactly if an index contains them, or by the gaps
    /// between the rows.
    mutating func reportMissingJoinRows(
        of table: String, _ reader: DamagedTableReader, besides count: Int
    ) throws(StoreError) {
        let missing = try account.missingCount(of: table, besides: count)
        // Rows with wrong values can replace lost ones in the count.
        if missing?.isExact != true || missing?.count == 0 {
            lose(
                .pair, nil, count: reader.losses.count, keys: [],
                "\(table): up to \(reader.losses.count.counting("pair", "pairs")) cannot be read")
            guard reader.losses.mayLackOthers else { return }
        }
        guard let missing else {
            guard !account.isIntact(table) else {
                hasStrayPages = true
                return
            }
            return lose(
                .pair, nil, count: 1, keys: [],
                "\(table): some pairs may be lost, since a page of the table, or of an index of"
                    + " it, is damaged")
        }
        lose(
            .pair, nil, count: missing.count, keys: [],
            "\(table): \(missing.count.counting("pair is", "pairs are")) lost, which an index names"
                + " still")
    }
}
