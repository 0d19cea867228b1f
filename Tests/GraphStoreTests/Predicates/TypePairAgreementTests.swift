import GraphModel
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes: { id: Integer 32, title: String, done: Boolean, hours: Double, due: Date }
      unique: [[id]]
    """

/// Comparisons of two types, whose constants take the type of the column.
@Suite("Pairs of types in SQL and in memory") struct TypePairAgreementTests {
    private static let records: [GraphRecord] = [
        [
            "id": 1, "title": "Apfel", "done": true, "hours": 0.5,
            "due": .value(.date(secondsSinceReference: 86_400)),
        ],
        [
            "id": 2, "title": "birne", "done": false, "hours": 2.0,
            "due": .value(.date(secondsSinceReference: 0)),
        ],
        ["id": 3],
        [
            "id": 4, "title": "", "done": true, "hours": 0.0,
            "due": .value(.date(secondsSinceReference: 1.5)),
        ],
    ]

    @Test(
        "SQL and the evaluator find the same objects",
        arguments: [
            ("done == 1.0", [1, 4]), ("done != 0.0", [1, 3, 4]), ("hours == NO", [4]),
            ("hours >= YES", [2]), ("-done == -1", [1, 4]), ("done < hours", [2]),
            ("due < '2001-01-02'", [2, 4]), ("hours == 0.5000000000000000000000001", [1]),
            ("title.length == 5", [1, 2]), ("done IN {1.0, nil}", [1, 3, 4]),
            ("hours BETWEEN {NO, YES}", [1, 4]), ("substring(title, 1.0, 2.0) == 'pf'", [1]),
            ("hours / 0 == nil", [1, 2, 3, 4]), ("hours < 9007199254740993", [1, 2, 4]),
            ("ternary(done == YES, hours, 0.25) == 0.25", [2, 3]),
            ("'Apfel und Birne' CONTAINS title", [1]), ("title MATCHES nil", []),
        ] as [(String, [Int64])])
    func agrees(format: String, expected: [Int64]) throws {
        try withStore(entities) { store in
            let container = store.container
            try container.load(
                BulkPlan(
                    entity: "Task", key: ["id"],
                    attributes: ["id", "title", "done", "hours", "due"], links: []),
                [
                    [1, "Apfel", 1, 0.5, 86_400.0], [2, "birne", 0, 2.0, 0.0],
                    [3, nil, nil, nil, nil], [4, "", 1, 0.0, 1.5],
                ])
            let predicate = try GraphPredicate(format: format)
            let cursor = try container.newContext().cursor(
                RowRequest(
                    entityName: "Task", predicate: predicate,
                    order: [GraphSortDescriptor(["id"])], fields: [["id"]]))
            #expect(try cursor.integers() == expected)
            let resolved = try predicate.resolved(for: "Task", in: container.model)
            let found = try Self.records.filter { try resolved.evaluate(with: $0) }
            #expect(
                found.compactMap { $0.fields["id"] }
                    == expected.map { GraphRecord.Value.value(.integer($0)) })
        }
    }
}
