import GraphModel
import SQLite

/// Resolves rows that wait for each other in cycles.
extension BulkWriter {
    /// A link that was left out to break a cycle.
    private struct OmittedLink {
        var place: Int32
        var link: Int32
        /// The primary key of the row if the plan has no key and the row was inserted; otherwise 0.
        var inserted: Int64
    }

    /// Resolves cycles, as many as fit in memory, and decides the rows for which that fails.
    func resolveCycles() throws(StoreError) {
        // Rows that may have to be rolled back must not be returned to the caller.
        let pauseAt = deferredRows.pauseAt
        deferredRows.pauseAt = .max
        defer { deferredRows.pauseAt = pauseAt }
        let checkpoint = try checkpoint()
        let cycles = deferredRows.dependencies
        let failed = try unwindCycles(after: checkpoint)
        guard !failed.isEmpty else { return try release(checkpoint) }
        try restore(checkpoint)
        deferredRows.dependencies = cycles
        for place in failed where deferredRows.dependencies.take(place) {
            try resolve(from: place, .decide)
        }
    }

    /// Writes rows that wait in cycles.
    ///
    /// - Returns: The rows whose left-out link could not be set in the end.
    private func unwindCycles(after checkpoint: BulkCheckpoint) throws(StoreError) -> [Int] {
        let resultsBefore = checkpoint.rejectCount + checkpoint.missedCount
        var broken: [OmittedLink] = []
        deferredRows.omittedKeys.removeAll(keepingCapacity: true)
        while let place = try deferredRows.dependencies.nextInCycle() {
            _ = deferredRows.dependencies.take(place)
            broken += try breakCycle(at: place)
            try decideHopeless()
            // The left-out links are set after all rows that they depend on are resolved.
            guard broken.count + resultCount - resultsBefore >= deferredRows.resultsMax else {
                continue
            }
            if try !deferredRows.waitsForOmittedLink() { break }
        }
        guard !broken.isEmpty else { return [] }
        // Some rows are rejected only when they are written.
        try flushRows()
        let refused = Set(rejects[checkpoint.rejectCount...].lazy.map(\.token))
        return try setLinks(broken, refused: refused)
    }

    /// Writes a row of a cycle, and then the rows that waited for it.
    ///
    /// - Returns: The links that were left out; empty if the row turned out not to be written.
    private func breakCycle(at place: Int) throws(StoreError) -> [OmittedLink] {
        omittedLinks.removeAll(keepingCapacity: true)
        var cuts: [OmittedLink] = []
        if try resolveOne(place, .breakCycle(place: place)), !omittedLinks.isEmpty {
            let inserted = plan.keyCells.isEmpty ? lastInserted?.primaryKey ?? 0 : 0
            cuts = omittedLinks.map {
                OmittedLink(place: Int32(place), link: Int32($0), inserted: inserted)
            }
            deferredRows.omittedKeys.append(try deferredRows.entries[place].key)
        }
        try resolveReady()
        return cuts
    }

    /// Sets the links that were left out.
    ///
    /// - Parameter refused: The tokens of rows that were rejected since then.
    /// - Returns: The rows whose links could not be set.
    private func setLinks(
        _ broken: [OmittedLink], refused: Set<Int64>
    ) throws(StoreError) -> [Int] {
        func isWritten(_ place: Int) throws(StoreError) -> Bool {
            guard !deferredRows.dependencies.isRejected(place) else { return false }
            return !refused.contains(try deferredRows.entries[place].token)
        }
        var failed: [Int] = []
        var rest = ArraySlice(broken)
        while let first = rest.first {
            let links = rest.prefix { $0.place == first.place }
            rest = rest.dropFirst(links.count)
            let place = Int(first.place)
            guard try isWritten(place) else { continue }
            let entry = try deferredRows.entries[place]
            var later: [Int] = []
            for other in try deferredRows.entries.places(key: entry.key) where other > place {
                if try isWritten(other) { later.append(other) }
            }
            var overruled: [Int] = []
            for link in links.map({ Int($0.link) }) where try isOverruled(link, by: later) {
                overruled.append(link)
            }
            let cut = links.map { Int($0.link) }
            guard
                try !relink(place, entry, inserted: first.inserted, cut, but: overruled)
            else { continue }
            // Earlier rows with the same key must wait again too, because this row waits for them.
            failed +=
                try deferredRows.entries.places(key: entry.key).filter { $0 < place } + [place]
        }
        return failed
    }

    /// Sets the links of a row that were left out to break a cycle.
    ///
    /// This does not count as a record.
    ///
    /// - Parameters:
    ///   - inserted: The primary key of the row if the plan has no key and the row was inserted;
    ///     otherwise 0.
    ///   - overruled: Links whose targets must exist, but which are not set.
    /// - Returns: False if the target was rejected after all, or a constraint forbids the link.
    private func relink(
        _ place: Int, _ entry: DeferredRowIndex.Entry, inserted: Int64, _ links: [Int],
        but overruled: [Int]
    ) throws(StoreError) -> Bool {
        let (batch, place) = try deferredRow(place, entry)
        row.clear()
        times?.begin(entry.token)
        guard try setKey(batch, place, token: entry.token) else { return false }
        for link in links {
            guard try setLink(link, batch, place, token: entry.token) else { return false }
        }
        for link in overruled { leaveOut(link) }
        guard let found = try findWritten(batch, place, entry, inserted: inserted) else {
            return true
        }
        defer { release(found) }
        let id = ManagedObjectID(
            entityNumber: found.integer(1), primaryKey: found.integer(0))
        try keepTimes(of: id.primaryKey)
        switch try write(over: found, id) {
        case .same: break
        case .changed(let difference, let raises):
            try count(id, isFirst: false, difference: difference, raises: raises)
        case .refused: return false
        }
        try resolveInverseChanges()
        try endTimes()
        return true
    }

    /// Resolves the relationships of the key, so that the row can be found.
    private func setKey(
        _ batch: RowBatch, _ place: Int, token: Int64
    ) throws(StoreError) -> Bool {
        guard plan.hasRelationshipInKey else { return true }
        for (cell, column) in zip(plan.keyCells, plan.keyPlaces) {
            let link = cell - plan.plan.attributes.count
            if link < 0 {
                row.cells[column] = batch[place, cell]
            } else if try !setLink(link, batch, place, token: token) {
                return false
            }
        }
        return true
    }

    private func findWritten(
        _ batch: RowBatch, _ place: Int, _ entry: DeferredRowIndex.Entry, inserted: Int64
    ) throws(StoreError) -> Statement? {
        guard plan.keyCells.isEmpty else {
            guard let hash = resolvedKeyHash(entry.key),
                case .row(let found) = try find(batch, place, hash: hash)
            else { return nil }
            return found
        }
        try flushRows()
        let found = statements.selectByPrimaryKey
        found.bind(inserted, at: 1)
        return try found.step() ? found : nil
    }

    /// Returns whether a later record of the same object sets the link, so that the row's own value
    /// for it no longer matters.
    ///
    /// - Parameter later: The positions of the later deferred records with the same key.
    private func isOverruled(
        _ link: Int, by later: [Int]
    ) throws(StoreError) -> Bool {
        guard plan.plan.duplicates == .last, plan.plan.links[link].many == .replace,
            !isTimed(link: link)
        else { return false }
        let cell = plan.plan.attributes.count + link
        for place in later {
            let (batch, row) = try deferredRow(place, deferredRows.entries[place])
            if batch[row, cell].kind != .absent { return true }
        }
        return false
    }
}

/// The state of a writer, for a rollback to a savepoint.
struct BulkCheckpoint {
    let tally: BulkTally
    let rejectCount: Int
    let missedCount: Int
    let session: WriteSession.State
    let raisedRows: RaisedRows.State
    let seen: PrimaryKeySet
    let unchangedTargets: PrimaryKeySet
    let net: RowDiffs
    let changedSinceSave: [Int64: Int64]
}

extension BulkWriter {
    private func checkpoint() throws(StoreError) -> BulkCheckpoint {
        try flushRows()
        for writer in toManyWriters { try writer.flush() }
        try session.connection.begin(savepoint: "ETL_CIRCLES")
        return BulkCheckpoint(
            tally: tally, rejectCount: rejects.count,
            missedCount: missedLinks.count, session: session.state,
            raisedRows: raisedRows.state, seen: seen,
            unchangedTargets: unchangedTargets, net: net,
            changedSinceSave: changedSinceSave)
    }

    private func release(_ checkpoint: BulkCheckpoint) throws(StoreError) {
        try session.connection.release(savepoint: "ETL_CIRCLES")
    }

    private func restore(_ checkpoint: BulkCheckpoint) throws(StoreError) {
        pending.removeAll()
        for writer in toManyWriters { writer.forgetAll() }
        try session.connection.rollBack(toSavepoint: "ETL_CIRCLES")
        tally = checkpoint.tally
        rejects.removeSubrange(checkpoint.rejectCount...)
        missedLinks.removeSubrange(checkpoint.missedCount...)
        session.restore(checkpoint.session)
        raisedRows.restore(checkpoint.raisedRows)
        seen = checkpoint.seen
        unchangedTargets = checkpoint.unchangedTargets
        net = checkpoint.net
        changedSinceSave = checkpoint.changedSinceSave
        try keyTables.refresh(isStale: false)
        try forgetLookups()
    }
}
