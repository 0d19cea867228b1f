/// The source paths that a stage selects; other fields of a record are not kept.
package struct FieldSelection: Sendable {
    /// The paths; the index of a path is its slot in every record.
    package let paths: [FieldPath]
    /// The slots whose column may be missing in a table; their fields are then absent.
    package let optional: Set<Int>

    /// Creates a selection of paths; `optional` contains the slots whose column may be missing.
    package init(_ paths: [FieldPath], optional: Set<Int> = []) {
        self.paths = paths
        self.optional = optional
    }

    /// Returns, for each slot, the first slot with the same value.
    func firstSlots(by same: (FieldPath, FieldPath) -> Bool) -> [Int] {
        paths.indices.map { slot in
            paths[..<slot].firstIndex { same($0, paths[slot]) } ?? slot
        }
    }
}
