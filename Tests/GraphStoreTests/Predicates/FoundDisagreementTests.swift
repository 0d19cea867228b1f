import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes: { id: Integer 32, title: String, big: Integer 64, d: Double }
      relationships:
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent }
        related: { to: Task, many: true, inverse: related }
      unique: [[id]]
    Errand: { parent: Task }
    """

/// Predicates for which SQL and the evaluator once had different results.
@Suite("Former disagreements of SQL and the evaluator") struct FoundDisagreementTests {
    @Test(
        "SQL finds the expected objects for predicates that once disagreed",
        arguments: [
            // Plain LIKE compares bytes.
            ("title LIKE '*é'", [2]), ("title LIKE[n] '*é'", [2]), ("title LIKE[d] '*é'", [2, 3]),
            // A partial sum overflows, but the total does not.
            ("subtasks.@sum.big == 9223372036854775807", [1]),
            ("subtasks.@sum.d == 0.75", [1]), ("subtasks.@avg.d == 0.25", [1]),
            // The join row exists from one end only.
            ("ANY related.id == 2", [3]), ("ANY related.id == 3", [2]),
            ("related.@count == 1", [2, 3]), ("SELF IN related.related", [2, 3]),
            // An object is identified by its hierarchy and its key.
            // NaN is no value, also in a list.
            ("d == $nan", [1]), ("d IN {$nan}", [1]), ("d IN {$nan, 0.75}", [1, 4]),
            ("SELF == $other", [2]), ("SELF IN {$other}", [2]), ("parent == $one", [2, 3, 4]),
        ] as [(String, [Int64])])
    func mended(format: String, expected: [Int64]) throws {
        try withStore(entities) { store in
            let container = store.container
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id", "title", "big", "d"],
                links: [
                    .init(relationship: "parent", destination: "Task", attribute: "id"),
                    .init(relationship: "related", destination: "Task", attribute: "id"),
                ])
            try container.load(
                plan,
                [
                    [1, nil, nil, nil, nil, []], [2, "xé", .integer(.max), 1e308, 1, [3]],
                    [3, "xe\u{301}", 1, -1e308, 1, .absent], [4, nil, -1, 0.75, 1, []],
                ])
            let second = try #require(try store.integer("SELECT Z_PK FROM ZTASK WHERE ZID = 2"))
            let errand = try #require(container.schema.entity(named: "Errand"))
            let task = try #require(container.schema.entity(named: "Task"))
            let cursor = try container.newContext().cursor(
                RowRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: format),
                    variables: [
                        "other": .object(
                            ManagedObjectID(entityNumber: errand.number, primaryKey: second)),
                        "nan": .double(.nan),
                        "one": .object(ManagedObjectID(entityNumber: task.number, primaryKey: 1)),
                    ],
                    order: [GraphSortDescriptor(["id"])], fields: [["id"]]))
            let found = try cursor.integers()
            #expect(found == expected)
        }
    }
}
