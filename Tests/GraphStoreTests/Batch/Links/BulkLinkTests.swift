import GraphModel
import GraphStore
import SQLite
import Testing

private let tasks = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: { type: String, optional: false }
        slug: String
      relationships:
        category: { to: Category, inverse: tasks }
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent }
        tags: { to: Tag, many: true, inverse: tasks, count: 0..3 }
        steps: { to: Step, many: true, ordered: true, inverse: task }
        readers: { to: Tag, many: true, ordered: true, inverse: reads }
      unique: [[id], [slug]]
    Category:
      attributes: { name: { type: String, optional: false }, rank: { type: Integer 16, default: 5 } }
      relationships: { tasks: { to: Task, many: true, inverse: category } }
      unique: [[name]]
    Tag:
      attributes: { name: { type: String, optional: false } }
      relationships:
        tasks: { to: Task, many: true, inverse: tags }
        reads: { to: Task, many: true, inverse: readers }
      unique: [[name]]
    Step:
      attributes: { code: { type: String, optional: false } }
      relationships: { task: { to: Task, inverse: steps } }
      unique: [[code]]
    """

private func plan(
    _ relationship: String, _ destination: String, by attribute: String = "name",
    missing: BulkPlan.MissingPolicy = .reject, many: BulkPlan.ManyPolicy = .replace,
    duplicates: BulkPlan.DuplicatePolicy = .last
) -> BulkPlan {
    BulkPlan(
        entity: "Task", key: ["id"], attributes: ["id", "title", "slug"],
        links: [
            .init(
                relationship: relationship, destination: destination, attribute: attribute,
                missing: missing, many: many)
        ], duplicates: duplicates)
}

private func names(_ entity: String, _ names: [String], in store: TestStore) throws {
    let key = entity == "Step" ? "code" : "name"
    try store.container.load(
        BulkPlan(entity: entity, key: [key], attributes: [key]), names.map { [.text($0)] })
}

private let tagsOfTasks = """
    SELECT ZID, (SELECT group_concat(n) FROM (SELECT ZNAME n FROM Z_3TASKS JOIN ZTAG g ON \
    g.Z_PK = Z_3TAGS WHERE Z_4TASKS = t.Z_PK ORDER BY 1)) FROM ZTASK t ORDER BY ZID
    """

@Suite("Bulk links") struct BulkLinkTests {
    @Test func rejectsRecordsWhoseNewTargetsAreInvalid() throws {
        let model = """
            Task:
              attributes: { id: { type: Integer 32, optional: false } }
              relationships: { tags: { to: Tag, many: true, inverse: tasks } }
              unique: [[id]]
            Tag:
              attributes: { name: { type: String, optional: false, pattern: "[a-z]+" } }
              relationships: { tasks: { to: Task, many: true, inverse: tags } }
              unique: [[name]]
            """
        try withStore(model) { store in
            let outcome = try store.container.load(
                BulkPlan(
                    entity: "Task", key: ["id"], attributes: ["id"],
                    links: [
                        .init(
                            relationship: "tags", destination: "Tag", attribute: "name",
                            missing: .create)
                    ]),
                [[1, ["good"]], [2, ["fine", "B1"]]])
            #expect(outcome.rejectedCodes == ["2 link"])
            try store.expect("SELECT ZNAME FROM ZTAG", ["good"])
        }
    }

    @Test func setsClearsAndKeepsAToOneLink() throws {
        try withStore(tasks) { store in
            try names("Category", ["work", "home"], in: store)
            let plan = plan("category", "Category")
            try store.container.load(
                plan,
                [
                    [1, "a", nil, "work"], [2, "b", nil, "work"], [3, "c", nil, nil],
                    [4, "d", nil, .absent],
                ])
            let outcome = try store.container.load(
                plan,
                [
                    [1, "a", nil, "home"], [2, "b", nil, nil], [3, "c", nil, .absent],
                    [4, "d", nil, nil],
                ])
            #expect(outcome.counts == "0 new, 2 changed, 2 same, 0 superseded, 0 rejected")
            try store.expect(
                "SELECT ZID, ZCATEGORY, Z_OPT FROM ZTASK", ["1|2|2", "2|-|2", "3|-|1", "4|-|1"])
        }
    }

    @Test func appliesThePolicyForMissingKeys() throws {
        try withStore(tasks) { store in
            let records: [[TestValue]] = [[1, "a", nil, "x"], [2, "b", nil, "x"]]
            let reject = try store.container.load(plan("category", "Category"), records)
            #expect(reject.rejectedCodes == ["1 link", "2 link"])
            #expect(reject.rejects.first?.message == "No Category has name 'x'")
            #expect(reject.rejects.first?.property == "category")
            let null = try store.container.load(
                plan("category", "Category", missing: .null), records)
            #expect(null.counts == "2 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            let create = try store.container.load(
                plan("category", "Category", missing: .create), records)
            #expect(
                create.counts == "0 new, 2 changed, 0 same, 0 superseded, 0 rejected, 1 targets")
            #expect(
                create.changes.map(\.inserted.ids) == [
                    [ManagedObjectID(entityNumber: 1, primaryKey: 1)]
                ])
            try store.expect("SELECT ZNAME, ZRANK, Z_ENT, Z_OPT FROM ZCATEGORY", ["x|5|1|1"])
            try store.expect("SELECT ZID, ZCATEGORY FROM ZTASK", ["1|1", "2|1"])
        }
    }

    @Test(arguments: [1, 1000])
    func createsNoTargetForARejectedRecord(batchSize: Int) throws {
        try withStore(tasks) { store in
            try store.container.load(plan("category", "Category"), [[9, "old", "taken", nil]])
            let outcome = try store.container.load(
                plan("category", "Category", missing: .create, duplicates: .reject),
                [
                    [1, .absent, nil, "without a title"], [2, nil, nil, "with a null title"],
                    [3, "c", "taken", "with a slug of another"], [4, "d", nil, "good"],
                    [4, "d", nil, "twice"], [9, "old", nil, "good"],
                    [4, "d", "taken", "twice more"],
                ], batchSize: batchSize)
            #expect(
                outcome.rejectedCodes == [
                    "1 required", "2 required", "3 unique", "5 duplicate", "7 duplicate",
                ])
            #expect(
                outcome.counts == "1 new, 1 changed, 0 same, 0 superseded, 5 rejected, 1 targets")
            try store.expect("SELECT ZNAME FROM ZCATEGORY", ["good"])
            try store.expect(
                "SELECT ZID, ZNAME FROM ZTASK LEFT JOIN ZCATEGORY c ON c.Z_PK = ZCATEGORY ORDER BY 1",
                ["4|good", "9|good"])
            #expect(outcome.changes.map(\.inserted.count) == [2])
        }
    }

    @Test func createsNoTargetForASupersededRecord() throws {
        try withStore(tasks) { store in
            let outcome = try store.container.load(
                plan("category", "Category", missing: .create, duplicates: .first),
                [[1, "a", nil, "first"], [1, "b", nil, "second"]])
            #expect(
                outcome.counts == "1 new, 0 changed, 0 same, 1 superseded, 0 rejected, 1 targets")
            try store.expect("SELECT ZNAME FROM ZCATEGORY", ["first"])
        }
    }

    @Test func rejectedUpdateKeepsTheOldLinks() throws {
        try withStore(tasks) { store in
            let plan = plan("tags", "Tag", missing: .create)
            try store.container.load(plan, [[1, "a", "one", ["x"]], [2, "b", "two", ["y"]]])
            let outcome = try store.container.load(
                plan, [[2, "c", "one", ["x", "z"]], [3, "d", nil, ["z"]]])
            #expect(outcome.rejectedCodes == ["1 unique"])
            try store.expect("SELECT ZNAME FROM ZTAG ORDER BY 1", ["x", "y", "z"])
            try store.expect(tagsOfTasks, ["1|x", "2|y", "3|z"])
            try store.expect("SELECT Z_OPT FROM ZTASK", ["1", "1", "1"])
        }
    }

    @Test func rejectsRecordsWithTooManyLinksAndCreatesNoTargets() throws {
        try withStore(tasks) { store in
            let plan = plan("tags", "Tag", missing: .create)
            let outcome = try store.container.load(
                plan,
                [
                    [1, "a", nil, ["p", "q", "r", "s"]], [2, "b", nil, ["p", "p", "q", "r"]],
                    [3, "c", nil, ["p", "q", "r", "t"]],
                ])
            #expect(outcome.rejectedCodes == ["1 validate", "3 validate"])
            #expect(
                outcome.rejects.map(\.message) == [
                    "'tags' holds at most 3 objects and gets 4",
                    "'tags' holds at most 3 objects and gets 4",
                ])
            #expect(
                outcome.counts == "1 new, 0 changed, 0 same, 0 superseded, 2 rejected, 3 targets")
            try store.expect("SELECT ZNAME FROM ZTAG", ["p", "q", "r"])
        }
    }

    @Test(
        "replaces, adds, or removes to-many links as the policy states",
        arguments: [
            (BulkPlan.ManyPolicy.replace, ["1|c", "2|-", "3|a", "4|b"]),
            (.add, ["1|a,b,c", "2|a", "3|a", "4|b"]),
            (.remove, ["1|a,b", "2|a", "3|-", "4|-"]),
        ])
    func changesAToMany(many: BulkPlan.ManyPolicy, expected: [String]) throws {
        try withStore(tasks) { store in
            try names("Tag", ["a", "b", "c"], in: store)
            try store.container.load(
                plan("tags", "Tag"),
                [[1, "1", nil, ["b", "a"]], [2, "2", nil, ["a"]], [3, "3", nil, ["a"]]])
            let outcome = try store.container.load(
                plan("tags", "Tag", many: many),
                [
                    [1, "1", nil, ["c", "c"]], [2, "2", nil, []], [3, "3", nil, ["a", nil]],
                    [4, "4", nil, ["b"]],
                ])
            try store.expect(tagsOfTasks, expected)
            #expect(outcome.tally.inserted == 1)
            // A change of a to-many relationship changes its owner and the objects that are added
            // or removed.
            let changed = (many == .replace ? [1, 2] : many == .add ? [1] : [3]) as [Int64]
            let tags = (many == .replace ? [1, 2, 3] : many == .add ? [2, 3] : [1]) as [Int64]
            let (task, tag) = (
                store.container.schema.entity(named: "Task")?.number ?? 0,
                store.container.schema.entity(named: "Tag")?.number ?? 0
            )
            let updated = outcome.changes[0].updated.ids
            #expect(updated.filter { $0.entityNumber == task }.map(\.primaryKey) == changed)
            #expect(updated.filter { $0.entityNumber == tag }.map(\.primaryKey) == tags)
            try store.expect(
                "SELECT Z_PK FROM ZTASK WHERE Z_OPT = 2", changed.map(String.init))
        }
    }

    @Test(arguments: [1, 1000])
    func keepsTheLinksOfEveryRecordWhenAdding(batchSize: Int) throws {
        try withStore(tasks) { store in
            try names("Tag", ["a", "b", "c"], in: store)
            let outcome = try store.container.load(
                plan("tags", "Tag", many: .add),
                [
                    [1, "x", nil, ["a"]], [2, "z", nil, ["b"]], [1, "y", nil, ["b"]],
                    [1, "y", nil, ["a", "c"]],
                ], batchSize: batchSize)
            #expect(outcome.counts == "2 new, 0 changed, 0 same, 2 superseded, 0 rejected")
            try store.expect(tagsOfTasks, ["1|a,b,c", "2|b"])
        }
    }

    @Test(arguments: ["Step", "Tag"])
    func keepsTheOrderOfAnOrderedToMany(destination: String) throws {
        try withStore(tasks) { store in
            let isStep = destination == "Step"
            let query =
                isStep
                ? "SELECT t.ZID, group_concat(ZCODE || ':' || Z_FOK_TASK) FROM (SELECT * FROM ZSTEP"
                    + " WHERE ZTASK NOT NULL ORDER BY Z_FOK_TASK) s JOIN ZTASK t ON t.Z_PK = s.ZTASK"
                    + " GROUP BY 1 ORDER BY 1"
                : "SELECT t.ZID, group_concat(g.ZNAME || ':' || Z_FOK_3READERS) FROM (SELECT * FROM"
                    + " Z_3READS ORDER BY Z_FOK_3READERS) l JOIN ZTASK t ON t.Z_PK = l.Z_4READS JOIN"
                    + " ZTAG g ON g.Z_PK = l.Z_3READERS GROUP BY 1 ORDER BY 1"
            try names(destination, ["a", "b", "c", "d"], in: store)
            func load(_ many: BulkPlan.ManyPolicy, _ records: [[TestValue]]) throws -> String {
                try store.container.load(
                    plan(
                        isStep ? "steps" : "readers", destination, by: isStep ? "code" : "name",
                        many: many), records
                ).counts
            }
            #expect(
                try load(.replace, [[1, "x", nil, ["c", "a", "b"]]])
                    == "1 new, 0 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(query, ["1|c:1024,a:2048,b:3072"])
            #expect(
                try load(.replace, [[1, "x", nil, ["c", "a", "b"]]])
                    == "0 new, 0 changed, 1 same, 0 superseded, 0 rejected")
            #expect(
                try load(.replace, [[1, "x", nil, ["a", "b", "c"]]])
                    == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect(query, ["1|a:1024,b:2048,c:3072"])
            #expect(
                try load(.remove, [[1, "x", nil, ["a"]]])
                    == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            #expect(
                try load(.add, [[1, "x", nil, ["d", "b"]]])
                    == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            // Kept objects keep their positions; new ones follow them.
            try store.expect(query, ["1|b:2048,c:3072,d:4096"])
            if isStep {
                try store.expect(
                    "SELECT ZCODE, Z_OPT FROM ZSTEP ORDER BY 1", ["a|3", "b|2", "c|2", "d|2"])
            }
        }
    }

    @Test func movesAnObjectFromOneOwnerToAnother() throws {
        try withStore(tasks) { store in
            try names("Step", ["a", "b"], in: store)
            let plan = plan("steps", "Step", by: "code")
            try store.container.load(plan, [[1, "x", nil, ["a", "b"]], [2, "y", nil, []]])
            let outcome = try store.container.load(plan, [[2, "y", nil, ["a"]]])
            #expect(outcome.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
            try store.expect("SELECT ZCODE, ZTASK FROM ZSTEP ORDER BY 1", ["a|2", "b|1"])
        }
    }

    @Test func ordersObjectsThatSetTheirOwner() throws {
        try withStore(tasks) { store in
            try store.container.load(plan("tags", "Tag"), [[1, "x", nil, []], [2, "y", nil, []]])
            let plan = BulkPlan(
                entity: "Step", key: ["code"], attributes: ["code"],
                links: [.init(relationship: "task", destination: "Task", attribute: "id")])
            try store.container.load(
                plan, [["a", 1], ["b", 1], ["c", 2], ["d", 1], ["e", nil]])
            let query = "SELECT ZCODE, ZTASK, Z_FOK_TASK, Z_OPT FROM ZSTEP ORDER BY ZCODE"
            try store.expect(
                query, ["a|1|1024|1", "b|1|2048|1", "c|2|1024|1", "d|1|3072|1", "e|-|-|1"])
            let outcome = try store.container.load(plan, [["a", 1], ["c", 1], ["d", nil]])
            #expect(outcome.counts == "0 new, 2 changed, 1 same, 0 superseded, 0 rejected")
            try store.expect(
                query, ["a|1|1024|1", "b|1|2048|1", "c|1|4096|2", "d|-|-|2", "e|-|-|1"])
        }
    }

    @Test func rejectedOwnerLeavesNoLinks() throws {
        try withStore(tasks) { store in
            try names("Step", ["a"], in: store)
            try names("Tag", ["a"], in: store)
            let steps = plan("steps", "Step", by: "code")
            let tags = plan("tags", "Tag")
            for plan in [steps, tags] {
                try store.container.load(plan, [[1, "x", "s", []]])
                let outcome = try store.container.load(plan, [[2, "y", "s", ["a"]]])
                #expect(outcome.rejectedCodes == ["1 unique"])
                #expect(outcome.changes == [StoreChange()])
            }
            try store.expect("SELECT ZTASK, Z_OPT FROM ZSTEP", ["-|1"])
            try store.expect("SELECT count(*) FROM Z_3TASKS", ["0"])
        }
    }
}
