import GraphModel
import TestSeeds
import Testing

@testable import GraphStore
@testable import RowStore

private let entities = """
    Node:
      attributes: { id: { type: Integer 32, optional: false }, v: Integer 32 }
      relationships:
        one: { to: Node, inverse: oneOf }
        oneOf: { to: Node, inverse: one }
        mate: { to: Node, inverse: mate }
        up: { to: Node, inverse: downs }
        downs: { to: Node, many: true, inverse: up }
        peers: { to: Node, many: true, inverse: peers }
        fans: { to: Node, many: true, inverse: idols }
        idols: { to: Node, many: true, inverse: fans }
        tags: { to: Tag, many: true, inverse: nodes }
        car: { to: Car, inverse: driver }
        boxes: { to: Box, many: true, inverse: holder }
      unique: [[id]]
    Tag:
      attributes: { name: Integer 32 }
      relationships: { nodes: { to: Node, many: true, inverse: tags } }
      unique: [[name]]
    Car:
      attributes: { plate: Integer 32 }
      relationships: { driver: { to: Node, inverse: car } }
      unique: [[plate]]
    Box:
      attributes: { label: Integer 32 }
      relationships: { holder: { to: Node, inverse: boxes } }
      unique: [[label]]
    """

private func plan(_ links: [BulkPlan.Link]) -> BulkPlan {
    BulkPlan(entity: "Node", key: ["id"], attributes: ["id", "v"], links: links)
}

private func link(
    _ name: String, missing: BulkPlan.MissingPolicy = .reject,
    many: BulkPlan.ManyPolicy = .replace
) -> BulkPlan.Link {
    let (destination, attribute) =
        switch name {
        case "car": ("Car", "plate")
        case "boxes": ("Box", "label")
        case "tags": ("Tag", "name")
        default: ("Node", "id")
        }
    return BulkPlan.Link(
        relationship: name, destination: destination, attribute: attribute,
        missing: destination == "Node" ? missing : .create, many: many)
}

private let versions = [
    "SELECT ZID, Z_OPT FROM ZNODE ORDER BY 1", "SELECT ZPLATE, Z_OPT FROM ZCAR ORDER BY 1",
    "SELECT ZLABEL, Z_OPT FROM ZBOX ORDER BY 1",
]

extension TestStore {
    fileprivate func graph(without dropped: [String] = []) throws -> [String] {
        try lines("SELECT ZID, ZV FROM ZNODE ORDER BY 1")
            + LinkRelation.all.flatMap { relation in
                try relation.sql(without: dropped).flatMap { sql in
                    try lines(sql).map { "\(relation.first) \($0)" }
                }
            }
    }

    /// Loads records like a process that is killed after each save and then resumed.
    fileprivate func loadInPieces(
        _ plan: BulkPlan, _ records: [[TestValue]], saveEvery: Int, memory: BulkMemory
    ) throws -> LoadOutcome {
        let beginning = container.newContext()
        try beginning.beginProgressNotes()
        try beginning.save()
        var outcome = LoadOutcome()
        var position = 0
        repeat {
            let end = min(records.count, position + saveEvery)
            let context = container.newContext()
            let writer = try context.bulkWriter(for: plan, memory: memory, isResumable: true)
            let batch = RowBatch(width: plan.width)
            for record in records[position..<end] { batch.add(record) }
            try writer.apply(batch, firstToken: Int64(position + 1))
            position = end
            if position == records.count { try writer.finish() }
            outcome.rejects += writer.takeRejects()
            try writer.flush()
            try writer.noteState()
            try context.save()
            outcome.tally = writer.tally
        } while position < records.count
        let end = container.newContext()
        try end.removeProgressNotes(BulkWriter.noteKinds)
        try end.save()
        try container.buildPendingIndexes(linkBytes: memory.links / 3)
        return outcome
    }
}

/// The order of records in a load if only some of their links are deferred.
@Suite("Order of records with deferred links", .serialized) struct BulkOrderTests {
    private enum Way: CaseIterable {
        case batches, rows, spilled, pieces, spilledPieces

        func load(
            _ store: TestStore, _ plan: BulkPlan, _ records: [[TestValue]]
        ) throws -> LoadOutcome {
            switch self {
            case .batches: try store.container.load(plan, records)
            case .rows: try store.container.load(plan, records, batchSize: 1, saveEvery: 2)
            case .spilled:
                try store.container.load(
                    plan, records, batchSize: 3, saveEvery: 3, keyMemoryBytes: 0)
            case .pieces:
                try store.loadInPieces(
                    plan, records, saveEvery: 2, memory: .ofTests(keys: 192 << 20))
            case .spilledPieces:
                try store.loadInPieces(plan, records, saveEvery: 1, memory: .ofTests(keys: 0))
            }
        }
    }

    /// Loads the records into an empty store twice, in each way.
    private func check(
        _ plan: BulkPlan, _ records: [[TestValue]], _ lines: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for way in Way.allCases {
            try withStore(entities, sourceLocation: sourceLocation) { store in
                _ = try way.load(store, plan, records)
                let found = try store.graph()
                #expect(found == lines, "\(way)", sourceLocation: sourceLocation)
                let again = try way.load(store, plan, records)
                #expect(again.tally.updated == 0, "\(way)", sourceLocation: sourceLocation)
                #expect(try store.graph() == lines, "\(way)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test func laterRecordKeepsTheDeferredLinksOfAnEarlierRecord() throws {
        try check(
            plan([link("peers"), link("car")]), [[1, nil, [2], 7], [2, nil, .absent, 7]],
            ["1|-", "2|-", "peers 1|2", "peers 2|1", "car 2|7", "car 2|7"])
    }

    @Test func keepsAllLinksIfADeferredRecordIsRepeated() throws {
        try check(
            plan([link("peers"), link("car")]),
            [
                [1, 1, [3], 7], [1, 2, .absent, 8], [2, nil, .absent, 7],
                [3, nil, .absent, .absent],
            ],
            [
                "1|2", "2|-", "3|-", "peers 1|3", "peers 3|1", "car 1|8", "car 2|7", "car 1|8",
                "car 2|7",
            ])
    }

    @Test func laterRecordWinsIfBothSidesSetARelationship() throws {
        let both = plan([link("fans"), link("idols")])
        try check(both, [[1, nil, [2], .absent], [2, nil, .absent, []]], ["1|-", "2|-"])
        try check(
            both, [[2, nil, .absent, []], [1, nil, [2], .absent]], ["1|-", "2|-", "fans 1|2"])
    }

    @Test func skipsMissingTargetsAndKeepsLinksToItselfAndLaterRows() throws {
        let records: [[TestValue]] = [
            [1, nil, [9, 1, 2]], [2, nil, [8]], [3, nil, [3, 7, 1]], [1, 5, .absent],
        ]
        try check(
            plan([link("fans", missing: .null)]), records,
            ["1|5", "2|-", "3|-", "fans 1|1", "fans 1|2", "fans 3|1", "fans 3|3"])
    }

    @Test func rejectedRecordOfACycleSetsNoLink() throws {
        try check(
            plan([link("up", missing: .null), link("one")]),
            [[1, 1, 1, 9], [1, 2, .absent, .absent]], ["1|2"])
    }

    /// A nested object belongs to the last record that contains it, with that record's values.
    @Test func nestedObjectTakesTheValuesOfTheLaterRecord() throws {
        let model = """
            Task:
              attributes: { id: Integer 32 }
              relationships:
                next: { to: Task, inverse: previous }
                previous: { to: Task, many: true, inverse: next }
                items: { to: Item, many: true, inverse: task }
              unique: [[id]]
            Item:
              attributes: { name: String, n: Integer 32, m: Integer 32 }
              relationships: { task: { to: Task, inverse: items } }
              unique: [[name]]
            """
        var items = BulkPlan.Link(relationship: "items", destination: "Item", attribute: "name")
        items.nested = BulkPlan(entity: "Item", key: ["name"], attributes: ["name", "n", "m"])
        let plan = BulkPlan(
            entity: "Task", key: ["id"], attributes: ["id"],
            links: [.init(relationship: "next", destination: "Task", attribute: "id"), items])
        let records: [[TestValue]] = [
            [1, 3, ["a", 1, 1, "b", 1, 1]], [2, nil, ["a", 2, .absent]], [3, nil, .absent],
        ]
        for batchSize in [1, 1000] {
            try withStore(model) { store in
                for _ in 1...2 {
                    try store.container.load(plan, records, batchSize: batchSize)
                    try store.expect(
                        "SELECT ZNAME, ZN, ZM, ZID FROM ZITEM i JOIN ZTASK t ON t.Z_PK = i.ZTASK"
                            + " ORDER BY 1", ["a|2|1|2", "b|1|1|1"])
                }
            }
        }
    }

    private func links(_ random: inout SeededGenerator) -> [BulkPlan.Link] {
        var names = [
            "one", "oneOf", "mate", "up", "downs", "peers", "fans", "idols", "tags", "car", "boxes",
        ]
        names.shuffle(using: &random)
        return names.prefix(1 + random.pick(5)).map { name in
            let isToOne = ["one", "oneOf", "mate", "up", "car"].contains(name)
            return link(
                name, missing: random.pick([.reject, .null, .skip]),
                many: isToOne ? .replace : random.pick([.replace, .replace, .add, .remove]))
        }
    }

    private func text(_ value: TestValue) -> String {
        switch value {
        case .absent: ""
        case .integer(let number): "\(number)"
        case .list(let values): "[" + values.map(text).joined(separator: " ") + "]"
        default: "-"
        }
    }

    /// Returns random records; none sets both ends of a relationship, which would be ambiguous.
    private func records(
        _ random: inout SeededGenerator, _ links: [BulkPlan.Link]
    ) -> [[TestValue]] {
        let keysMax = 2 + random.pick(6)
        func key() -> TestValue { .integer(Int64(1 + random.pick(keysMax))) }
        let ends: [Set<String>] = [["one", "oneOf"], ["up", "downs"], ["fans", "idols"]]
        return (0..<(2 + random.pick(10))).map { _ in
            let silent = ends.map { random.pick($0.sorted()) }
            return [key(), random.pick([nil, 1, 2, .absent])]
                + links.map { link -> TestValue in
                    if random.chance(25) || silent.contains(link.relationship) { return .absent }
                    if random.chance(15) { return .null }
                    guard ["one", "oneOf", "mate", "up", "car"].contains(link.relationship) else {
                        var list: [TestValue] = []
                        for _ in 0..<random.pick(4) {
                            let next = key()
                            if !list.contains(next) { list.append(next) }
                        }
                        return .list(list)
                    }
                    return key()
                }
        }
    }

    @Test(arguments: 1...150 as ClosedRange<UInt64>)
    func matchesWritingAllObjectsFirstAndThenTheLinks(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = try model(entities)
        let way = random.pick(Way.allCases)
        try check(TestStore(model), way, seed, &random)
    }

    /// The same in an app's store with one column for each one-to-one relationship.
    @Test(
        arguments: [["ZNODE.ZONE", "ZNODE.ZCAR"], ["ZNODE.ZONEOF", "ZCAR.ZDRIVER"]],
        1...75 as ClosedRange<UInt64>)
    func worksWithOneColumnPerOneToOneRelationship(dropped: [String], seed: UInt64) throws {
        var random = SeededGenerator(seed: seed &+ 10_000)
        let way = random.pick([Way.batches, .rows, .spilled])
        try check(TestStore(model(entities), without: dropped), way, seed, &random, dropped)
    }

    private func check(
        _ store: TestStore, _ way: Way, _ seed: UInt64, _ random: inout SeededGenerator,
        _ dropped: [String] = []
    ) throws {
        var oracle = LinkOracle()
        for number in 1...3 {
            let plan = plan(links(&random))
            let records = records(&random, plan.links)
            let links = plan.links.map { "\($0.relationship) \($0.missing) \($0.many)" }
            let words: Comment =
                "seed \(seed), load \(number), \(way), \(links): \(records.map { $0.map(text) })"
            oracle.load(plan, records)
            let outcome = try way.load(store, plan, records)
            let found = try store.graph(without: dropped)
            let lines = oracle.lines(without: dropped)
            #expect(found.difference(from: lines).map { "\($0)" } == [], words)
            #expect(outcome.tally.inserted == oracle.inserted, words)
            #expect(outcome.tally.rejected + outcome.tally.skipped == oracle.refused, words)
            let rows = try versions.map { try store.lines($0) }
            let again = try way.load(store, plan, records)
            #expect(again.tally.updated == 0, words)
            #expect(again.tally.inserted == 0, words)
            #expect(try store.graph(without: dropped) == found, words)
            // With saves in between, each save that changes a link increments versions.
            if way == .batches {
                #expect(try versions.map { try store.lines($0) } == rows, words)
            }
        }
        try store.checkIntegrity()
    }
}
