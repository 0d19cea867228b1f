import SQLite

/// The dependencies between the deferred rows of a load.
///
/// Every query takes a few lookups, plus one for each earlier row with the same key. A file whose
/// records are all deferred is therefore resolved in linear time, unless many have the same key or
/// name. The memory use is two bits per row.
struct RowDependencies {
    private let entries: DeferredRowIndex
    private var deferred: Bits
    private var rejected = Bits()
    /// The index from which the search for the first waiting row starts.
    private var firstCandidate = 0
    /// The next index to check in the one pass of `nextHopeless()` over all rows, and the rows to
    /// check again because they started to wait since then.
    private var pass: Int?
    private var suspects: [Int32] = []
    private var hasSuspected = false

    init(_ entries: DeferredRowIndex) {
        self.entries = entries
        deferred = Bits(below: entries.count)
    }

    /// Makes a row wait that does not wait yet.
    mutating func wait(_ place: Int, for key: UInt64) throws(StoreError) {
        _ = deferred.insert(place)
        try entries.wait(place, for: key)
        if hasSuspected { suspects.append(Int32(place)) }
        firstCandidate = min(firstCandidate, place)
    }

    /// Removes a row from the waiting rows.
    ///
    /// - Returns: Whether the row was waiting.
    mutating func take(_ place: Int) -> Bool { deferred.remove(place) }

    /// Notes that the row was rejected.
    mutating func noteRejected(_ place: Int) { _ = rejected.insert(place) }

    /// Returns whether the row was rejected.
    func isRejected(_ place: Int) -> Bool { rejected.contains(place) }

    /// Returns whether a row with the key or name waits.
    func isDeferred(key: UInt64) throws(StoreError) -> Bool {
        try firstDeferred(key: key) != nil
    }

    /// Returns whether the awaited object may still come: a waiting row, or the row itself, has the
    /// key or name.
    func mayCome(_ key: UInt64, for place: Int) throws(StoreError) -> Bool {
        if try entries.has(place, key) { return true }
        return try isDeferred(key: key)
    }

    /// Returns whether an earlier row with the key waits.
    func isDeferred(key: UInt64, before place: Int) throws(StoreError) -> Bool {
        try entries.firstPlace(key: key) { $0 >= place || deferred.contains($0) }
            .map { $0 < place } ?? false
    }

    /// Removes and returns the rows that wait for the key or name, in order.
    mutating func takeWaiters(for key: UInt64) throws(StoreError) -> [Int] {
        try entries.places(awaiting: key).filter { deferred.remove($0) }
    }

    /// Returns the first waiting row.
    mutating func next() -> Int? {
        guard let place = deferred.first(from: firstCandidate) else { return nil }
        firstCandidate = place
        return place
    }

    /// Returns a row of the cycle that the first waiting row leads to.
    mutating func nextInCycle() throws(StoreError) -> Int? {
        guard let start = next() else { return nil }
        let place = try cycle(from: start)
        // A name may lead to a row that comes after others with the same key. The first of these is
        // then in the cycle, too, and is the only one that can be written now.
        return try firstDeferred(key: entries[place].key) ?? place
    }

    /// Returns the row at which the path from a row enters a cycle, or ends.
    private func cycle(from start: Int) throws(StoreError) -> Int {
        // Floyd's cycle detection, which needs no additional memory: the two positions meet within
        // the cycle. From there, the entry of the cycle is as far as from the start.
        var (slow, fast) = (start, start)
        repeat {
            slow = try successor(of: slow)
            fast = try successor(of: successor(of: fast))
        } while slow != fast
        slow = start
        while slow != fast {
            slow = try successor(of: slow)
            fast = try successor(of: fast)
        }
        return slow
    }

    /// Returns the row that another row waits for; the row itself if that one does not wait.
    private func successor(of place: Int) throws(StoreError) -> Int {
        try firstDeferred(key: entries[place].awaited) ?? place
    }

    /// Returns the first waiting row with the key or name.
    private func firstDeferred(key: UInt64) throws(StoreError) -> Int? {
        if let place = try entries.firstPlace(key: key, where: { deferred.contains($0) }) {
            return place
        }
        return try entries.firstPlace(name: key, where: { deferred.contains($0) })
    }

    /// Returns a row that waits for a key or name that no waiting row has.
    mutating func nextHopeless() throws(StoreError) -> Int? {
        while let place = nextSuspect() {
            if deferred.contains(place), try !isDeferred(key: entries[place].awaited) {
                return place
            }
        }
        return nil
    }

    private mutating func nextSuspect() -> Int? {
        if let place = suspects.popLast() { return Int(place) }
        guard let pass else { return nil }
        guard let place = deferred.first(from: pass) else {
            self.pass = nil
            return nil
        }
        self.pass = place + 1
        return place
    }

    /// Makes `nextHopeless()` check every row, starting with the first one.
    ///
    /// Further calls have no effect, and are not needed. A row is woken when another row with its
    /// awaited key or name is resolved, and is checked when it waits again.
    mutating func suspectAll() {
        guard !hasSuspected else { return }
        hasSuspected = true
        pass = 0
    }
}
