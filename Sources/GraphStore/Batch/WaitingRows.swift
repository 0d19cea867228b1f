/// Who waits for whom, among the parked rows of a load.
///
/// Every question takes about constant time, so that a file whose every record waits settles in
/// linear time.
struct WaitingRows {
    private let entries: [Parking.Entry]
    /// What each row waits for; nil where it does not wait.
    private var awaited: [UInt64?]
    private var waitersByKey: [UInt64: [Int]] = [:]
    /// The waiting rows by their own key.
    private var placesByKey: [UInt64: [Int]] = [:]
    /// Rows that may have become hopeless.
    private var suspects: [Int]
    private var firstCandidate = 0
    private let lastFirst: Bool

    /// - Parameter lastFirst: the order in which `nextHopeless()` gives them.
    init(_ entries: [Parking.Entry], lastFirst: Bool = false) {
        self.entries = entries
        self.lastFirst = lastFirst
        awaited = Array(repeating: nil, count: entries.count)
        suspects = []
        for (place, entry) in entries.enumerated() { wait(place, for: entry.awaited) }
    }

    mutating func wait(_ place: Int, for key: UInt64) {
        guard awaited[place] == nil else { return }
        awaited[place] = key
        waitersByKey[key, default: []].append(place)
        placesByKey[entries[place].key, default: []].append(place)
        suspects.append(place)
        firstCandidate = min(firstCandidate, place)
    }

    /// The row waits no longer.
    ///
    /// - Returns: whether it did.
    mutating func take(_ place: Int) -> Bool {
        guard let key = awaited[place] else { return false }
        awaited[place] = nil
        waitersByKey[key]?.removeAll { $0 == place }
        let own = entries[place].key
        placesByKey[own]?.removeAll { $0 == place }
        if placesByKey[own]?.isEmpty == true { placesByKey[own] = nil }
        return true
    }

    /// Whether a row with that key waits.
    func isWaiting(key: UInt64) -> Bool { placesByKey[key] != nil }

    /// Whether an earlier row with that key waits.
    func isWaiting(key: UInt64, before place: Int) -> Bool {
        placesByKey[key]?.contains { $0 < place } ?? false
    }

    /// Takes away those that wait for the key, in their order.
    mutating func takeWaiters(for key: UInt64) -> [Int] {
        let places = (waitersByKey[key] ?? []).sorted()
        waitersByKey[key] = nil
        for place in places { _ = take(place) }
        return places
    }

    /// The first row that waits.
    mutating func next() -> Int? {
        while firstCandidate < awaited.count, awaited[firstCandidate] == nil { firstCandidate += 1 }
        return firstCandidate < awaited.count ? firstCandidate : nil
    }

    /// A row that waits for a key which no waiting row has.
    mutating func nextHopeless() -> Int? {
        while let place = suspects.popLast() {
            if let key = awaited[place], !isWaiting(key: key) { return place }
        }
        return nil
    }

    /// Looks at every row again for `nextHopeless()`, the first ones first or the last ones.
    mutating func suspectAll() {
        suspects = awaited.indices.filter { awaited[$0] != nil }
        if !lastFirst { suspects.reverse() }
    }
}
