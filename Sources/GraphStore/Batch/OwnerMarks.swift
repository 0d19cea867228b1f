/// Where the pairs of some owners begin, where owners and the numbers of pairs rise together.
///
/// There is one for every few owners. Their number is bounded: when it is reached every other one
/// goes, and from then on there is one for twice as many owners.
struct OwnerMarks {
    private let marksMax: Int
    private var marks: [(owner: Int64, number: Int64)] = []
    private var ownersBetween = 8
    private var ownersSince = 8

    /// - Parameter marksMax: how many of 16 bytes there may be.
    init(marksMax: Int = 1 << 18) {
        self.marksMax = marksMax
    }

    /// Notes that another owner comes, which may be marked.
    ///
    /// - Parameter number: of the owner's first pair.
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

    /// The number of the last mark that is not behind the owner's first pair; that of the first of
    /// all where there is none.
    func number(before owner: Int64) -> Int64 {
        var low = 0
        var high = marks.count
        while low < high {
            let middle = (low + high) / 2
            if marks[middle].owner <= owner { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? 1 : marks[low - 1].number
    }

    /// Forgets where pairs were that are no more.
    mutating func removeAll(from number: Int64) {
        marks.removeAll { $0.number >= number }
    }
}
