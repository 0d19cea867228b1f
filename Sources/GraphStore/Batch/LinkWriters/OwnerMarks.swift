/// The numbers of the first join rows of some owners; both must ascend together.
///
/// There is one mark for every few owners, and their number is limited. When the limit is reached,
/// every other mark is dropped, and the interval between marks doubles.
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

    /// Notes the next owner, and may add a mark.
    ///
    /// - Parameter number: The number of the owner's first join row.
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

    /// Returns the number of the last mark that is not after the owner's first join row; 1 if there
    /// is no such mark.
    func number(before owner: Int64) -> Int64 {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].owner <= owner { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? 1 : marks[low - 1].number
    }

    /// Removes the marks of join rows that no longer exist.
    mutating func removeAll(from number: Int64) {
        marks.removeAll { $0.number >= number }
    }
}
