import GraphModel
import SQLite

extension BulkWriter {
    /// The number of rows that wait for others.
    package var deferredCount: Int { deferredRows.count }

    /// Resolves some of the deferred rows when no more rows follow, as `finish()` does with all of
    /// them.
    ///
    /// A caller that takes the rejects and missed links after each call limits their memory. The
    /// transaction must not be committed before all deferred rows are resolved.
    ///
    /// - Returns: Whether deferred rows are left.
    package func resolveSome() throws(StoreError) -> Bool {
        try beginSession()
        defer { closeWalks() }
        return try resolveDeferredRows(resultsMax: deferredRows.resultsMax)
    }

    /// Resolves the deferred rows when no more rows follow.
    ///
    /// 1. Every row that can be written is written. Each row wakes the rows that wait for its key
    ///    or for other attributes of it (`RowNames`).
    /// 2. A row that waits for a key that no row has is decided by its link's `missing`.
    /// 3. The remaining rows wait in cycles. In each cycle, one row is written without the link,
    ///    which resolves the other rows, and finally the link is set.
    /// 4. If the link cannot be set, because its target was rejected for another reason, all of
    ///    this is rolled back. Then the row is rejected, and the other rows are tried again. A
    ///    rejected row therefore has no effect.
    ///
    /// - Parameter resultsMax: The approximate number of new rejects and missed links after which
    ///   the call returns.
    /// - Returns: Whether rows are left for another call.
    @discardableResult
    func resolveDeferredRows(resultsMax: Int? = nil) throws(StoreError) -> Bool {
        if !deferredRows.isResolving {
            guard deferredRows.count > 0 else { return false }
            try deferredRows.beginSettling()
            try times?.beginSettling()
        }
        deferredRows.pauseAt = resultsMax.map { resultCount + $0 } ?? .max
        guard try resolveAll() else { return true }
        // Pending rows refer to memory that is about to be freed.
        try flushRows()
        try deferredRows.endSettling()
        try times?.endSettling()
        leaveNothingOut()
        return false
    }

    /// The number of results in memory that the caller has not taken.
    var resultCount: Int { rejects.count + missedLinks.count }

    private var isToPause: Bool { resultCount >= deferredRows.pauseAt }

    /// Continues from the point where the last call stopped.
    ///
    /// - Returns: Whether no row is deferred any longer.
    private func resolveAll() throws(StoreError) -> Bool {
        try resolveReady()
        while !isToPause, let place = deferredRows.takeUntried() {
            if deferredRows.dependencies.take(place) { try resolve(from: place, .wait) }
        }
        guard !isToPause else { return false }
        deferredRows.dependencies.suspectAll()
        while true {
            try decideHopeless()
            guard !isToPause else { return false }
            guard deferredRows.dependencies.next() != nil else { return true }
            try resolveCycles()
        }
    }

    /// Writes a row, then the rows that waited for it, and so on.
    func resolve(from place: Int, _ policy: UnresolvedPolicy) throws(StoreError) {
        try resolveOne(place, policy)
        // A woken row may have to wait again.
        try resolveReady()
    }

    func resolveReady() throws(StoreError) {
        while !isToPause, let place = deferredRows.ready.popLast() { try resolveOne(place, .wait) }
    }

    /// Writes a row unless it must wait, and wakes the rows that waited for it.
    ///
    /// - Returns: Whether the row is written; a later rejection of pending rows may still revert
    ///   it.
    @discardableResult
    func resolveOne(_ place: Int, _ policy: UnresolvedPolicy) throws(StoreError) -> Bool {
        let entry = try deferredRows.entries[place]
        if try deferredRows.dependencies.isDeferred(key: entry.key, before: place) {
            try deferredRows.dependencies.wait(place, for: entry.key)
            return false
        }
        let (batch, row) = try deferredRow(place, entry)
        let names = deferredRows.names.hashes(batch, row)
        let rejected = tally.rejected
        let outcome = try write(
            batch, row, token: entry.token, hash: entry.key, unresolved: policy)
        if tally.rejected > rejected { try noteOtherFaults(batch, row, token: entry.token) }
        if case .deferred(_, let awaited) = outcome {
            try deferredRows.dependencies.wait(place, for: awaited)
            return false
        }
        var ready = try deferredRows.dependencies.takeWaiters(for: entry.key)
        if !names.isEmpty {
            for name in names { ready += try deferredRows.dependencies.takeWaiters(for: name) }
            ready.sort()
        }
        deferredRows.ready.append(contentsOf: ready.reversed())
        guard case .rejected = outcome else { return true }
        deferredRows.dependencies.noteRejected(place)
        return false
    }

    func decideHopeless() throws(StoreError) {
        while !isToPause, let place = try deferredRows.dependencies.nextHopeless() {
            _ = deferredRows.dependencies.take(place)
            try resolve(from: place, .decideUnlessDeferred(place: place))
        }
    }

    // MARK: Rows beyond memory

    /// Moves the deferred rows from memory to the store.
    func spillDeferredRows() throws(StoreError) {
        let first = max(deferredRows.spilled, journal?.deferredCount ?? 0)
        let places = first..<max(first, deferredRows.count)
        try deferredRowSpill.write(
            places.lazy.map { [deferredRows] in
                (deferredRows.lastEntry($0).token, deferredRows.note($0))
            })
        journal?.deferredCount = deferredRows.count
        try deferredRows.forgetRows()
    }

    /// Returns a deferred row; its bytes are valid until the next call, or until rows are flushed.
    func deferredRow(
        _ place: Int, _ entry: DeferredRowIndex.Entry
    ) throws(StoreError) -> (batch: RowBatch, row: Int) {
        guard place < deferredRows.spilled else {
            return (deferredRows.rows, place - deferredRows.spilled)
        }
        if let row = deferredRows.recalledPlaces[place] { return (deferredRows.recalled, row) }
        if deferredRows.isRecallFull {
            // Pending rows refer to memory that is about to be freed.
            try flushRows()
            deferredRows.forgetRecalled()
        }
        guard let note = try deferredRowSpill.read(entry.token) else {
            throw DeferredRowIndex.lost
        }
        let row = try DeferredRows.read(note: note, into: deferredRows.recalled)
        deferredRows.note(recalled: row, of: place)
        return (deferredRows.recalled, row)
    }
}
