/// Where the pairs of some owners begin, in a table in which owners and rows rise together.
///
/// There is one for every few owners. Their number is bounded: when it is reached every other one
/// goes, and from then on there is one for twice as many owners.
struct OwnerMarks {
    private let marksMax: Int
    private var marks: [(owner: Int64, row: Int64)] = []
    private var ownersBetween = 8
    private var ownersSince = 8

    /// - Parameter marksMax: how many of 16 bytes there may be.
    init(marksMax: Int = 1 << 16) {
        self.marksMax = marksMax
    }

    /// Notes that another owner comes, which may be marked.
    ///
    /// - Parameter row: the row of the owner's first pair.
    mutating func add(_ owner: Int64, row: Int64) {
        ownersSince += 1
        guard ownersSince >= ownersBetween else { return }
        if marks.count >= marksMax {
            ownersBetween *= 2
            marks = stride(from: 0, to: marks.count, by: 2).map { marks[$0] }
        }
        marks.append((owner, row))
        ownersSince = 0
    }

    /// The row of the last mark that is not behind the owner's first pair; the table's first
    /// where there is none.
    func row(before owner: Int64) -> Int64 {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].owner <= owner { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? 1 : marks[low - 1].row
    }

    /// Forgets where pairs were that are no more.
    mutating func removeAll(from row: Int64) {
        marks.removeAll { $0.row >= row }
    }
}
