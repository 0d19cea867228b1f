import GraphModel
import SQLite

extension BulkWriter {
    /// Settles some of the rows that wait, when no more rows come, as `finish()` does with all.
    ///
    /// Whoever takes the rejects after each call has no more of them in memory than a share. The
    /// context is not saved before all are settled.
    ///
    /// - Returns: whether some are left.
    package func settleSome() throws(StoreError) -> Bool {
        try beginSession()
        defer { closeWalks() }
        return try settleParked(rejectsMax: parking.rejectsMax)
    }

    /// Settles the rows that wait, when no more rows come.
    ///
    /// First whatever can be written is, each row waking those that wait for its key or for other
    /// attributes of it (`RowNames`). Of the rest, a row that waits for what nobody has is decided
    /// by its link's `missing`. What is left then waits in circles: in each circle one row is
    /// written without the link, the circle unwinds, and at the end the link is set. Where it
    /// cannot be, since the other end was refused for a reason of its own, all that is taken back,
    /// that row is refused, and the others are tried again; so whatever is refused leaves no trace.
    ///
    /// - Parameter rejectsMax: about so many new rejects end the turn.
    /// - Returns: whether some are left for another turn.
    @discardableResult
    func settleParked(rejectsMax: Int? = nil) throws(StoreError) -> Bool {
        if !parking.isSettling {
            guard parking.count > 0 else { return false }
            try parking.beginSettling()
            try times?.beginSettling()
        }
        parking.pauseAt = rejectsMax.map { rejects.count + $0 } ?? .max
        guard try settleAll() else { return true }
        // Rows that are still to be written point into what is forgotten.
        try flushRows()
        try parking.endSettling()
        try times?.endSettling()
        leaveNothingOut()
        return false
    }

    private var isToPause: Bool { rejects.count >= parking.pauseAt }

    /// Goes on from wherever the last turn has stopped.
    ///
    /// - Returns: whether no row waits any more.
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

    /// Writes the row, and then those that waited for it, and so on.
    func settle(from place: Int, _ policy: UnresolvedPolicy) throws(StoreError) {
        try settleOne(place, policy)
        // What it wakes may wait again.
        try settleWoken()
    }

    func settleWoken() throws(StoreError) {
        while !isToPause, let place = parking.woken.popLast() { try settleOne(place, .wait) }
    }

    /// Writes the row, unless it must wait, and wakes those that waited for it.
    ///
    /// - Returns: whether it is written, as far as is known by now.
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

    // MARK: Rows past memory

    /// Keeps the rows that wait elsewhere than in memory.
    func spillParked() throws(StoreError) {
        let first = max(parking.spilled, journal?.parkedCount ?? 0)
        let places = first..<max(first, parking.count)
        try parkedSpill.write(
            places.lazy.map { [parking] in (parking.lastEntry($0).token, parking.note($0)) })
        journal?.parkedCount = parking.count
        try parking.forgetRows()
    }

    /// A row that waits; its bytes stay until the next call, or until rows are flushed.
    func parkedRow(
        _ place: Int, _ entry: ParkedEntries.Entry
    ) throws(StoreError) -> (batch: RowBatch, row: Int) {
        guard place < parking.spilled else { return (parking.rows, place - parking.spilled) }
        if let row = parking.recalledPlaces[place] { return (parking.recalled, row) }
        if parking.isRecallFull {
            // Rows that are still to be written point into what is forgotten.
            try flushRows()
            parking.forgetRecalled()
        }
        guard let note = try parkedSpill.read(entry.token) else {
            throw ParkedEntries.lost
        }
        let row = Parking.read(note: note, into: parking.recalled)
        parking.note(recalled: row, of: place)
        return (parking.recalled, row)
    }
}
