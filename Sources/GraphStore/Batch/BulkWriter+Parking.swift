import GraphModel
import SQLite

extension BulkWriter {
    /// Resolves some of the deferred rows when no more rows follow, as `finish()` does with all of
    /// them.
    ///
    /// A caller that takes the rejects after each call limits the rejects in memory. The context
    /// must not be saved before all deferred rows are resolved.
    ///
    /// - Returns: Whether deferred rows are left.
    package func settleSome() throws(StoreError) -> Bool {
        try beginSession()
        defer { closeWalks() }
        return try settleParked(rejectsMax: parking.rejectsMax)
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
    /// - Parameter rejectsMax: The approximate number of new rejects after which the call returns.
    /// - Returns: Whether rows are left for another call.
    @discardableResult
    func settleParked(rejectsMax: Int? = nil) throws(StoreError) -> Bool {
        if !parking.isSettling {
            guard parking.count > 0 else { return false }
            try parking.beginSettling()
            try times?.beginSettling()
        }
        parking.pauseAt = rejectsMax.map { rejects.count + $0 } ?? .max
        guard try settleAll() else { return true }
        // Pending rows refer to memory that is about to be freed.
        try flushRows()
        try parking.endSettling()
        try times?.endSettling()
        leaveNothingOut()
        return false
    }

    private var isToPause: Bool { rejects.count >= parking.pauseAt }

    /// Continues from the point where the last call stopped.
    ///
    /// - Returns: Whether no row is deferred any more.
    private func settleAll() throws(StoreError) -> Bool {
        try settleWoken()
        while !isToPause, let place = parking.takeUntried() {
            if parking.waiting.take(place) { try settle(from: place, .wait) }
        }
        guard !isToPause else { return false }
        parking.waiting.suspectAll()
        while true {
            try decideHopeless()
            guard !isToPause else { return false }
            guard parking.waiting.next() != nil else { return true }
            try settleCircles()
        }
    }

    /// Writes a row, then the rows that waited for it, and so on.
    func settle(from place: Int, _ policy: UnresolvedPolicy) throws(StoreError) {
        try settleOne(place, policy)
        // A woken row may have to wait again.
        try settleWoken()
    }

    func settleWoken() throws(StoreError) {
        while !isToPause, let place = parking.woken.popLast() { try settleOne(place, .wait) }
    }

    /// Writes a row unless it must wait, and wakes the rows that waited for it.
    ///
    /// - Returns: Whether the row is written; a later rejection of pending rows may still revert
    ///   it.
    @discardableResult
    func settleOne(_ place: Int, _ policy: UnresolvedPolicy) throws(StoreError) -> Bool {
        let entry = try parking.entries[place]
        if try parking.waiting.isWaiting(key: entry.key, before: place) {
            try parking.waiting.wait(place, for: entry.key)
            return false
        }
        let (batch, row) = try parkedRow(place, entry)
        let names = parking.names.hashes(batch, row)
        let rejected = tally.rejected
        let outcome = try write(
            batch, row, token: entry.token, hash: entry.key, unresolved: policy)
        if tally.rejected > rejected { try noteOtherFaults(batch, row, token: entry.token) }
        if case .waiting(_, let awaited) = outcome {
            try parking.waiting.wait(place, for: awaited)
            return false
        }
        var woken = try parking.waiting.takeWaiters(for: entry.key)
        if !names.isEmpty {
            for name in names { woken += try parking.waiting.takeWaiters(for: name) }
            woken.sort()
        }
        parking.woken.append(contentsOf: woken.reversed())
        guard case .rejected = outcome else { return true }
        parking.waiting.noteRefused(place)
        return false
    }

    func decideHopeless() throws(StoreError) {
        while !isToPause, let place = try parking.waiting.nextHopeless() {
            _ = parking.waiting.take(place)
            try settle(from: place, .decideUnlessWaiting(place: place))
        }
    }

    // MARK: Rows beyond memory

    /// Moves the deferred rows from memory to the store.
    func spillParked() throws(StoreError) {
        let first = max(parking.spilled, journal?.parkedCount ?? 0)
        let places = first..<max(first, parking.count)
        try parkedSpill.write(
            places.lazy.map { [parking] in (parking.lastEntry($0).token, parking.note($0)) })
        journal?.parkedCount = parking.count
        try parking.forgetRows()
    }

    /// Returns a deferred row; its bytes are valid until the next call, or until rows are flushed.
    func parkedRow(
        _ place: Int, _ entry: DeferredRowIndex.Entry
    ) throws(StoreError) -> (batch: RowBatch, row: Int) {
        guard place < parking.spilled else { return (parking.rows, place - parking.spilled) }
        if let row = parking.recalledPlaces[place] { return (parking.recalled, row) }
        if parking.isRecallFull {
            // Pending rows refer to memory that is about to be freed.
            try flushRows()
            parking.forgetRecalled()
        }
        guard let note = try parkedSpill.read(entry.token) else {
            throw DeferredRowIndex.lost
        }
        let row = DeferredRows.read(note: note, into: parking.recalled)
        parking.note(recalled: row, of: place)
        return (parking.recalled, row)
    }
}
