import SQLite

/// A sequential cursor over the table of a load.
///
/// It finds the row of a record without a lookup if it is the row after the previous record's.
///
/// Records that are imported again mostly come in the order in which their objects were inserted,
/// which is the order of their keys. The next row of the cursor is then the right one, without a
/// map, an index, or a search in the B-tree. A record elsewhere in the table is looked up, and the
/// cursor keeps its position. Two records in sequence with consecutive rows elsewhere move the
/// cursor there.
///
/// The table must not be written while the cursor is open, so a writer closes it first. It then
/// resumes after the last row that was used.
final class SequentialRowCursor {
    /// The number of consecutive misses that end the use of the cursor.
    private static let missesMax = 64
    /// The maximum number of rows to skip by stepping; for larger gaps, the cursor seeks.
    private static let gapMax: Int64 = 16

    private let rows: Statement
    // Unchecked: only one thread uses it at a time, and no access is nested in another.
    @exclusivity(unchecked) private var isOpen = false
    /// Whether the last record used the current row, so that the next record can only match a later
    /// row.
    @exclusivity(unchecked) private var isTaken = false
    /// The key at which the cursor continues when it is opened; `nil` while records are looked up
    /// instead.
    @exclusivity(unchecked) private var next: Int64?
    @exclusivity(unchecked) private var lastFound: Int64 = .min
    @exclusivity(unchecked) private var misses = 0

    /// Creates a cursor over the rows that a statement selects.
    ///
    /// - Parameter rows: Selects the rows starting at a key, in the order of their keys, which are
    ///   the first column.
    init(_ rows: Statement) {
        self.rows = rows
    }

    /// Whether the last records came in the order of their rows.
    var leads: Bool { next != nil }

    /// Returns the row that may belong to the next record; `nil` if the cursor is not in use.
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
        // There are no more rows; new rows are appended when they are written.
        if !isOpen { next = nil }
        return isOpen ? rows : nil
    }

    /// Moves the cursor to the row with the key, and returns it; `nil` if there is none.
    func row(_ key: Int64) throws(StoreError) -> Statement? {
        // Wrapping, because the keys of a damaged store may be further apart than the largest
        // integer.
        if isOpen, !(0...Self.gapMax).contains(key &- rows.integer(0)) { close() }
        while isOpen, rows.integer(0) < key { isOpen = try rows.step() }
        if !isOpen {
            rows.bind(key, at: 1)
            isOpen = try rows.step()
        }
        isTaken = false
        next = isOpen ? rows.integer(0) : nil
        return next == key ? rows : nil
    }

    /// Notes that the current row belongs to the record.
    func take() {
        lastFound = rows.integer(0)
        next = lastFound < .max ? lastFound + 1 : nil
        isTaken = true
        misses = 0
    }

    /// Notes that the record's row is elsewhere.
    func note(found key: Int64) {
        if key == lastFound &+ 1 {
            close()
            next = key < .max ? key + 1 : nil
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

    /// Returns whether the statement belongs to the cursor, so that the caller must not reset it.
    func holds(_ row: Statement) -> Bool { row === rows }

    /// Closes the cursor, so that the table can be written.
    func close() {
        guard isOpen else { return }
        rows.reset()
        isOpen = false
        isTaken = false
    }
}

/// Reads the destinations of owners in a join table, with one sequential cursor for consecutive
/// owners.
final class JoinRowCursor {
    /// The maximum gap between owners that count as consecutive.
    private static let gapMax: Int64 = 16
    /// The maximum number of join rows to skip by stepping over a gap; beyond that, the cursor
    /// seeks.
    private static let rowsSkippedMax = 64

    private let rows: Statement
    private let ofOne: Statement
    @exclusivity(unchecked) private var isOpen = false
    /// The last owner that the cursor has read, or after which it may continue.
    @exclusivity(unchecked) private var last: Int64?
    @exclusivity(unchecked) private var lastAsked: Int64 = .min

    /// Creates a cursor over the rows of a join table.
    ///
    /// - Parameters:
    ///   - rows: Selects `owner, destination` starting at an owner, in this order.
    ///   - ofOne: Selects the destinations of an owner, in order.
    init(_ rows: Statement, ofOne: Statement) {
        self.rows = rows
        self.ofOne = ofOne
    }

    /// Appends the owner's destinations to a list.
    func read(_ owner: Int64, into destinations: inout [Int64]) throws(StoreError) {
        guard let last, owner > last, (1...Self.gapMax).contains(owner &- last) else {
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
            if skipped > Self.rowsSkippedMax { close() } else { isOpen = try rows.step() }
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

    /// Closes the cursor, so that the table can be written.
    func close() {
        guard isOpen else { return }
        rows.reset()
        isOpen = false
    }
}
