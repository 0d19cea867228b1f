public import GraphModel

/// A place in results: Core Data's index path.
public struct ResultIndexPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Which section, from 0.
    public var section: Int
    /// Which object in it, from 0.
    public var row: Int

    /// Creates a place.
    public init(section: Int, row: Int) {
        self.section = section
        self.row = row
    }

    /// Sections first.
    public static func < (left: Self, right: Self) -> Bool {
        (left.section, left.row) < (right.section, right.row)
    }

    /// `0.3`.
    public var description: String { "\(section).\(row)" }
}

/// What a request gave at some moment, in sections, by ID.
public struct ResultSnapshot: Sendable, Hashable {
    /// Objects that belong together.
    public struct Section: Sendable, Hashable {
        /// What they have in common; empty where the results have no sections.
        public var name: String
        /// The objects, in order.
        public var objectIDs: [ManagedObjectID]

        /// Creates a section.
        public init(name: String, objectIDs: [ManagedObjectID]) {
            self.name = name
            self.objectIDs = objectIDs
        }
    }

    /// The sections, in order; none is empty, except the only one of results without sections.
    public var sections: [Section]

    /// Creates a snapshot.
    public init(sections: [Section] = []) {
        self.sections = sections
    }

    /// All objects, in order.
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }

    /// The object at a place.
    public subscript(place: ResultIndexPath) -> ManagedObjectID {
        sections[place.section].objectIDs[place.row]
    }

    /// Where each object is.
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
