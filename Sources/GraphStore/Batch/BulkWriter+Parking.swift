import GraphModel
import SQLite

extension BulkWriter {
    /// Settles the rows that wait, when no more rows come.
    ///
    /// First whatever can be written is, each row waking those that wait for it. Of the rest, a
    /// row that waits for a key which nobody has is decided by its link's `missing`. What is left
    /// then waits in circles: in each circle one row is written without the link, the circle
    /// unwinds, and at the end the link is set. Where it cannot be, because the other end was
    /// refused for a reason of its own, all that is taken back, that row is refused, and the
    /// others are tried again; so whatever is refused leaves no trace.
    func settleParked() throws(SQLiteError) {
        guard parking.count > 0 else { return }
        try parking.beginSettling(lastFirst: plan.namesByOtherAttribute)
        try times?.beginSettling()
        try settleAll()
        // Rows that are still to be written point into what is forgotten.
        try flushRows()
        try parking.endSettling()
        try times?.endSettling()
        leaveNothingOut()
    }

    private func settleAll() throws(SQLiteError) {
        // A row wakes those that wait for its key. Who waits for another attribute of it is not
        // woken; but it came before, so that from the last to the first each finds its object.
        let count = parking.entries.count
        for turn in 0..<count {
            let place = plan.namesByOtherAttribute ? count - 1 - turn : turn
            if parking.waiting.take(place) { try settle(from: place, .wait) }
        }
        parking.waiting.suspectAll()
        try decideHopeless()
        while parking.waiting.next() != nil {
            let checkpoint = try checkpoint()
            let circles = parking.waiting
            let failed = try unwindCircles()
            guard !failed.isEmpty else { return try release(checkpoint) }
            try restore(checkpoint)
            parking.waiting = circles
            for place in failed where parking.waiting.take(place) {
                try settle(from: place, .decide)
            }
            try decideHopeless()
        }
    }

    /// Writes the row, and then those that waited for it, and so on.
    ///
    /// - Returns: the links that the first row left out to break a circle; none where it is known
    ///   by now that it is not written.
    @discardableResult
    private func settle(
        from first: Int, _ policy: UnresolvedPolicy
    ) throws(SQLiteError) -> [Int] {
        var cut: [Int] = []
        cutLinks.removeAll(keepingCapacity: true)
        var queue = [first]
        var policy = policy
        while let place = queue.popLast() {
            let entry = try parking.entries[place]
            if try parking.waiting.isWaiting(key: entry.key, before: place) {
                try parking.waiting.wait(place, for: entry.key)
                continue
            }
            let (batch, row) = try parkedRow(place, entry)
            let outcome = try write(
                batch, row, token: entry.token, hash: entry.key, unresolved: policy)
            if place == first, case .written = outcome { cut = cutLinks }
            // What it wakes may wait again.
            policy = .wait
            if case .waiting(_, let awaited) = outcome {
                try parking.waiting.wait(place, for: awaited)
                continue
            }
            if case .rejected = outcome { parking.waiting.noteRefused(place) }
            queue.append(contentsOf: try parking.waiting.takeWaiters(for: entry.key).reversed())
        }
        return cut
    }

    private func decideHopeless() throws(SQLiteError) {
        while let place = try parking.waiting.nextHopeless() {
            _ = parking.waiting.take(place)
            let key = try parking.entries[place].key
            try settle(from: place, .decideUnlessWaiting(ownKey: key))
        }
    }

    // MARK: Circles

    /// Writes the rows that wait in circles.
    ///
    /// - Returns: the rows whose link, left out to break a circle, could not be set in the end.
    private func unwindCircles() throws(SQLiteError) -> [Int] {
        var broken: [(place: Int32, link: Int32)] = []
        while let place = try parking.waiting.nextInCircle() {
            _ = parking.waiting.take(place)
            let key = try parking.entries[place].key
            for link in try settle(from: place, .breakCycle(ownKey: key)) {
                broken.append((Int32(place), Int32(link)))
            }
            try decideHopeless()
        }
        guard !broken.isEmpty else { return [] }
        // Some refusals show only when the rows are written.
        try flushRows()
        let refused = Set(rejects.map(\.token))
        func isWritten(_ place: Int) throws(SQLiteError) -> Bool {
            guard !parking.waiting.isRefused(place) else { return false }
            return !refused.contains(try parking.entries[place].token)
        }
        var failed: [Int] = []
        var rest = broken[...]
        while let first = rest.first {
            let links = rest.prefix { $0.place == first.place }
            rest = rest.dropFirst(links.count)
            let place = Int(first.place)
            guard try isWritten(place) else { continue }
            let entry = try parking.entries[place]
            var later: [Int] = []
            for other in try parking.entries.places(key: entry.key) where other > place {
                if try isWritten(other) { later.append(other) }
            }
            var overruled: [Int] = []
            for link in links.map({ Int($0.link) }) where try isOverruled(link, by: later) {
                overruled.append(link)
            }
            let cut = links.map { Int($0.link) }
            guard try !relink(place, entry, cut, but: overruled) else { continue }
            // Those of its key that come before it wait again, too, and it would wait for them.
            failed += try parking.entries.places(key: entry.key).filter { $0 < place } + [place]
        }
        return failed
    }

    /// Sets the links that were left out to break a circle; no record of its own.
    ///
    /// - Parameter overruled: those whose objects must be there, and which are not set.
    /// - Returns: false where the object at the other end was refused after all, or a constraint
    ///   forbids the link.
    private func relink(
        _ place: Int, _ entry: ParkedEntries.Entry, _ links: [Int], but overruled: [Int]
    ) throws(SQLiteError) -> Bool {
        let (batch, place) = try parkedRow(place, entry)
        row.clear()
        times?.begin(entry.token)
        for link in links {
            guard try setLink(link, batch, place, token: entry.token) else { return false }
        }
        for link in overruled { leaveOut(link) }
        guard let found = try find(batch, place, hash: entry.key) else { return true }
        defer { release(found) }
        let id = ManagedObjectID(
            entityNumber: found.integer(1), primaryKey: found.integer(0))
        try keepTimes(of: id.primaryKey)
        switch try write(over: found, id) {
        case .same: break
        case .changed(let difference):
            try count(id, isFirst: false, difference: difference)
        case .refused: return false
        }
        try settleFarChanges()
        try endTimes()
        return true
    }

    /// - Parameter later: records of the same key, which may say something else about the link.
    private func isOverruled(
        _ link: Int, by later: [Int]
    ) throws(SQLiteError) -> Bool {
        guard plan.plan.duplicates == .last, plan.plan.links[link].many == .replace,
            !isTimed(link: link)
        else { return false }
        let cell = plan.plan.attributes.count + link
        for place in later {
            let (batch, row) = try parkedRow(place, parking.entries[place])
            if batch[row, cell].kind != .absent { return true }
        }
        return false
    }

    // MARK: Rows past memory

    /// Keeps the rows that wait elsewhere than in memory.
    func spillParked() throws(SQLiteError) {
        let first = max(parking.spilled, journal?.parkedCount ?? 0)
        let places = first..<max(first, parking.count)
        try parkedSpill.write(
            places.lazy.map { [parking] in (parking.lastEntry($0).token, parking.note($0)) })
        journal?.parkedCount = parking.count
        try parking.forgetRows()
    }

    /// A row that waits; its bytes stay until the next call, or until rows are flushed.
    private func parkedRow(
        _ place: Int, _ entry: ParkedEntries.Entry
    ) throws(SQLiteError) -> (batch: RowBatch, row: Int) {
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

/// What a writer knew at a moment to which it may return.
struct BulkCheckpoint {
    let tally: BulkTally
    let rejects: [BulkReject]
    let change: StoreChange
    let seen: PrimaryKeySet
    let unchangedTargets: PrimaryKeySet
    let net: NetChanges
    let farNets: [NetChanges]
    let changedSinceSave: [Int64: Int64]
}

extension BulkWriter {
    private func checkpoint() throws(SQLiteError) -> BulkCheckpoint {
        try flushRows()
        for writer in toManyWriters { try writer.flush() }
        try session.connection.execute("SAVEPOINT ETL_CIRCLES")
        return BulkCheckpoint(
            tally: tally, rejects: rejects, change: session.change, seen: seen,
            unchangedTargets: unchangedTargets, net: net, farNets: farNets,
            changedSinceSave: changedSinceSave)
    }

    private func release(_ checkpoint: BulkCheckpoint) throws(SQLiteError) {
        try session.connection.execute("RELEASE ETL_CIRCLES")
    }

    private func restore(_ checkpoint: BulkCheckpoint) throws(SQLiteError) {
        pending.removeAll()
        for writer in toManyWriters { writer.forgetAll() }
        try session.connection.execute("ROLLBACK TO ETL_CIRCLES; RELEASE ETL_CIRCLES")
        tally = checkpoint.tally
        rejects = checkpoint.rejects
        session.change = checkpoint.change
        seen = checkpoint.seen
        unchangedTargets = checkpoint.unchangedTargets
        net = checkpoint.net
        farNets = checkpoint.farNets
        changedSinceSave = checkpoint.changedSinceSave
        try forgetLookups()
    }
}
