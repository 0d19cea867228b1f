public import GraphModel

/// What makes new results of old ones.
///
/// Deletions and the start of each move and update are places in the old results, insertions and
/// the ends of moves and updates places in the new ones. Done in this order, old becomes new:
/// 1. take out what is deleted and what moves, from the last place to the first;
/// 2. take out the deleted sections, and put in the inserted ones;
/// 3. put in what is inserted and what moved, from the first place to the last.
///
/// `apply(to:inserting:)` does just that. A section that comes or goes also names each of its
/// objects. Whatever moves may have changed, too. As few objects as can be move, and those that
/// changed rather than those that did not.
public struct ResultDiff: Sendable, Hashable {
    /// An object that is in both results.
    public struct Step: Sendable, Hashable {
        /// Where it was.
        public var from: ResultIndexPath
        /// Where it is.
        public var to: ResultIndexPath
    }

    /// Sections of the old results that are gone.
    public private(set) var deletedSections: [Int] = []
    /// Sections of the new results that were not there.
    public private(set) var insertedSections: [Int] = []
    /// Objects of the old results that are gone.
    public private(set) var deletes: [ResultIndexPath] = []
    /// Objects of the new results that were not there.
    public private(set) var inserts: [ResultIndexPath] = []
    /// Objects that are elsewhere among the others.
    public private(set) var moves: [Step] = []
    /// Objects that changed and did not move.
    public private(set) var updates: [Step] = []
    /// The new results.
    public let results: ResultSnapshot

    /// Whether nothing is to be done.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletes.isEmpty && inserts.isEmpty
            && moves.isEmpty && updates.isEmpty
    }

    /// Compares two results.
    ///
    /// - Parameters:
    ///   - old: the results before.
    ///   - new: the results after.
    ///   - isChanged: whether an object that is in both has changed.
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

    /// The old number of each new section that stays: those of the same name, as many as stand in
    /// the same order.
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

    /// The rows of a new section whose objects need not move.
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
            // No number of changed objects weighs more than one that did not change.
            weights.append(isChanged(id) ? 1 : section.objectIDs.count + 1)
        }
        return Set(RisingRun.heaviest(of: places, weights: weights).map { rows[$0] })
    }

    /// Does to sections of elements what was done to the results.
    ///
    /// - Parameters:
    ///   - sections: an element for each object of the old results.
    ///   - inserting: the element for an object at a place of the new results.
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

/// The subsequence of rising numbers that weighs most.
enum RisingRun {
    /// Its positions; the numbers are all different, and none is below 0.
    static func heaviest(of numbers: [Int], weights: [Int]) -> [Int] {
        guard let largest = numbers.max() else { return [] }
        // A Fenwick tree: at a number, the heaviest run that ends at or below it.
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
