/// Who waits for whom, among the parked rows of a load.
///
/// Every question takes about constant time, so that a file whose every record waits settles in
/// linear time; in about 60 bytes a row.
struct WaitingRows {
    private static let none: Int32 = -1

    private let entries: [Parking.Entry]
    /// What each row waits for, where it does.
    private var awaited: [UInt64]
    private var isWaiting: [Bool]
    /// The first of the rows that wait for a key; each leads to its neighbours.
    private var firstWaiter: [UInt64: Int32] = [:]
    private var nextWaiter: [Int32]
    private var previousWaiter: [Int32]
    /// All rows by their own key, then by place.
    private var byKey: [Int32]
    /// Rows that may have become hopeless.
    private var suspects: [Int32]
    private var firstCandidate = 0
    private let lastFirst: Bool

    /// - Parameter lastFirst: the order in which `nextHopeless()` gives them.
    init(_ entries: [Parking.Entry], lastFirst: Bool = false) {
        self.entries = entries
        self.lastFirst = lastFirst
        awaited = Array(repeating: 0, count: entries.count)
        isWaiting = Array(repeating: false, count: entries.count)
        nextWaiter = Array(repeating: Self.none, count: entries.count)
        previousWaiter = nextWaiter
        byKey = entries.indices.map { Int32($0) }
        byKey.sort { (entries[Int($0)].key, $0) < (entries[Int($1)].key, $1) }
        suspects = []
        // From the last to the first, since each goes before those that wait already.
        for place in entries.indices.reversed() { wait(place, for: entries[place].awaited) }
        suspects.reverse()
    }

    mutating func wait(_ place: Int, for key: UInt64) {
        guard !isWaiting[place] else { return }
        isWaiting[place] = true
        awaited[place] = key
        let first = firstWaiter.updateValue(Int32(place), forKey: key) ?? Self.none
        nextWaiter[place] = first
        previousWaiter[place] = Self.none
        if first != Self.none { previousWaiter[Int(first)] = Int32(place) }
        suspects.append(Int32(place))
        firstCandidate = min(firstCandidate, place)
    }

    /// The row waits no longer.
    ///
    /// - Returns: whether it did.
    mutating func take(_ place: Int) -> Bool {
        guard isWaiting[place] else { return false }
        isWaiting[place] = false
        let (next, previous) = (nextWaiter[place], previousWaiter[place])
        if next != Self.none { previousWaiter[Int(next)] = previous }
        if previous != Self.none {
            nextWaiter[Int(previous)] = next
        } else {
            firstWaiter[awaited[place]] = next == Self.none ? nil : next
        }
        return true
    }

    /// Whether a row with that key waits.
    func isWaiting(key: UInt64) -> Bool { isWaiting(key: key, before: entries.count) }

    /// Whether an earlier row with that key waits.
    func isWaiting(key: UInt64, before place: Int) -> Bool {
        var position = firstPosition(of: key)
        while position < byKey.count {
            let other = Int(byKey[position])
            guard other < place, entries[other].key == key else { return false }
            if isWaiting[other] { return true }
            position += 1
        }
        return false
    }

    /// Where the rows of a key begin among all, or would.
    private func firstPosition(of key: UInt64) -> Int {
        var (low, high) = (0, byKey.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[Int(byKey[middle])].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Takes away those that wait for the key, in their order.
    mutating func takeWaiters(for key: UInt64) -> [Int] {
        var places: [Int] = []
        var place = firstWaiter[key] ?? Self.none
        while place != Self.none {
            places.append(Int(place))
            place = nextWaiter[Int(place)]
        }
        for place in places { _ = take(place) }
        return places.sorted()
    }

    /// The first row that waits.
    mutating func next() -> Int? {
        while firstCandidate < isWaiting.count, !isWaiting[firstCandidate] { firstCandidate += 1 }
        return firstCandidate < isWaiting.count ? firstCandidate : nil
    }

    /// A row of a circle in which each waits for the next; that at whose end the first row waits.
    mutating func nextInCircle() -> Int? {
        guard var place = next() else { return nil }
        var met: Set<Int> = []
        while met.insert(place).inserted, let other = firstWaiting(key: awaited[place]) {
            place = other
        }
        return place
    }

    /// The first row with that key that waits.
    private func firstWaiting(key: UInt64) -> Int? {
        var position = firstPosition(of: key)
        while position < byKey.count {
            let place = Int(byKey[position])
            guard entries[place].key == key else { return nil }
            if isWaiting[place] { return place }
            position += 1
        }
        return nil
    }

    /// A row that waits for a key which no waiting row has.
    mutating func nextHopeless() -> Int? {
        while let place = suspects.popLast() {
            let place = Int(place)
            if isWaiting[place], !isWaiting(key: awaited[place]) { return place }
        }
        return nil
    }

    /// Looks at every row again for `nextHopeless()`, the first ones first or the last ones.
    mutating func suspectAll() {
        suspects = isWaiting.indices.filter { isWaiting[$0] }.map { Int32($0) }
        if !lastFirst { suspects.reverse() }
    }
}
