import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Result diffs") struct ResultDiffTests {
    private func snapshot(_ sections: (String, [Int64])...) -> ResultSnapshot {
        ResultSnapshot(
            sections: sections.map { name, keys in
                ResultSnapshot.Section(
                    name: name,
                    objectIDs: keys.map { ManagedObjectID(entityNumber: 1, primaryKey: $0) })
            })
    }

    private func diff(
        _ old: ResultSnapshot, _ new: ResultSnapshot, changed: Set<Int64> = []
    ) -> ResultDiff {
        ResultDiff(from: old, to: new) { changed.contains($0.primaryKey) }
    }

    private func words(_ diff: ResultDiff) -> [String] {
        diff.deletedSections.map { "-section \($0)" }
            + diff.insertedSections.map { "+section \($0)" }
            + diff.deletes.map { "-\($0)" } + diff.inserts.map { "+\($0)" }
            + diff.moves.map { "\($0.from)>\($0.to)" }
            + diff.updates.map { "\($0.from)=\($0.to)" }
    }

    @Test("row 77: a diff lists insertions, deletions, moves, and updates with their positions")
    func rows() {
        let old = snapshot(("", [1, 2, 3, 4]))
        #expect(diff(old, old).isEmpty)
        #expect(words(diff(old, snapshot(("", [1, 5, 2, 4])))) == ["-0.2", "+0.1"])
        #expect(words(diff(old, snapshot(("", [2, 3, 4, 1])))) == ["0.0>0.3"])
        #expect(
            words(diff(old, snapshot(("", [9, 1, 2, 3, 4])), changed: [3])) == ["+0.0", "0.2=0.3"])
    }

    @Test("row 77: if two objects swap, the changed one is a move and not also an update")
    func movesWhatChanged() {
        let old = snapshot(("", [1, 2]))
        let new = snapshot(("", [2, 1]))
        #expect(words(diff(old, new, changed: [1])) == ["0.0>0.1"])
        #expect(words(diff(old, new, changed: [2])) == ["0.1>0.0"])
    }

    @Test("row 77: a diff inserts and deletes sections and moves objects between them")
    func sections() {
        let old = snapshot(("a", [1, 2]), ("b", [3]))
        #expect(
            words(diff(old, snapshot(("a", [1]), ("c", [2, 4]))))
                == ["-section 1", "+section 1", "-1.0", "+1.1", "0.1>1.0"])
        #expect(words(diff(old, snapshot(("a", [1, 2])))) == ["-section 1", "-1.0"])
        #expect(
            words(diff(snapshot(), snapshot(("a", [1])))) == ["+section 0", "+0.0"])
    }

    @Test(
        "row 77: applying a random diff to the old results gives the new results",
        arguments: [UInt64(1), 2, 3])
    func replay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var old = ResultSnapshot()
        for step in 0..<1000 {
            let new = next(after: old, &random)
            let changed = Set(old.objectIDs.filter { _ in random.chance(20) })
            let diff = ResultDiff(from: old, to: new) { changed.contains($0) }
            let found = diff.apply(to: old.sections.map(\.objectIDs)) { new[$0] }
            #expect(found == new.sections.map(\.objectIDs), "seed \(seed), step \(step)")
            // Each change is listed, and no change is listed twice.
            let steps = diff.moves + diff.updates
            #expect(Set(steps.map(\.from)).count == steps.count, "seed \(seed), step \(step)")
            let both = Set(old.objectIDs).intersection(new.objectIDs)
            #expect(
                changed.intersection(both).isSubset(of: Set(steps.map { old[$0.from] })),
                "seed \(seed), step \(step)")
            #expect(steps.allSatisfy { old[$0.from] == new[$0.to] })
            #expect(diff.deletes.count + both.count == old.objectIDs.count)
            #expect(diff.inserts.count + both.count == new.objectIDs.count)
            old = new
        }
    }

    /// Returns a snapshot with some objects removed, inserted, and moved, and sections renamed and
    /// swapped.
    private func next(
        after old: ResultSnapshot, _ random: inout SeededGenerator
    ) -> ResultSnapshot {
        var sections = old.sections
        func place() -> Int { random.pick(max(1, sections.count)) }
        for _ in 0..<random.pick(6) {
            switch random.pick(6) {
            case 0:
                let unused = "abcdefgh".map(String.init).filter { name in
                    !sections.contains { $0.name == name }
                }
                guard !unused.isEmpty else { continue }
                let section = ResultSnapshot.Section(name: random.pick(unused), objectIDs: [])
                sections.insert(section, at: random.pick(sections.count + 1))
            case 1 where !sections.isEmpty: sections.remove(at: place())
            case 2 where sections.count > 1: sections.swapAt(place(), place())
            case 3 where !sections.isEmpty:
                let number = place()
                sections[number].objectIDs.shuffle(using: &random)
            default: break
            }
        }
        guard !sections.isEmpty else { return ResultSnapshot() }
        var ids = sections.flatMap(\.objectIDs).filter { _ in random.chance(10) }
        for number in sections.indices {
            sections[number].objectIDs.removeAll { ids.contains($0) }
        }
        for _ in 0..<random.pick(4) {
            let id = ManagedObjectID(entityNumber: 1, primaryKey: Int64(random.pick(40)))
            if !sections.contains(where: { $0.objectIDs.contains(id) }), !ids.contains(id) {
                ids.append(id)
            }
        }
        for id in ids where random.chance(80) {
            let number = place()
            sections[number].objectIDs.insert(
                id, at: random.pick(sections[number].objectIDs.count + 1))
        }
        return ResultSnapshot(sections: sections)
    }
}
