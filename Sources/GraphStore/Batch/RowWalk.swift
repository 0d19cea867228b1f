import SQLite

/// Walks along the table of a load, so that a record whose object stands behind that of the record
/// before finds it without being looked up.
///
/// What is imported again comes most often in the order in which its objects were made, which is
/// that of their keys. The next row then is the one to look at: no map, no index, and no new walk
/// down the table's tree. A record that is elsewhere is found as ever, while the walk stays where
/// it is; two in a row that follow one another elsewhere move it there.
///
/// A row that is written may not be under a walk's feet, so whoever writes closes it first; it
/// goes on behind the last row that it gave out.
final class RowWalk {
    /// So many records that are elsewhere, one after the other, end a walk.
    private static let missesMax = 64
    /// Rows that are read over rather than looked for the next one.
    private static let gapMax: Int64 = 16

    private let rows: Statement
    // As in `BulkWriter`.
    @exclusivity(unchecked) private var isOpen = false
    /// The row at hand was given out; the next one is to be looked at.
    @exclusivity(unchecked) private var isTaken = false
    /// Where the walk goes on when it is opened; nil where it leads nowhere.
    @exclusivity(unchecked) private var next: Int64?
    @exclusivity(unchecked) private var lastFound: Int64 = .min
    @exclusivity(unchecked) private var misses = 0

    /// - Parameter rows: selects the rows from a key on, in the order of their keys, which come
    ///   first.
    init(_ rows: Statement) {
        self.rows = rows
    }

    /// Whether the last records came in the order of their rows.
    var leads: Bool { next != nil }

    /// The row that may be the next record's; nil where the walk leads nowhere.
    func candidate() throws(StoreError) -> Statement? {
        if isOpen {
            guard isTaken else { return rows }
            isOpen = try rows.step()
        } else if let next {
            rows.bind(next, at: 1)
            isOpen = try rows.step()
        } else {
            return nil
        }
        isTaken = false
        // There are no rows behind; what is to come stands there when it is written.
        if !isOpen { next = nil }
        return isOpen ? rows : nil
    }

    /// The row of that key, to which the walk goes on; nil where there is none.
    func row(_ key: Int64) throws(StoreError) -> Statement? {
        if isOpen, rows.integer(0) > key || key - rows.integer(0) > Self.gapMax { close() }
        while isOpen, rows.integer(0) < key { isOpen = try rows.step() }
        if !isOpen {
            rows.bind(key, at: 1)
            isOpen = try rows.step()
        }
        isTaken = false
        next = isOpen ? rows.integer(0) : nil
        return next == key ? rows : nil
    }

    /// The row at hand is the record's.
    func take() {
        lastFound = rows.integer(0)
        next = lastFound + 1
        isTaken = true
        misses = 0
    }

    /// The record's row is elsewhere.
    func note(found key: Int64) {
        if key == lastFound &+ 1 {
            close()
            next = key + 1
            misses = 0
        } else if next != nil {
            misses += 1
            if misses > Self.missesMax {
                close()
                next = nil
            }
        }
        lastFound = key
    }

    /// Whether a row is the walk's, to be left as it is by who has looked at it.
    func holds(_ row: Statement) -> Bool { row === rows }

    /// Lets go of the table, in which something is to be written.
    func close() {
        guard isOpen else { return }
        rows.reset()
        isOpen = false
        isTaken = false
    }
}

/// Reads the destinations of owners in a table of pairs, along with owners that follow one another.
final class PairWalk {
    /// Owners that may have been left out between two that follow one another.
    private static let gapMax: Int64 = 16
    /// Pairs of such owners to be read over, before it is better to look for the owner's.
    private static let pairsSkippedMax = 64

    private let rows: Statement
    private let ofOne: Statement
    @exclusivity(unchecked) private var isOpen = false
    /// The last owner whose pairs the walk has read, or may go on from.
    @exclusivity(unchecked) private var last: Int64?
    @exclusivity(unchecked) private var lastAsked: Int64 = .min

    /// - Parameters:
    ///   - rows: selects `owner, destination` from an owner on, in their order.
    ///   - ofOne: selects the destinations of an owner, in their order.
    init(_ rows: Statement, ofOne: Statement) {
        self.rows = rows
        self.ofOne = ofOne
    }

    /// Adds the owner's destinations to a list.
    func read(_ owner: Int64, into destinations: inout [Int64]) throws(StoreError) {
        guard let last, owner > last, owner - last <= Self.gapMax else {
            if owner == lastAsked &+ 1 {
                close()
                self.last = owner
            }
            lastAsked = owner
            ofOne.bind(owner, at: 1)
            while try ofOne.step() { destinations.append(ofOne.integer(0)) }
            return
        }
        self.last = owner
        var skipped = 0
        while isOpen, rows.integer(0) < owner {
            skipped += 1
            if skipped > Self.pairsSkippedMax { close() } else { isOpen = try rows.step() }
        }
        if !isOpen {
            rows.bind(owner, at: 1)
            isOpen = try rows.step()
        }
        while isOpen, rows.integer(0) == owner {
            destinations.append(rows.integer(1))
            isOpen = try rows.step()
        }
    }

    /// Lets go of the table, in which something is to be written.
    func close() {
        guard isOpen else { return }
        rows.reset()
        isOpen = false
    }
}
