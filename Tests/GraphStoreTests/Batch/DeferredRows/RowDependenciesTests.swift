import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Dependencies of deferred rows") struct RowDependenciesTests {
    /// Builds rows from their keys and the keys they wait for, and keeps their owners alive.
    private func waiting(
        _ rows: [(key: UInt64, awaited: UInt64)], names: [Int: [UInt64]] = [:]
    ) throws -> RowDependencies {
        let entries = DeferredRowIndex(try Connection())
        try entries.append(
            rows.enumerated().map {
                DeferredRowIndex.Entry(
                    token: Int64($0.offset), key: $0.element.key, awaited: $0.element.awaited)
            }, names: { names[$0] ?? [] })
        try entries.makeIndexes()
        return RowDependencies(entries)
    }

    private func expect<Value: Equatable>(
        _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation,
        _ value: () throws -> Value
    ) throws {
        let value = try value()
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    @Test func returnsRowsThatAreDeferredOnAKey() throws {
        // Keys and awaited keys may use all 64 bits.
        var rows = try waiting([(1, .max), (2, 1), (3, .max), (.max, 7), (4, 8)])
        try expect([0, 2]) { try rows.takeWaiters(for: .max) }
        try expect([]) { try rows.takeWaiters(for: .max) }
        try expect(1) { rows.next() }
        try rows.wait(2, for: 8)
        try rows.wait(0, for: 8)
        try expect(0) { rows.next() }
        try expect([]) { try rows.takeWaiters(for: .max) }
        try expect([0, 2, 4]) { try rows.takeWaiters(for: 8) }
        #expect(try rows.isDeferred(key: .max))
        #expect(try !rows.isDeferred(key: 4))
    }

    @Test func reportsWhetherAnEarlierRowOfTheKeyIsDeferred() throws {
        var rows = try waiting([(5, 9), (5, 9), (6, 9), (5, 9)])
        #expect(try rows.isDeferred(key: 5, before: 1))
        #expect(try !rows.isDeferred(key: 5, before: 0))
        let taken = [rows.take(0), rows.take(0)]
        #expect(taken == [true, false])
        #expect(try !rows.isDeferred(key: 5, before: 1))
        #expect(try rows.isDeferred(key: 5, before: 3))
        #expect(try !rows.isDeferred(key: 7, before: 3))
    }

    @Test func findsRowsThatCannotBeResolved() throws {
        // No row has key 9; the row at 1 waits for a waiting row.
        var rows = try waiting([(1, 9), (2, 1), (3, 9), (4, 9)])
        try expect(nil) { try rows.nextHopeless() }
        rows.suspectAll()
        var met: [Int] = []
        while let place = try rows.nextHopeless() {
            met.append(place)
            _ = rows.take(place)
            // Rows that start to wait during the search are also visited, and first.
            if place == 0 { try rows.wait(0, for: 8) }
            if met.count > 6 { break }
            if met.filter({ $0 == 0 }).count == 2 { _ = rows.take(0) }
        }
        #expect(met == [0, 0, 1, 2, 3])
        try expect(nil) { rows.next() }
    }

    @Test func findsDeferredRowsByTheirNames() throws {
        // 0 waits for a name of 2, which follows 1 of the same key; 1 waits for a name of 0.
        var rows = try waiting(
            [(1, 72), (2, 71), (2, 2), (3, 72)], names: [0: [70, 71], 2: [72]])
        #expect(try rows.isDeferred(key: 70))
        #expect(try !rows.isDeferred(key: 73))
        #expect(try rows.mayCome(71, for: 3))
        #expect(try !rows.isDeferred(key: 71, before: 3))
        // The current row's names and key count, although it no longer waits.
        _ = rows.take(0)
        #expect(try rows.mayCome(71, for: 0))
        #expect(try rows.mayCome(1, for: 0))
        #expect(try !rows.mayCome(71, for: 3))
        try expect([3]) { try rows.takeWaiters(for: 72) }
        try rows.wait(0, for: 72)
        rows.suspectAll()
        try expect(nil) { try rows.nextHopeless() }
    }

    @Test func findsTheFirstRowOfAKeyInACycle() throws {
        // 0 leads into the cycle at 2, which must follow 1 of the same key.
        var rows = try waiting(
            [(9, 72), (2, 71), (2, 2), (1, 72)], names: [2: [72], 3: [71]])
        try expect(1) { try rows.nextInCycle() }
    }

    @Test func findsTheCycleAtTheEndOfAChain() throws {
        // 0 and 1 lead to the cycle of 2, 3, and 4; 5 waits for itself.
        var rows = try waiting([(10, 11), (11, 12), (12, 13), (13, 14), (14, 12), (15, 15)])
        try expect(2) { try rows.nextInCycle() }
        for place in 0..<5 { _ = rows.take(place) }
        try expect(5) { try rows.nextInCycle() }
        _ = rows.take(5)
        try expect(nil) { try rows.nextInCycle() }
    }
}

@Suite("Sets of numbers and keys") struct BitsTests {
    @Test func insertsFindsAndRemovesNumbers() {
        var bits = Bits()
        #expect(bits.first(from: 0) == nil)
        let isNew = [0, 63, 64, 200, 63].map { bits.insert($0) }
        #expect(isNew == [true, true, true, true, false])
        #expect((0...1000).filter { bits.contains($0) } == [0, 63, 64, 200])
        #expect(
            [0, 1, 63, 64, 65, 200, 201].map { bits.first(from: $0) }
                == [0, 63, 63, 64, 200, 200, nil])
        let wasThere = [64, 64, 5000].map { bits.remove($0) }
        #expect(wasThere == [true, false, false])
        #expect(bits.first(from: 64) == 200)
    }

    @Test(arguments: [0, 1, 63, 64, 65, 128])
    func startsWithAllNumbersBelowTheCount(count: Int) {
        let bits = Bits(below: count)
        #expect((0..<200).filter { bits.contains($0) } == Array(0..<count))
    }

    /// A filter contains every key that it was given, even if its memory is full.
    @Test(arguments: [0, 1000, 1 << 20])
    func filterContainsEveryInsertedKey(memoryBytes: Int) {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let keys = (0..<5000).map { _ in random.next() }
        var filter = BloomFilter(memoryBytes: memoryBytes)
        for key in keys { filter.insert(key) }
        let seed = Comment("ETL_TEST_SEED=\(TestSeed.ofThisRun)")
        #expect(keys.allSatisfy { filter.mayContain($0) }, seed)
        filter.removeAll()
        #expect(!keys.contains { filter.mayContain($0) }, seed)
    }

    @Test func filterRarelyReportsOtherKeys() {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        var filter = BloomFilter(memoryBytes: 16_384)
        for _ in 0..<10_000 { filter.insert(random.next()) }
        let mistakes = (0..<10_000).filter { _ in filter.mayContain(random.next()) }.count
        // About 1.5 percent are expected, with 13 bits per key and three marks.
        #expect(mistakes < 300, "ETL_TEST_SEED=\(TestSeed.ofThisRun)")
    }
}
