/// An index of some owners in a spool of join rows, with the number of each owner's first join row.
///
/// Owners are added in ascending order of their primary keys and of these numbers.
struct OwnerMarks {
    private let marksMax: Int
    private var marks: [(owner: Int64, number: Int64)] = []
    private var ownersBetween = 8
    private var ownersSince = 8

    /// Creates an empty list of marks.
    ///
    /// - Parameter marksMax: The maximum number of marks, which have 16 bytes each.
    init(marksMax: Int = 1 << 18) {
        self.marksMax = marksMax
    }

    /// Records the next owner; only every few owners get a mark.
    mutating func add(_ owner: Int64, number: Int64) {
        ownersSince += 1
        guard ownersSince >= ownersBetween else { return }
        if marks.count >= marksMax {
            ownersBetween *= 2
            marks = stride(from: 0, to: marks.count, by: 2).map { marks[$0] }
        }
        marks.append((owner, number))
        ownersSince = 0
    }

    /// Returns the number of a join row from which a search finds the owner's first join row; 1 if
    /// no mark precedes the owner.
    func number(before owner: Int64) -> Int64 {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].owner <= owner { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? 1 : marks[low - 1].number
    }

    /// Removes the marks of join rows from this number on, which a rollback has removed.
    mutating func removeAll(from number: Int64) {
        marks.removeAll { $0.number >= number }
    }
}
