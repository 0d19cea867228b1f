import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Base:
      abstract: true
      attributes: { id: { type: Integer 32, optional: false }, title: String }
      relationships:
        marks: { to: Mark, many: true, inverse: about }
      unique: [[id]]
    Task:
      parent: Base
      attributes: { n: Integer 16, big: Integer 64, d: Double, m: Decimal, isDone: Boolean }
      relationships:
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, ordered: true, inverse: parent }
        owner: { to: Person, inverse: tasks }
        tags: { to: Tag, many: true, inverse: tasks }
        reads: { to: Tag, many: true, ordered: true, inverse: readers }
        blockers: { to: Task, many: true, inverse: blocked }
        blocked: { to: Task, many: true, inverse: blockers }
        related: { to: Task, many: true, inverse: related }
    Note: { parent: Base, attributes: { n: Integer 16 } }
    Mark:
      attributes: { id: { type: Integer 32, optional: false }, weight: Double }
      relationships: { about: { to: Base, inverse: marks } }
      unique: [[id]]
    Person:
      attributes: { name: { type: String, optional: false }, age: Integer 16 }
      relationships:
        tasks: { to: Task, many: true, inverse: owner }
        friends: { to: Person, many: true, inverse: friends }
      unique: [[name]]
    Tag:
      attributes: { name: { type: String, optional: false }, rank: Integer 16 }
      relationships:
        tasks: { to: Task, many: true, inverse: tags }
        readers: { to: Task, many: true, inverse: reads }
      unique: [[name]]
    """

private func link(_ name: String, _ destination: String, _ attribute: String) -> BulkPlan.Link {
    .init(relationship: name, destination: destination, attribute: attribute)
}

private func withTasks(_ body: (TestStore) throws -> Void) throws {
    try withStore(entities) { store in
        let container = store.container
        try container.load(
            BulkPlan(
                entity: "Person", key: ["name"], attributes: ["name", "age"],
                links: [link("friends", "Person", "name")]),
            [["ann", 30, ["bob"]], ["bob", 20, ["ann"]], ["cid", nil, []]])
        try container.load(
            BulkPlan(entity: "Tag", key: ["name"], attributes: ["name", "rank"]),
            [["red", 1], ["blue", 2], ["Été", nil]])
        try container.load(
            BulkPlan(entity: "Note", key: ["id"], attributes: ["id", "title", "n"]),
            [[100, "note", 7]])
        try container.load(
            BulkPlan(
                entity: "Task", key: ["id"],
                attributes: ["id", "title", "n", "big", "d", "m", "isDone"],
                links: [
                    link("parent", "Task", "id"), link("owner", "Person", "name"),
                    link("tags", "Tag", "name"), link("reads", "Tag", "name"),
                    link("blockers", "Task", "id"), link("related", "Task", "id"),
                ]),
            [
                [
                    1, "Buy milk", 5, .integer(.max), 0.5, 1.0, 1, nil, "ann", ["red", "blue"],
                    ["blue", "red"], [], [2],
                ],
                [2, "CAFÉ", -3, 7, 2.5, 2.5, 0, 1, "bob", ["red"], ["red"], [1], [1]],
                [3, "cafe\u{301} *", nil, nil, nil, nil, nil, 1, nil, [], [], [1, 2], []],
                [4, nil, 2, 0, -1.5, 5.0, 0, 2, "cid", ["Été"], [], [], []],
            ])
        try container.load(
            BulkPlan(
                entity: "Mark", key: ["id"], attributes: ["id", "weight"],
                links: [link("about", "Base", "id")]),
            [[1, 1.5, 1], [2, 2.5, 1], [3, 4.0, 100], [4, nil, nil]])
        try body(store)
    }
}

private func keys(
    _ format: String, in store: TestStore, entity: String = "Task",
    variables: [String: GraphValue] = [:]
) throws -> [Int64] {
    let cursor = try store.container.newContext().cursor(
        RowRequest(
            entityName: entity, predicate: try GraphPredicate(format: format),
            variables: variables, order: [GraphSortDescriptor(["id"])], fields: [["id"]]))
    return try cursor.integers()
}

private func check(
    _ format: String, _ expected: [Int64], in store: TestStore, entity: String = "Task",
    variables: [String: GraphValue] = [:], sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = try keys(format, in: store, entity: entity, variables: variables)
    #expect(found == expected, "\(format)", sourceLocation: sourceLocation)
}

@Suite("rows 84, 86–88, 91: collections in SQL") struct CollectionSQLTests {
    @Test(
        "SQL finds the expected objects for predicates over collections",
        arguments: [
            ("ANY tags.name == 'red'", [1, 2]), ("SOME tags.name == 'blue'", [1]),
            ("NONE tags.name == 'red'", [3, 4]), ("ALL tags.name == 'red'", [2, 3]),
            ("NOT (ANY tags.name == 'red')", [3, 4]), ("NOT (ALL tags.name == 'red')", [1, 4]),
            ("ANY tags.name != 'red'", [1, 4]), ("ANY tags.rank == nil", [4]),
            ("ALL tags.rank != nil", [1, 2, 3]), ("ANY tags.name ==[cd] 'ete'", [4]),
            ("ANY tags.name IN {'red', 'x'}", [1, 2]), ("ANY tags.rank BETWEEN {2, 3}", [1]),
            ("ANY subtasks.n == -3", [1]), ("ANY subtasks.n == nil", [1]),
            ("ANY subtasks.owner.name == nil", [1]), ("ANY subtasks.owner == nil", [1]),
            ("ANY subtasks.tags.name == 'red'", [1]), ("ANY subtasks.subtasks.n == 2", [1]),
            ("ALL subtasks.isDone == NO", [2, 3, 4]), ("ANY owner.tasks.n == 5", [1]),
            ("ANY owner.friends.age > 20", [2]), ("NONE owner.friends.age > 20", [1, 3, 4]),
            ("ANY blockers.n == 5", [2, 3]), ("ANY blocked.n == nil", [1, 2]),
            ("ANY related.n == 5", [2]), ("ANY related.n == -3", [1]),
            ("ANY reads.name == 'blue'", [1]), ("ANY marks.weight > 2", [1]),
            ("ANY parent.marks.weight > 2", [2, 3]), ("ANY subtasks.n < n", [1]),
            ("ANY subtasks.title ==[c] title", []), ("parent IN owner.tasks", []),
            ("SELF IN parent.subtasks", [2, 3, 4]), ("SELF IN owner.tasks", [1, 2, 4]),
            ("'red' IN tags.name", [1, 2]), ("tags.name CONTAINS 'red'", [1, 2]),
            ("n IN tags.rank", []), ("nil IN tags.rank", [4]), ("nil IN subtasks.n", [1]),
        ] as [(String, [Int64])])
    func searched(format: String, expected: [Int64]) throws {
        try withTasks { store in
            try check(format, expected, in: store)
        }
    }

    @Test(
        "SQL finds the expected objects for counts, sums, and subqueries",
        arguments: [
            ("tags.@count == 2", [1]), ("tags.@count > 0", [1, 2, 4]), ("tags.@count == 0", [3]),
            ("tags.@count != 0", [1, 2, 4]), ("tags.@count >= 1", [1, 2, 4]),
            ("tags.@count < 1", [3]), ("tags.@count <= 1", [2, 3, 4]),
            ("2 > tags.@count", [2, 3, 4]),
            ("tags.@count != 1", [1, 3]), ("tags.@count >= 0", [1, 2, 3, 4]),
            ("tags.@count < 0", []), ("tags.@count == n + 4", [2]),
            ("tags.@count IN {0, 2}", [1, 3]), ("subtasks.tags.@count == 1", [1, 2]),
            ("owner.tasks.@count == 1", [1, 2, 4]), ("owner.tasks.@count == 0", [3]),
            ("subtasks.@sum.n == -3", [1]), ("subtasks.@sum.n == 0", [3, 4]),
            ("subtasks.@sum.d == 2.5", [1]), ("subtasks.@sum.m == 5", [2]),
            ("subtasks.@avg.n == -3", [1]), ("subtasks.@avg.n == nil", [3, 4]),
            ("subtasks.@min.title == 'CAFÉ'", [1]), ("subtasks.@max.m / 2 == 1.25", [1]),
            ("marks.@max.weight == 2.5", [1]), ("marks.@avg.weight == 2", [1]),
            // The sum of an empty list of doubles is a double, and TERNARY keeps the type of each
            // choice.
            ("(subtasks.@sum.d + 1) / 2 == 0.5", [3, 4]),
            ("TERNARY(n > 0, 1, 0.5) / 2 == 0", [1, 4]),
            ("join(tags.name, '-') == 'red-blue'", [1]),
            ("join(reads.name, ',') == 'blue,red'", [1]),
            ("join(subtasks.title, '') == ''", [2, 3, 4]),
            ("join(tags.@distinctUnionOfObjects.name, '-') == 'red-blue'", [1]),
            ("subtasks.tags.@sum.rank == 1", [1]),
            ("'red' IN subtasks.@unionOfObjects.tags.name", [1]),
            ("nil IN subtasks.@unionOfObjects.n", []),
            ("SUBQUERY(subtasks, $s, $s.isDone == NO).@count > 0", [1, 2]),
            ("SUBQUERY(subtasks, $s, $s.n == n - 8).@count > 0", [1]),
            ("SUBQUERY(subtasks, $s, $s.isDone == NO).@count == 0", [3, 4]),
            ("SUBQUERY(subtasks, $s, $s.isDone == NO).@count == 1", [1, 2]),
            ("SUBQUERY(subtasks, $s, $s.isDone == NO).@count > 1", []),
            ("SUBQUERY(subtasks, $s, $s.isDone == NO).@count < 2", [1, 2, 3, 4]),
            ("SUBQUERY(owner.tasks, $s, $s.isDone == NO).@count == 9", []),
            ("SUBQUERY(subtasks, $s, $s.n == nil OR $s.n < 0).@count > 1", [1]),
            ("SUBQUERY(subtasks, $s, $s.n < n).@count >= 1", [1]),
            (
                "SUBQUERY(subtasks, $s, SUBQUERY($s.subtasks, $t, $t.n > $s.n AND $t.n < n).@count > 0).@count == 1",
                [1]
            ),
            ("SUBQUERY(subtasks, $s, ANY $s.tags.name == 'red').@count == 1", [1]),
            ("SUBQUERY(subtasks, $s, $s.owner.friends.@count == 1).@count == 1", [1]),
            ("SUBQUERY(subtasks.owner, $o, $o == nil).@count == 1", [1]),
            ("ANY SUBQUERY(subtasks, $s, $s.n < 0).@unionOfObjects.tags.name == 'red'", [1]),
            ("SUBQUERY(blockers, $b, $b == SELF).@count > 0", []),
            ("SUBQUERY(subtasks, $s, $s.parent == SELF).@count == 2", [1]),
        ] as [(String, [Int64])])
    func counted(format: String, expected: [Int64]) throws {
        try withTasks { store in
            try check(format, expected, in: store)
        }
    }

    @Test(
        "SQL finds the expected objects for comparisons of attributes",
        arguments: [
            ("title CONTAINS[cd] 'cafe'", [2, 3]), ("title CONTAINS[c] 'café'", [2, 3]),
            ("title ==[c] 'café'", [2]), ("title ==[cd] 'cafe'", [2]),
            ("title !=[cd] 'cafe'", [1, 3, 4]), ("NOT (title CONTAINS[cd] 'cafe')", [1, 4]),
            ("title BEGINSWITH[c] 'buy'", [1]), ("title ENDSWITH[c] 'MILK'", [1]),
            ("title CONTAINS[c] ''", []), ("title ==[c] nil", [4]), ("nil !=[c] title", [1, 2, 3]),
            ("title CONTAINS[d] 'cafe'", [3]), ("title LIKE 'Buy*'", [1]),
            ("title LIKE '*m?lk'", [1]), ("title LIKE 'Buy m?lk'", [1]), ("title LIKE 'CAFÉ'", [2]),
            ("title LIKE 'caf*\\\\*'", [3]), ("title LIKE[cd] 'cafe*'", [2, 3]),
            ("title LIKE title", [1, 2, 3]), ("title MATCHES '[A-Z].*'", [1, 2]),
            ("title MATCHES[c] 'buy.*'", [1]), ("NOT (title MATCHES '.*')", [4]),
            ("title IN[c] {'BUY MILK', 'x'}", [1]), ("title <[c] 'c'", [1]),
            ("title BETWEEN[c] {'BUY', 'CA'}", [1]), ("length(title) == 8", [1]),
            ("lowercase(title) BEGINSWITH 'b'", [1]), ("coalesce(n, 9) > 4", [1, 3]),
            ("abs(n) == 3", [2]), ("TERNARY(n > 0, n, 0 - n) == 3", [2]),
            ("TERNARY(n > 100, 1, 0) == 0", [1, 2, 3, 4]), ("m / 2 == 1.25", [2]),
            ("n / 2 == -1", [2]), ("n / 0 == nil", [1, 2, 3, 4]), ("-n == 3", [2]),
            ("n * 2 + 1 == 11", [1]), ("d + 1 == 1.5", [1]), ("big - 1 > 100", [1]),
            ("SELF == owner", []), ("parent != nil", [2, 3, 4]),
        ] as [(String, [Int64])])
    func compared(format: String, expected: [Int64]) throws {
        try withTasks { store in
            try check(format, expected, in: store)
        }
    }

    @Test(
        "SQL and memory find the same objects by elements, lists, and values of collections",
        arguments: [
            ("ANY subtasks[FIRST].tags.name == 'red'", [1]),
            ("subtasks[FIRST].tags.@count == 1", [1, 2]),
            ("subtasks[FIRST].owner.tasks.@count == 1", [1, 2]),
            ("'blue' IN reads[LAST].tasks.reads.name", [1, 2]),
            ("reads[~0] == nil", [1, 2, 3, 4]), ("reads[~(0 - 2)].name == 'red'", [1]),
            ("{owner, parent.owner}[blockers.@count] == parent.owner", [2]),
            ("parent == {$second, $first}[blockers.@count]", [2, 4]),
            ("SELF IN SUBQUERY(parent.subtasks, $s, $s.n == -3)", [2]),
            ("blockers.tags.@distinctUnionOfObjects.name[SIZE] == 2", [2, 3]),
            (
                "SUBQUERY(blockers.tags.@distinctUnionOfObjects.rank, $r, $r > 0).@sum == 3",
                [2, 3]
            ),
            ("tags.@count > 1.5", [1]), ("tags.@count == 2.0", [1]),
            ("split(title, ' ')[SIZE] == 2", [1, 3]), ("split(title, ' ')[1] == 'milk'", [1]),
            ("'milk' IN split(title, ' ')", [1]),
            ("ANY split(title, ' ') BEGINSWITH 'm'", [1]),
            ("NONE split(title, ' ') == 'milk'", [2, 3, 4]),
            ("SUBQUERY({1, 5, 2}, $v, $v > 0 AND $v == n).@count == 1", [1, 4]),
            ("d IN {9007199254740993, 2.5}", [2]), ("coalesce(n) == 5", [1]),
            ("isDone + 1 == 2", [1]), ("uuid() != nil", [1, 2, 3, 4]), ("uuid() == nil", []),
        ] as [(String, [Int64])])
    func agreeWithMemory(format: String, expected: [Int64]) throws {
        try withTasks { store in
            let number = try #require(store.container.schema.entity(named: "Task")).number
            var variables: [String: GraphValue] = [:]
            for (name, id) in [("first", 1), ("second", 2)] {
                let key = try #require(
                    try store.integer("SELECT Z_PK FROM ZBASE WHERE ZID = \(id)"))
                variables[name] = .object(ManagedObjectID(entityNumber: number, primaryKey: key))
            }
            try check(format, expected, in: store, variables: variables)
            let context = store.container.newContext()
            for task in try context.fetch(FetchRequest<ManagedObject>(entityName: "Task")) {
                // An unrelated change makes the context evaluate the object in memory.
                try task.setValue(.attribute(.real(9)), forKey: "m")
            }
            let found = try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Task", predicate: try GraphPredicate(format: format),
                    variables: variables, sortDescriptors: [GraphSortDescriptor(["id"])])
            ).compactMap { $0[.integer("id")] }
            #expect(found == expected.map { Int($0) }, "\(format)")
        }
    }

    @Test(
        "a collection that SQL cannot search is an error that says so",
        arguments: [
            (
                "SUBQUERY({1, 2}, $v, $v IN tags.rank).@count > 0",
                "$v of a list cannot be compared with a collection of the store"
            ),
            (
                "SUBQUERY({'red'}, $v, $v CONTAINS reads[FIRST].name).@count > 0",
                "$v of a list cannot be compared with a collection of the store"
            ),
            (
                "SUBQUERY({1}, $a, SUBQUERY({2}, $b, $b > $a).@count > 0).@count > 0",
                "A SUBQUERY over a list within another one works on records only"
            ),
            (
                "TERNARY(isDone == YES, tags, reads).@count > 0",
                "A to-many key path needs "
            ),
            (
                "n IN TERNARY(isDone == YES, {1}, {2})",
                "A list has its place after IN and BETWEEN only"
            ),
            (
                "SUBQUERY(subtasks.@distinctUnionOfObjects.owner, $o, $o.age > 1).@sum.age > 0",
                "A key path cannot continue after @distinctUnionOfObjects here"
            ),
            (
                "{owner, parent.owner}[blockers.@count].name == 'ann'",
                "Only key paths, variables, and elements of ordered relationships have keys"
            ),
        ])
    func unsearchable(format: String, words: String) throws {
        try withTasks { store in
            let error = #expect(throws: (any Error).self) { _ = try keys(format, in: store) }
            #expect("\(error as Any)".contains(words), "\(format)")
        }
    }

    @Test func arithmeticOverflowIsAnError() throws {
        try withTasks { store in
            for format in [
                "big + 1 > 0", "big * 2 == 1", "-big - 2 == 0", "d * 1e308 * 10 > 0",
                "9223372036854775807 + 1 == n",
            ] {
                let error = storeError { _ = try keys(format, in: store) }
                #expect(error?.message.contains("too large") == true, "\(format): \(error as Any)")
            }
        }
    }

    @Test func findsObjectsByOneOfManyValues() throws {
        try withTasks { store in
            let many = (0..<1000).map { "\($0 * 2)" }.joined(separator: ", ")
            try check("n IN {\(many)}", [4], in: store)
            try check("n IN {nil, \(many)}", [3, 4], in: store)
            try check("NOT (n IN {\(many)})", [1, 2, 3], in: store)
            try check("ANY subtasks.n IN {\(many)}", [2], in: store)
        }
    }

    @Test func comparesWithObjects() throws {
        try withTasks { store in
            let schema = store.container.schema
            let task = try #require(schema.entity(named: "Task"))
            let person = try #require(schema.entity(named: "Person"))
            let first = try #require(try store.integer("SELECT Z_PK FROM ZBASE WHERE ZID = 1"))
            let id = ManagedObjectID(entityNumber: task.number, primaryKey: first)
            let stranger = ManagedObjectID(entityNumber: person.number, primaryKey: first)
            func check(
                _ format: String, _ id: ManagedObjectID, _ expected: [Int64]
            ) throws {
                let found = try keys(format, in: store, variables: ["x": .object(id)])
                #expect(found == expected, "\(format)")
            }
            try check("SELF == $x", id, [1])
            try check("SELF == $x", stranger, [])
            // No entity has this number.
            let unknown = ManagedObjectID(entityNumber: 999, primaryKey: first)
            try check("SELF == $x", unknown, [])
            try check("SELF != $x", unknown, [1, 2, 3, 4])
            try check("SELF != $x", stranger, [1, 2, 3, 4])
            try check("SELF IN {$x}", id, [1])
            try check("SELF IN {$x}", stranger, [])
            try check("parent == $x", id, [2, 3])
            try check("ANY subtasks == $x", id, [])
            try check("$x IN blockers", id, [2, 3])
            try check("blockers CONTAINS $x", id, [2, 3])
            try check("ANY marks.about == $x", id, [1])
        }
    }

    @Test func findsObjectsOfEveryEntityInAHierarchy() throws {
        try withTasks { store in
            try check("ANY marks.weight > 2", [1, 100], in: store, entity: "Base")
            try check("marks.@count == 1", [100], in: store, entity: "Note")
            try check("about.id == 1", [1, 2], in: store, entity: "Mark")
            try check("ANY about.marks.weight == 2.5", [1, 2], in: store, entity: "Mark")
        }
    }

    @Test func selectsObjectsForBatchRequests() throws {
        try withTasks { store in
            let context = store.container.newContext()
            let update = try context.execute(
                BatchUpdateRequest(
                    entityName: "Task",
                    predicate: try GraphPredicate(format: "ANY tags.name ==[c] 'RED'"),
                    propertiesToUpdate: [
                        "n": try GraphExpression(format: "tags.@count * 10"),
                        "title": try GraphExpression(format: "uppercase(title)"),
                    ]))
            #expect(update.updated == 2)
            let delete = try context.execute(
                BatchDeleteRequest(
                    entityName: "Task",
                    predicate: try GraphPredicate(
                        format: "SUBQUERY(blockers, $b, $b.n == 20).@count > 0 AND n == nil")))
            #expect(delete.deleted == 1)
            try context.save()
            try store.expect(
                "SELECT ZID, ZN1, ZTITLE FROM ZBASE WHERE ZID < 100 ORDER BY 1",
                ["1|20|BUY MILK", "2|10|CAFÉ", "4|2|-"])
        }
    }
}
