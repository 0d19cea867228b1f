import SQLite

/// Who waits for whom, among the parked rows of a load.
///
/// Every question takes a few look-ups, and one more for each row of the key that came before, so
/// that a file whose every record waits settles in linear time unless many have one key or name; in
/// memory are two bits a row.
struct WaitingRows {
    private let entries: ParkedEntries
    private var waiting: Bits
    private var refused = Bits()
    /// No row before this one waits.
    private var firstCandidate = 0
    /// Which rows `nextHopeless()` has still to look at: all in one pass, and those that began to
    /// wait since.
    private var pass: Int?
    private var suspects: [Int32] = []
    private var hasSuspected = false

    init(_ entries: ParkedEntries) {
        self.entries = entries
        waiting = Bits(below: entries.count)
    }

    mutating func wait(_ place: Int, for key: UInt64) throws(StoreError) {
        guard waiting.insert(place) else { return }
        try entries.wait(place, for: key)
        if hasSuspected { suspects.append(Int32(place)) }
        firstCandidate = min(firstCandidate, place)
    }

    /// The row waits no longer.
    ///
    /// - Returns: whether it did.
    mutating func take(_ place: Int) -> Bool { waiting.remove(place) }

    /// Notes that the row was decided and not written.
    mutating func noteRefused(_ place: Int) { _ = refused.insert(place) }

    /// Whether that was noted.
    func isRefused(_ place: Int) -> Bool { refused.contains(place) }

    /// Whether a row with that key or name waits.
    func isWaiting(key: UInt64) throws(StoreError) -> Bool {
        try firstWaiting(key: key) != nil
    }

    /// Whether what is awaited may still come: a row that waits has that key or name, or the row at
    /// hand has it itself.
    func mayCome(_ key: UInt64, for place: Int) throws(StoreError) -> Bool {
        if try entries.has(place, key) { return true }
        return try isWaiting(key: key)
    }

    /// Whether an earlier row with that key waits.
    func isWaiting(key: UInt64, before place: Int) throws(StoreError) -> Bool {
        try entries.firstPlace(key: key) { $0 >= place || waiting.contains($0) }
            .map { $0 < place } ?? false
    }

    /// Takes away those that wait for the key or name, in their order.
    mutating func takeWaiters(for key: UInt64) throws(StoreError) -> [Int] {
        try entries.places(awaiting: key).filter { waiting.remove($0) }
    }

    /// The first row that waits.
    mutating func next() -> Int? {
        guard let place = waiting.first(from: firstCandidate) else { return nil }
        firstCandidate = place
        return place
    }

    /// A row of a circle in which each waits for the next; that at whose end the first row waits.
    mutating func nextInCircle() throws(StoreError) -> Int? {
        guard let start = next() else { return nil }
        let place = try circle(from: start)
        // Where a name leads to a row behind others of its key, the first of those is in the
        // circle, too, and the only one that can be written now.
        return try firstWaiting(key: entries[place].key) ?? place
    }

    /// Where the way from a row enters a circle, or ends.
    private func circle(from start: Int) throws(StoreError) -> Int {
        // By Floyd's two walkers, who need no memory: they meet within the circle, and from there
        // it is as far to where the circle is entered as it is from the start.
        var (slow, fast) = (start, start)
        repeat {
            slow = try successor(of: slow) ?? slow
            for _ in 0..<2 {
                guard let next = try successor(of: fast) else { return fast }
                fast = next
            }
        } while slow != fast
        slow = start
        while slow != fast {
            slow = try successor(of: slow) ?? slow
            fast = try successor(of: fast) ?? fast
        }
        return slow
    }

    /// The row for which another waits, where it waits itself.
    private func successor(of place: Int) throws(StoreError) -> Int? {
        try firstWaiting(key: entries[place].awaited)
    }

    /// The first row with that key, or name, that waits.
    private func firstWaiting(key: UInt64) throws(StoreError) -> Int? {
        if let place = try entries.firstPlace(key: key, where: { waiting.contains($0) }) {
            return place
        }
        return try entries.firstPlace(name: key, where: { waiting.contains($0) })
    }

    /// A row that waits for what no waiting row has.
    mutating func nextHopeless() throws(StoreError) -> Int? {
        while let place = nextSuspect() {
            if waiting.contains(place), try !isWaiting(key: entries[place].awaited) {
                return place
            }
        }
        return nil
    }

    private mutating func nextSuspect() -> Int? {
        if let place = suspects.popLast() { return Int(place) }
        guard let pass else { return nil }
        guard let place = waiting.first(from: pass) else {
            self.pass = nil
            return nil
        }
        self.pass = place + 1
        return place
    }

    /// Has `nextHopeless()` look at every row, the first ones first.
    ///
    /// Once is enough, and more calls do nothing: a row for whose key or name another is settled is
    /// woken, and looked at when it waits again.
    mutating func suspectAll() {
        guard !hasSuspected else { return }
        hasSuspected = true
        pass = 0
    }
}
