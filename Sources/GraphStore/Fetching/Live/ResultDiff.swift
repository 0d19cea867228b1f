public import GraphModel

/// The changes that turn old results into new results.
///
/// Deletions and the `from` of moves and updates are index paths in the old results. Insertions and
/// the `to` of moves and updates are index paths in the new results. Apply them in this order:
/// 1. Remove deleted and moving objects, from the last to the first.
/// 2. Remove the deleted sections, and insert the new ones.
/// 3. Insert the new and moved objects, from the first to the last.
///
/// `apply(to:inserting:)` does these steps. The objects of an inserted or deleted section are also
/// listed one by one. A moved object may have changed, too. As few unchanged objects as possible
/// move, and then as few changed ones as possible.
public struct ResultDiff: Sendable, Hashable {
    /// The old and new index path of an object that is in both results.
    public struct Step: Sendable, Hashable {
        /// The index path in the old results.
        public var from: ResultIndexPath
        /// The index path in the new results.
        public var to: ResultIndexPath
    }

    /// Sections of the old results that were removed.
    public private(set) var deletedSections: [Int] = []
    /// Sections of the new results that were added.
    public private(set) var insertedSections: [Int] = []
    /// Objects of the old results that were removed.
    public private(set) var deletes: [ResultIndexPath] = []
    /// Objects of the new results that were added.
    public private(set) var inserts: [ResultIndexPath] = []
    /// Objects that moved relative to the others.
    public private(set) var moves: [Step] = []
    /// Objects that changed without moving.
    public private(set) var updates: [Step] = []
    /// The new results.
    public let results: ResultSnapshot

    /// Whether there are no changes.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletes.isEmpty && inserts.isEmpty
            && moves.isEmpty && updates.isEmpty
    }

    /// Compares two results.
    ///
    /// - Parameters:
    ///   - old: the results before.
    ///   - new: the results after.
    ///   - isChanged: returns whether an object that is in both results has changed.
    public init(
        from old: ResultSnapshot, to new: ResultSnapshot,
        isChanged: (ManagedObjectID) -> Bool
    ) {
        results = new
        let kept = Self.keptSections(old, new)
        deletedSections = old.sections.indices.filter { !kept.values.contains($0) }
        insertedSections = new.sections.indices.filter { kept[$0] == nil }
        let before = old.places
        var after: Set<ManagedObjectID> = []
        for (number, section) in new.sections.enumerated() {
            let stays = Self.staying(section, before, kept[number], isChanged)
            for (row, id) in section.objectIDs.enumerated() {
                after.insert(id)
                let place = ResultIndexPath(section: number, row: row)
                guard let from = before[id] else {
                    inserts.append(place)
                    continue
                }
                if !stays.contains(row) {
                    moves.append(Step(from: from, to: place))
                } else if isChanged(id) {
                    updates.append(Step(from: from, to: place))
                }
            }
        }
        for (number, section) in old.sections.enumerated() {
            for (row, id) in section.objectIDs.enumerated() where !after.contains(id) {
                deletes.append(ResultIndexPath(section: number, row: row))
            }
        }
    }

    /// Returns the old number of each kept new section.
    ///
    /// Sections are matched by name; the longest run in the same order is kept.
    private static func keptSections(_ old: ResultSnapshot, _ new: ResultSnapshot) -> [Int: Int] {
        var numbers: [String: Int] = [:]
        for (number, section) in old.sections.enumerated() { numbers[section.name] = number }
        let common = new.sections.indices.filter { numbers[new.sections[$0].name] != nil }
        let places = common.map { numbers[new.sections[$0].name] ?? 0 }
        let stays = RisingRun.heaviest(of: places, weights: places.map { _ in 1 })
        var kept: [Int: Int] = [:]
        for position in stays { kept[common[position]] = places[position] }
        return kept
    }

    /// Returns the rows of a new section whose objects need not move.
    private static func staying(
        _ section: ResultSnapshot.Section, _ before: [ManagedObjectID: ResultIndexPath],
        _ oldSection: Int?, _ isChanged: (ManagedObjectID) -> Bool
    ) -> Set<Int> {
        guard let oldSection else { return [] }
        var rows: [Int] = []
        var places: [Int] = []
        var weights: [Int] = []
        for (row, id) in section.objectIDs.enumerated() {
            guard let from = before[id], from.section == oldSection else { continue }
            rows.append(row)
            places.append(from.row)
            // One unchanged object outweighs any number of changed ones.
            weights.append(isChanged(id) ? 1 : section.objectIDs.count + 1)
        }
        return Set(RisingRun.heaviest(of: places, weights: weights).map { rows[$0] })
    }

    /// Applies the changes of the results to sections of elements.
    ///
    /// - Parameters:
    ///   - sections: an element for each object of the old results.
    ///   - inserting: returns the element for an index path in the new results.
    public func apply<Element>(
        to sections: [[Element]], inserting: (ResultIndexPath) -> Element
    ) -> [[Element]] {
        var sections = sections
        var arriving: [(place: ResultIndexPath, element: Element)] = []
        for step in moves {
            arriving.append((step.to, sections[step.from.section][step.from.row]))
        }
        for place in inserts { arriving.append((place, inserting(place))) }
        for place in (deletes + moves.map(\.from)).sorted(by: >) {
            sections[place.section].remove(at: place.row)
        }
        for number in deletedSections.reversed() { sections.remove(at: number) }
        for number in insertedSections { sections.insert([], at: number) }
        for (place, element) in arriving.sorted(by: { $0.place < $1.place }) {
            sections[place.section].insert(element, at: place.row)
        }
        return sections
    }
}

/// Finds the increasing subsequence with the largest total weight.
enum RisingRun {
    /// Returns the positions of the subsequence; the numbers must be distinct and not negative.
    static func heaviest(of numbers: [Int], weights: [Int]) -> [Int] {
        guard let largest = numbers.max() else { return [] }
        // A Fenwick tree: for each number, the heaviest run that ends at or below it.
        var tree = [(weight: Int, position: Int)](
            repeating: (0, -1), count: largest + 2)
        var previous = [Int](repeating: -1, count: numbers.count)
        var best = (weight: 0, position: -1)
        for (position, number) in numbers.enumerated() {
            var found = (weight: 0, position: -1)
            var index = number
            while index > 0 {
                if tree[index].weight > found.weight { found = tree[index] }
                index &= index - 1
            }
            previous[position] = found.position
            let run = (weight: found.weight + weights[position], position: position)
            if run.weight > best.weight { best = run }
            index = number + 1
            while index < tree.count {
                if run.weight > tree[index].weight { tree[index] = run }
                index += index & -index
            }
        }
        var positions: [Int] = []
        var next = best.position
        while next >= 0 {
            positions.append(next)
            next = previous[next]
        }
        return positions.reversed()
    }
}
