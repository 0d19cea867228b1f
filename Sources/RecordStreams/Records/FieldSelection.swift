/// The source paths that a stage asks for; nothing else of a record is kept.
package struct FieldSelection: Sendable {
    /// The paths; the index of a path is its slot in every record.
    package let paths: [FieldPath]
    /// Slots whose column a table may lack; their fields are absent then.
    package let optional: Set<Int>

    package init(_ paths: [FieldPath], optional: Set<Int> = []) {
        self.paths = paths
        self.optional = optional
    }

    /// For each slot, the first slot with the same value.
    func firstSlots(by same: (FieldPath, FieldPath) -> Bool) -> [Int] {
        paths.indices.map { slot in
            paths.firstIndex { same($0, paths[slot]) } ?? slot
        }
    }
}
