import GraphModel
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Set of object IDs") struct ManagedObjectIDSetTests {
    @Test func behavesAsASet() {
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            var set = ManagedObjectIDSet()
            var oracle: Set<ManagedObjectID> = []
            let spread = Int64(random.pick([8, 40, 400]))
            for _ in 0..<300 {
                let id = ManagedObjectID(
                    entityNumber: Int64(random.pick(2)) + 1,
                    primaryKey: Int64(random.pick(Int(spread))) + 1)
                if random.chance(60) {
                    set.insert(id)
                    oracle.insert(id)
                } else {
                    set.remove(id)
                    oracle.remove(id)
                }
                #expect(set.contains(id) == oracle.contains(id), "seed \(seed)")
            }
            #expect(set.ids == oracle.sorted(), "seed \(seed)")
            #expect(set.count == oracle.count, "seed \(seed)")
            #expect(set.isEmpty == oracle.isEmpty, "seed \(seed)")
            for number in Int64(1)...2 {
                let expected = oracle.count { $0.entityNumber == number }
                #expect(set.count(entityNumber: number) == expected, "seed \(seed)")
                let ranges = set.ranges[number] ?? []
                for (left, right) in zip(ranges, ranges.dropFirst()) {
                    #expect(left.upperBound + 1 < right.lowerBound, "seed \(seed)")
                }
            }
            // Sets with equal content are equal, whatever the order of insertions.
            var again = ManagedObjectIDSet()
            for id in oracle.shuffled(using: &random) { again.insert(id) }
            #expect(again == set, "seed \(seed)")
        }
    }

    @Test func formsUnionsAndSubtractsSets() {
        func set(_ ids: Set<ManagedObjectID>) -> ManagedObjectIDSet {
            var set = ManagedObjectIDSet()
            for id in ids.sorted() { set.insert(id) }
            return set
        }
        for seed in UInt64(1)...300 {
            var random = SeededGenerator(seed: seed)
            let spread = random.pick([8, 40, 400])
            let both = (0..<2).map { _ in
                var keys: [Int64] = []
                for _ in 0..<random.pick(60) { keys.append(Int64(random.pick(spread))) }
                // The minimum and maximum keys.
                if random.chance(10) { keys.append(.max) }
                if random.chance(10) { keys.append(.min) }
                return Set(
                    keys.map {
                        ManagedObjectID(entityNumber: Int64(random.pick(2)) + 1, primaryKey: $0)
                    })
            }
            var union = set(both[0])
            union.formUnion(set(both[1]))
            #expect(union == set(both[0].union(both[1])), "seed \(seed)")
            var rest = set(both[0])
            rest.subtract(set(both[1]))
            #expect(rest == set(both[0].subtracting(both[1])), "seed \(seed)")
            let first = both[1].filter { $0.entityNumber == 1 }
            var rising = set(both[0])
            rising.insert(risingKeys: first.map(\.primaryKey).sorted(), entityNumber: 1)
            #expect(rising == set(both[0].union(first)), "seed \(seed)")
            let low = Int64(random.pick(spread))
            let range = low...(low + Int64(random.pick(9)))
            var ranged = set(both[0])
            ranged.insert(keys: range, entityNumber: 1)
            let added = range.map { ManagedObjectID(entityNumber: 1, primaryKey: $0) }
            #expect(ranged == set(both[0].union(added)), "seed \(seed)")
        }
    }

    @Test func describesTheFirstRanges() {
        var set = ManagedObjectIDSet()
        #expect("\(set)" == "{}")
        for key in Int64(4)...9 {
            set.insert(ManagedObjectID(entityNumber: 3, primaryKey: key))
        }
        set.insert(ManagedObjectID(entityNumber: 1, primaryKey: 1))
        #expect("\(set)" == "{1/p1, 3/p4…p9}")
        for key in stride(from: Int64(20), to: 100, by: 2) {
            set.insert(ManagedObjectID(entityNumber: 3, primaryKey: key))
        }
        #expect("\(set)".hasSuffix("3/p54, …}"))
    }

    @Test func keepsAdjacentKeysInOneRange() {
        var set = ManagedObjectIDSet()
        for key in Int64(1)...50_000 {
            set.insert(ManagedObjectID(entityNumber: 1, primaryKey: key))
        }
        #expect(set.ranges == [1: [1...50_000]])
        set.remove(ManagedObjectID(entityNumber: 1, primaryKey: 500))
        #expect(set.ranges == [1: [1...499, 501...50_000]])
        #expect(set.count == 49_999)
    }

    /// Returns shuffled even keys, of which no two are adjacent, so each has its own range.
    private static func scattered(_ count: Int, _ random: inout SeededGenerator) -> [Int64] {
        (0..<count).map { Int64($0) * 2 }.shuffled(using: &random)
    }

    private static func set(_ keys: some Sequence<Int64>) -> ManagedObjectIDSet {
        keys.reduce(into: ManagedObjectIDSet()) {
            $0.insert(ManagedObjectID(entityNumber: 1, primaryKey: $1))
        }
    }

    @Test("many scattered keys, filled gaps, and removed ranges give the same sets in any order")
    func manyRanges() {
        for (seed, count) in zip(UInt64(1)..., [511, 512, 513, 1025, 6000]) {
            var random = SeededGenerator(seed: seed)
            let keys = Self.scattered(count, &random)
            var set = Self.set(keys)
            let sorted = keys.sorted()
            #expect(set.ranges == [1: sorted.map { $0...$0 }], "\(count) keys")
            #expect(set == Self.set(sorted), "\(count) keys")
            #expect(set.hashValue == Self.set(sorted).hashValue, "\(count) keys")
            // Fill and open gaps at random, also between chunks.
            let odd = sorted.map { $0 + 1 }.shuffled(using: &random)
            for (place, key) in odd.enumerated() {
                set.insert(ManagedObjectID(entityNumber: 1, primaryKey: key))
                if place.isMultiple(of: 3) {
                    set.remove(ManagedObjectID(entityNumber: 1, primaryKey: key - 1))
                }
            }
            let gone = Set(odd.enumerated().filter { $0.offset.isMultiple(of: 3) }.map { $1 - 1 })
            let left = (sorted + odd).filter { !gone.contains($0) }.sorted()
            #expect(set.ids.map(\.primaryKey) == left, "\(count) keys")
            #expect(set.count == left.count, "\(count) keys")
            set.insert(keys: 3...Int64(count), entityNumber: 1)
            let merged = Self.set(Set(left).union(3...Int64(count)))
            #expect(set == merged, "\(count) keys")
        }
    }

    @Test("unions and differences of sets of very different sizes")
    func differentSizes() {
        var random = SeededGenerator(seed: 5)
        let large = Self.scattered(5000, &random)
        for count in [1, 5, 300, 4000, 5000] {
            let small = large.prefix(count).map { $0 + Int64(random.pick(3)) - 1 }
            for (one, other) in [(large, small), (small, large)] {
                var union = Self.set(one)
                union.formUnion(Self.set(other))
                #expect(union == Self.set(Set(one).union(other)), "\(one.count), \(other.count)")
                var rest = Self.set(one)
                rest.subtract(Self.set(other))
                #expect(rest == Self.set(Set(one).subtracting(other)))
                #expect(rest.isEmpty == Set(one).subtracting(other).isEmpty)
            }
        }
    }
}
