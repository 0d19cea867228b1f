public import GraphModel

/// A position in results, like Core Data's index path.
public struct ResultIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The index of the section, from 0.
    public var section: Int
    /// The index of the object in the section, from 0.
    public var row: Int

    /// Creates an index path.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Orders by section, then by row.
    public static func < (left: Self, right: Self) -> Bool {
        (left.section, left.row) < (right.section, right.row)
    }

    /// The index path in the form `0.3`.
    public var description: String { "\(section).\(row)" }
}

/// The object IDs of a request's results at one time, in sections.
public struct ResultSnapshot: Sendable, Hashable {
    /// A section of the results.
    public struct Section: Sendable, Hashable {
        /// The value that the section's objects share; empty if the results have no sections.
        public var name: String
        /// The IDs of the objects, in order.
        public var objectIDs: [ManagedObjectID]

        /// Creates a section.
        public init(name: String, objectIDs: [ManagedObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// The sections, in order; only the single section of results without sections may be empty.
    public var sections: [Section]

    /// Creates a snapshot.
    public init(sections: [Section] = []) {
        self.sections = sections
    }

    /// The IDs of all objects, in order.
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }

    /// The object ID at an index path.
    public subscript(place: ResultIndexPath) -> ManagedObjectID {
        sections[place.section].objectIDs[place.row]
    }

    /// The index path of each object.
    var places: [ManagedObjectID: ResultIndexPath] {
        var places: [ManagedObjectID: ResultIndexPath] = [:]
        for (number, section) in sections.enumerated() {
            for (row, id) in section.objectIDs.enumerated() {
                places[id] = ResultIndexPath(section: number, row: row)
            }
        }
        return places
    }
}
