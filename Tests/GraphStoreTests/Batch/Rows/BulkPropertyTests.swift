import GraphModel
import GraphStore
import SQLite
import TestSeeds
import Testing

private let entities = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: String
        size: { type: Integer 16, default: 4 }
        name: { type: String, optional: false }
      relationships:
        owner: { to: Owner, inverse: tasks }
        parent: { to: Task, inverse: children }
        children: { to: Task, many: true, inverse: parent }
        tags: { to: Tag, many: true, inverse: tasks }
        ranked: { to: Tag, many: true, ordered: true, inverse: ranks }
      unique: [[id]]
    Owner:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: owner } }
      unique: [[name]]
    Tag:
      attributes: { name: String }
      relationships:
        tasks: { to: Task, many: true, inverse: tags }
        ranks: { to: Task, many: true, inverse: ranked }
      unique: [[name]]
    """

/// The contents of a task; links are given by the keys of their objects.
private struct Row: Hashable {
    var title: TestValue = nil
    var size: TestValue = 4
    var name: TestValue = nil
    var owner: TestValue = nil
    var parent: TestValue = nil
    var tags: Set<TestValue> = []
    var ranked: [TestValue] = []
}

/// The same rules in their simplest form: one record at a time, over dictionaries.
private struct Oracle {
    let plan: BulkPlan
    var rows: [TestValue: Row] = [:]
    var before: [TestValue: Row] = [:]
    var owners: Set<TestValue> = ["o1", "o2"]
    var tags: Set<TestValue> = ["t1", "t2", "t3"]
    var tally = BulkTally()
    private var firsts: Set<TestValue> = []

    init(_ plan: BulkPlan) { self.plan = plan }

    mutating func load(_ records: [[TestValue]]) {
        before = rows
        firsts = []
        tally = BulkTally()
        for record in records { apply(record) }
        for key in firsts {
            if before[key] == nil {
                tally.inserted += 1
            } else if before[key] == rows[key] {
                tally.unchanged += 1
            } else {
                tally.updated += 1
            }
        }
    }

    private mutating func apply(_ record: [TestValue]) {
        let key = record[0]
        guard key != .null else { return tally.rejected += 1 }
        if plan.links[0].missing == .reject, !isNothing(record[4]), !owners.contains(record[4]) {
            return tally.rejected += 1
        }
        for (link, cell) in [(2, record[6]), (3, record[7])]
        where plan.links[link].missing == .reject {
            if case .list(let keys) = cell,
                keys.contains(where: { $0 != .null && !tags.contains($0) })
            {
                return tally.rejected += 1
            }
        }
        let old = rows[key]
        guard record[3] != .null, old != nil || record[3] != .absent else {
            return tally.rejected += 1
        }
        if firsts.contains(key), plan.duplicates != .last {
            if plan.duplicates == .first { tally.superseded += 1 } else { tally.rejected += 1 }
            return
        }
        if !firsts.insert(key).inserted { tally.superseded += 1 }
        var row = old ?? Row()
        if record[1] != .absent { row.title = record[1] }
        if record[2] != .absent { row.size = record[2] }
        if record[3] != .absent { row.name = record[3] }
        if record[4] != .absent {
            let (owner, isNew) = Self.target(record[4], plan.links[0], owners)
            if isNew { owners.insert(owner) }
            tally.createdTargets += isNew ? 1 : 0
            row.owner = owner
        }
        // Parents are rows that existed before the load.
        if record[5] != .absent { row.parent = before[record[5]] == nil ? .null : record[5] }
        if case .list(let keys) = record[6] {
            let named = Set(keys.compactMap { found($0, plan.links[2]) })
            switch plan.links[2].many {
            case .replace: row.tags = named
            case .add: row.tags.formUnion(named)
            case .remove: row.tags.subtract(old == nil ? [] : named)
            }
        } else if record[6] == .null, plan.links[2].many == .replace {
            row.tags = []
        }
        if case .list(let keys) = record[7] {
            var named: [TestValue] = []
            for key in keys.compactMap({ found($0, plan.links[3]) }) where !named.contains(key) {
                named.append(key)
            }
            switch plan.links[3].many {
            case .replace: row.ranked = named
            case .add: row.ranked += named.filter { !row.ranked.contains($0) }
            case .remove: row.ranked.removeAll { named.contains($0) }
            }
        } else if record[7] == .null, plan.links[3].many == .replace {
            row.ranked = []
        }
        rows[key] = row
    }

    private func isNothing(_ value: TestValue) -> Bool { value == .null || value == .absent }

    private static func target(
        _ key: TestValue, _ link: BulkPlan.Link, _ known: Set<TestValue>
    ) -> (key: TestValue, isNew: Bool) {
        if key == .null || known.contains(key) { return (key, false) }
        return link.missing == .create ? (key, true) : (.null, false)
    }

    private mutating func found(_ key: TestValue, _ link: BulkPlan.Link) -> TestValue? {
        let (tag, isNew) = Self.target(key, link, tags)
        if isNew { tags.insert(tag) }
        tally.createdTargets += isNew ? 1 : 0
        return tag == .null ? Optional.none : tag
    }
}

@Suite("Bulk upsert with any batch size") struct BulkPropertyTests {
    private static let ways: [(batchSize: Int, saveEvery: Int, keyMemory: Int)] = [
        (1, 1, 192 << 20), (2, 6, 0), (7, 14, 192 << 20), (1000, 1000, 192 << 20),
    ]

    private func plan(_ random: inout SeededGenerator) -> BulkPlan {
        let missing: [BulkPlan.MissingPolicy] = [.create, .null, .reject]
        let many: [BulkPlan.ManyPolicy] = [.replace, .add, .remove]
        let tags = random.pick(missing)
        return BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id", "title", "size", "name"],
            links: [
                .init(
                    relationship: "owner", destination: "Owner", attribute: "name",
                    missing: random.pick(missing)),
                .init(
                    relationship: "parent", destination: "Task", attribute: "id", missing: .null),
                .init(
                    relationship: "tags", destination: "Tag", attribute: "name", missing: tags,
                    many: random.pick(many)),
                .init(
                    relationship: "ranked", destination: "Tag", attribute: "name", missing: tags,
                    many: random.pick(many)),
            ], duplicates: random.pick([.last, .last, .first, .reject]))
    }

    private func records(
        _ random: inout SeededGenerator, known: [TestValue]
    ) -> [[TestValue]] {
        (0..<random.pick([3, 20, 60])).map { _ in
            func tags() -> TestValue {
                if random.chance(20) { return random.chance(50) ? nil : .absent }
                return .list(
                    (0..<random.pick(4)).map { _ in
                        random.chance(5) ? nil : .text("t\(random.pick(5) + 1)")
                    })
            }
            return [
                random.chance(3) ? nil : .integer(Int64(random.pick(25))),
                random.pick(["a", "b", nil, .absent]), random.pick([1, 2, nil, .absent]),
                random.pick(["x", "y", "x", "y", "x", nil, .absent]),
                random.pick(["o1", "o2", "o3", nil, .absent]),
                random.chance(50) || known.isEmpty
                    ? random.pick([nil, .absent]) : random.pick(known),
                tags(), tags(),
            ]
        }
    }

    private let tables = """
        SELECT t.ZID, t.ZTITLE, t.ZSIZE, t.ZNAME, o.ZNAME, p.ZID, \
        (SELECT group_concat(n) FROM (SELECT g.ZNAME n FROM Z_2TASKS l JOIN ZTAG g ON \
        g.Z_PK = l.Z_2TAGS WHERE l.Z_3TASKS = t.Z_PK ORDER BY 1)), \
        (SELECT group_concat(n) FROM (SELECT g.ZNAME n FROM Z_2RANKS l JOIN ZTAG g ON \
        g.Z_PK = l.Z_2RANKED WHERE l.Z_3RANKS = t.Z_PK ORDER BY l.Z_FOK_2RANKED)) \
        FROM ZTASK t LEFT JOIN ZOWNER o ON o.Z_PK = t.ZOWNER LEFT JOIN ZTASK p ON p.Z_PK = t.ZPARENT \
        ORDER BY 1
        """

    private func text(_ value: TestValue) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .text(let value): value
        default: "-"
        }
    }

    private func lines(_ oracle: Oracle) -> [String] {
        oracle.rows.map { key, row in
            let tags = row.tags.map { text($0) }.sorted().joined(separator: ",")
            let ranked = row.ranked.map { text($0) }.joined(separator: ",")
            var number: Int64 = 0
            if case .integer(let value) = key { number = value }
            let line = [
                text(key), text(row.title), text(row.size), text(row.name), text(row.owner),
                text(row.parent), tags.isEmpty ? "-" : tags, ranked.isEmpty ? "-" : ranked,
            ].joined(separator: "|")
            return (number, line)
        }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func matchesLoadingOneRecordAfterAnother(seed: UInt64) throws {
        let model = try model(entities)
        var random = SeededGenerator(seed: seed)
        let plan = plan(&random)
        var oracle = Oracle(plan)
        var loads: [(records: [[TestValue]], tally: BulkTally, lines: [String])] = []
        for _ in 0..<2 {
            let records = records(
                &random, known: Array(oracle.rows.keys).sorted { text($0) < text($1) })
            oracle.load(records)
            loads.append((records, oracle.tally, lines(oracle)))
        }
        for way in Self.ways {
            try withStore(model) { store in
                for (entity, names) in [
                    ("Owner", ["o1", "o2"]), ("Tag", ["t1", "t2", "t3"]),
                ] as [(String, [TestValue])] {
                    try store.container.load(
                        BulkPlan(entity: entity, key: ["name"], attributes: ["name"]),
                        names.map { [$0] })
                }
                for (number, load) in loads.enumerated() {
                    let outcome = try store.container.load(
                        plan, load.records, batchSize: way.batchSize, saveEvery: way.saveEvery,
                        keyMemoryBytes: way.keyMemory)
                    let found = try store.lines(tables)
                    #expect(
                        outcome.tally == load.tally,
                        "seed \(seed), load \(number), \(way), \(plan)")
                    let difference = found.difference(from: load.lines).map { "\($0)" }
                    #expect(difference == [], "seed \(seed), load \(number), \(way), \(plan)")
                    #expect(outcome.rejects.count == outcome.tally.rejected, "seed \(seed)")
                    let inserted = outcome.changes.reduce(0) { $0 + $1.inserted.count }
                    #expect(
                        inserted == outcome.tally.inserted + outcome.tally.createdTargets,
                        "seed \(seed)")
                }
            }
        }
    }
}
