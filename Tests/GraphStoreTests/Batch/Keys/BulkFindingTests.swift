import GraphModel
import SQLite
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

private let rows = """
    Row:
      attributes:
        key: { type: String, optional: false }
        value: Integer 32
      unique: [[key]]
      indexes: { byValue: [value] }
    """
private let plan = BulkPlan(entity: "Row", key: ["key"], attributes: ["key", "value"])
private let indexes =
    "SELECT name FROM sqlite_master WHERE type = 'index' AND sql NOT NULL ORDER BY 1"
private let allIndexes = ["Z_Row_UNIQUE_key", "Z_Row_byValue", "Z_Row_value"]

private func records(_ range: Range<Int>, value: Int64 = 1) -> [[TestValue]] {
    range.map { [.text("k\($0)"), .integer(value)] }
}

@Suite("Finding rows in a bulk load") struct BulkFindingTests {
    @Test func defersIndexesIfTheTableIsEmpty() throws {
        try withStore(rows) { store in
            try store.container.load(plan, records(0..<100), buildsIndexes: false)
            try store.expect(indexes, [])
            try store.expect(
                "SELECT NAME FROM ETL_PENDING ORDER BY 1", ["ETL_LOADER"] + allIndexes)
            try store.container.buildPendingIndexes()
            try store.expect(indexes, allIndexes)
            try store.expect("SELECT count(*) FROM ETL_PENDING", ["0"])
            try store.container.load(plan, records(0..<200), buildsIndexes: false)
            try store.expect(indexes, allIndexes)
        }
    }

    @Test func openingTheStoreBuildsTheIndexesOfAKilledLoad() throws {
        try withStore(rows) { store in
            do {
                let killed = try PersistentContainer(model: nil, at: store.path)
                let context = killed.newContext()
                let writer = try context.bulkWriter(for: plan)
                let batch = RowBatch(width: 2)
                for record in records(0..<100) { batch.add(record) }
                try writer.apply(batch, firstToken: 1)
                try writer.flush()
                try context.save()
                batch.removeAll()
                for record in records(100..<200) { batch.add(record) }
                try writer.apply(batch, firstToken: 101)
            }
            try store.expect(indexes, [])
            try store.expect("SELECT count(*) FROM ZROW", ["100"])
            _ = try PersistentContainer(model: nil, at: store.path)
            try store.expect(indexes, allIndexes)
            try store.expect("SELECT count(*) FROM ETL_PENDING", ["0"])
            let outcome = try store.container.load(plan, records(0..<200))
            #expect(outcome.counts == "100 new, 0 changed, 100 same, 0 superseded, 0 rejected")
        }
    }

    @Test("a counter of keys that another program raises beyond 32 bits hides no row of a load")
    func largeKeys() throws {
        try withStore(rows) { store in
            let context = store.container.newContext()
            let writer = try context.bulkWriter(for: plan)
            func load(_ range: Range<Int>, value: Int64) throws {
                let batch = RowBatch(width: 2)
                for record in records(range, value: value) { batch.add(record) }
                try writer.apply(batch, firstToken: 1)
                try writer.flush()
                try context.save()
            }
            try load(0..<100, value: 1)
            do {
                let other = try Connection(path: store.path, mode: .readWrite)
                try other.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 6000000000")
            }
            try load(90..<120, value: 2)
            try load(95..<130, value: 3)
            try writer.finish()
            try context.save()
            try store.container.buildPendingIndexes()
            try store.expect(indexes, allIndexes)
            try store.expect(
                "SELECT ZVALUE, count(*), count(DISTINCT ZKEY) FROM ZROW GROUP BY 1 ORDER BY 1",
                ["1|90|90", "2|5|5", "3|35|35"])
        }
    }

    @Test func rollbackDropsUnsavedRowsAndKeepsTheIndexes() throws {
        try withStore(rows) { store in
            do {
                let context = store.container.newContext()
                let writer = try context.bulkWriter(for: plan)
                let batch = RowBatch(width: 2)
                for record in records(0..<100) { batch.add(record) }
                try writer.apply(batch, firstToken: 1)
                #expect(context.hasChanges)
                context.rollback()
                #expect(!context.hasChanges)
            }
            try store.expect("SELECT count(*) FROM ZROW", ["0"])
            try store.expect(indexes, allIndexes)
        }
    }

    @Test(arguments: [0, 60_000, 100_000, 1_000_000, 192 << 20])
    func givesTheSameResultWithAnyKeyMemory(keyMemory: Int) throws {
        try withStore(rows) { store in
            let first = try store.container.load(
                plan, records(0..<5000) + records(2000..<3000, value: 2), saveEvery: 700,
                keyMemoryBytes: keyMemory)
            #expect(first.counts == "5000 new, 0 changed, 0 same, 1000 superseded, 0 rejected")
            let second = try store.container.load(
                plan, records(0..<6000), saveEvery: 700, keyMemoryBytes: keyMemory)
            #expect(second.counts == "1000 new, 1000 changed, 4000 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT count(*), count(DISTINCT ZKEY), sum(ZVALUE), sum(Z_OPT) FROM ZROW",
                ["6000|6000|6000|8000"])
            try store.expect(indexes, allIndexes)
        }
    }

    /// In a filled table, the map is started only when the load turns out to be large.
    @Test(arguments: [995, 999, 1000, 1001, 1010])
    func findsRowsThatArePendingWhenTheKeyMapStarts(count: Int) throws {
        try withStore(rows) { store in
            try store.container.load(plan, [["old", 0]])
            let new = records(0..<count)
            let outcome = try store.container.load(
                plan, new + new.suffix(30) + new.suffix(30), batchSize: 5000)
            #expect(
                outcome.counts
                    == "\(count) new, 0 changed, 0 same, 60 superseded, 0 rejected")
        }
    }

    @Test func findsRowsWithPrimaryKeysBeyond32Bits() throws {
        for isEmpty in [true, false] {
            try withStore(rows) { store in
                if !isEmpty { try store.container.load(plan, records(0..<1)) }
                try store.foreign().execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 5000000000")
                let outcome = try store.container.load(plan, records(1..<1500) + records(1..<1500))
                #expect(
                    outcome.counts == "1499 new, 0 changed, 0 same, 1499 superseded, 0 rejected")
                let again = try store.container.load(plan, records(1..<1500))
                #expect(again.counts == "0 new, 0 changed, 1499 same, 0 superseded, 0 rejected")
            }
        }
    }

    @Test(arguments: [0, 192 << 20])
    func seesRowsThatAnotherConnectionWroteBetweenSaves(keyMemory: Int) throws {
        try withStore(rows) { store in
            try store.container.load(plan, records(0..<10))
            let outcome = try store.container.load(
                plan, records(0..<5) + records(20..<25) + records(0..<30, value: 2),
                batchSize: 5, saveEvery: 10, keyMemoryBytes: keyMemory
            ) { position in
                guard position == 10 else { return }
                try store.foreign().execute(
                    """
                    DELETE FROM ZROW WHERE ZKEY IN ('k0', 'k21');
                    INSERT INTO ZROW SELECT max(Z_PK) + 1, 1, 1, 7, 'k28' FROM ZROW;
                    UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ZROW)
                    """)
            }
            #expect(outcome.rejects == [])
            try store.expect(
                "SELECT count(*), count(DISTINCT ZKEY), min(ZVALUE), max(ZVALUE) FROM ZROW",
                ["30|30|2|2"])
        }
    }

    @Test(arguments: [0, 192 << 20])
    func rejectsLinksToTargetsThatAnotherConnectionDeleted(keyMemory: Int) throws {
        try withStore(
            """
            Row:
              attributes: { key: String }
              relationships: { tag: { to: Tag, inverse: rows } }
              unique: [[key]]
            Tag:
              attributes: { name: String }
              relationships: { rows: { to: Row, many: true, inverse: tag } }
              unique: [[name]]
            """
        ) { store in
            try store.container.load(
                BulkPlan(entity: "Tag", key: ["name"], attributes: ["name"]), [["a"], ["b"]])
            let plan = BulkPlan(
                entity: "Row", key: ["key"], attributes: ["key"],
                links: [.init(relationship: "tag", destination: "Tag", attribute: "name")])
            let outcome = try store.container.load(
                plan, [["1", "a"], ["2", "b"], ["3", "a"], ["4", "b"]], batchSize: 2, saveEvery: 2,
                keyMemoryBytes: keyMemory
            ) { position in
                guard position == 2 else { return }
                try store.foreign().execute(
                    "DELETE FROM ZTAG WHERE ZNAME = 'b'; UPDATE ZROW SET ZTAG = NULL WHERE ZTAG = 2"
                )
            }
            #expect(outcome.rejectedCodes == ["4 link"])
        }
    }
}

@Suite("Key index") struct KeyIndexTests {
    @Test func spreadsProbeStartsOverTheTable() {
        var random = SeededGenerator(seed: 7)
        var index = KeyIndex()
        for key in Int64(1)...50_000 { index.insert(random.next(), key) }
        var places: Set<Int> = []
        for _ in 0..<2000 { places.insert(index.probe(random.next()).slot) }
        // Each of the 64 tables has about 1,024 slots now.
        #expect(places.count > 500)
    }

    @Test func findsInsertedKeysAndNotRemovedOnes() {
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            // Capacity for a part of them, for all, and for many more.
            var index = KeyIndex(rows: Int64(seed) * 1000)
            var oracle: [UInt64: Set<Int64>] = [:]
            for key in Int64(1)...6000 {
                // Few tags, so that many keys share one.
                let hash = UInt64(random.pick(500)) << 32 | UInt64(random.pick(3))
                index.insert(hash, key)
                oracle[hash >> 32, default: []].insert(key)
                if random.chance(20), let gone = oracle[hash >> 32]?.randomElement(using: &random) {
                    index.remove(hash, gone)
                    oracle[hash >> 32]?.remove(gone)
                }
            }
            for (tag, expected) in oracle {
                var probe = index.probe(tag << 32)
                var found: [Int64] = []
                while let key = index.next(&probe) { found.append(key) }
                #expect(found.sorted() == expected.sorted(), "seed \(seed)")
            }
        }
    }
}
