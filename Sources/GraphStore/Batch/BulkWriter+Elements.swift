import GraphModel

extension BulkWriter {
    /// One object of a list, as its record describes it.
    struct Element {
        /// Its position in the list; the last one if the list has its key several times.
        fileprivate(set) var number: Int
        /// Where its cells begin among the batch's items.
        fileprivate var start: Int
        /// Where those of earlier elements with the same key begin.
        fileprivate var earlier: [Int] = []
        /// How many earlier elements have the same key.
        var superseded: Int { earlier.count }

        /// A cell of the last of the elements that have it.
        func cell(_ cell: Int, in batch: RowBatch) -> BulkCell {
            var found = batch.item(start + cell)
            for start in earlier.reversed() where found.kind == .absent {
                found = batch.item(start + cell)
            }
            return found
        }
    }

    /// The objects of a list, one for each key, in the order in which the keys first occur.
    ///
    /// Elements of one key become one object before anything is written. If each was written in turn,
    /// every run would write all of them again, although the object is the same in the end.
    func elements(of batch: RowBatch, in cell: BulkCell) -> [Element] {
        let end = cell.listStart + cell.listCount
        let all = stride(from: cell.listStart, to: end, by: plan.plan.width).enumerated()
            .map { Element(number: $0.offset, start: $0.element) }
        guard all.count > 1, !plan.keyCells.isEmpty else { return all }
        let keys = all.map { element in
            LinkKey(plan.keyCells.map { batch.item(element.start + $0) })
        }
        guard Set(keys.map { $0?.hash ?? 0 }).count < all.count else { return all }
        var elements: [Element] = []
        var places: [[UInt8]: Int] = [:]
        for (element, key) in zip(all, keys) {
            let key = key?.encoded ?? []
            guard let place = places[key] else {
                places[key] = elements.count
                elements.append(element)
                continue
            }
            elements[place].earlier.append(elements[place].start)
            elements[place].start = element.start
            elements[place].number = element.number
        }
        return elements
    }
}
