import GraphModel

extension BulkWriter {
    /// One object of a list, as described by its record.
    struct NestedElement {
        /// The position in the list; the last position if the list contains the key several times.
        fileprivate(set) var number: Int
        /// The index of its first cell among the batch's items.
        fileprivate var start: Int
        /// The index of the first cell of each earlier element with the same key.
        fileprivate var earlier: [Int] = []
        /// The number of earlier elements with the same key.
        var superseded: Int { earlier.count }

        /// Returns a cell from the last of these elements that sets it.
        func cell(_ cell: Int, in batch: RowBatch) -> BulkCell {
            var found = batch.item(start + cell)
            for start in earlier.reversed() where found.kind == .absent {
                found = batch.item(start + cell)
            }
            return found
        }
    }

    /// Returns the objects of a list, one per key, in the order in which the keys first occur.
    ///
    /// Elements with the same key are merged before anything is written. If they were written one
    /// by one, every run would write all of them again, although the final object is unchanged.
    func elements(of batch: RowBatch, in cell: BulkCell) -> [NestedElement] {
        let end = cell.listStart + cell.listCount
        let width = max(1, plan.plan.width)
        let all = stride(from: cell.listStart, to: end, by: width).enumerated()
            .map { NestedElement(number: $0.offset, start: $0.element) }
        guard all.count > 1, !plan.keyCells.isEmpty else { return all }
        let keys = all.map { element in
            LinkKey(plan.keyCells.map { batch.item(element.start + $0) })
        }
        guard Set(keys.map { $0?.hash ?? 0 }).count < all.count else { return all }
        var elements: [NestedElement] = []
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
