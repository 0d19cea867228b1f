import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes: { id: String, size: Integer 16, when: Date }
      relationships:
        owner: { to: Owner, inverse: tasks }
        tags: { to: Tag, many: true, inverse: tasks }
        steps: { to: Step, many: true, ordered: true, inverse: task }
      unique: [[id]]
    Owner:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: owner } }
      unique: [[name]]
    Step:
      attributes: { text: String }
      relationships: { task: { to: Task, inverse: steps } }
    Tag:
      attributes: { name: String }
      relationships: { tasks: { to: Task, many: true, inverse: tags } }
      unique: [[name]]
    """

@Suite("Row cursor") struct RowCursorTests {
    private func withRows(_ body: (TestStore) throws -> Void) throws {
        try withStore(entities) { store in
            let plan = BulkPlan(
                entity: "Task", key: ["id"], attributes: ["id", "size", "when"],
                links: [
                    .init(
                        relationship: "owner", destination: "Owner", attribute: "name",
                        missing: .create),
                    .init(
                        relationship: "tags", destination: "Tag", attribute: "name",
                        missing: .create),
                ])
            try store.container.load(
                plan,
                [
                    ["c", 1, nil, "Ada", ["z", "y", "x"]], ["a", 2, .real(0.5), nil, ["x"]],
                    ["b", 1, 5, "Bob", []],
                ])
            try store.foreign().execute(
                """
                INSERT INTO ZSTEP (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZTASK, Z_FOK_TASK) VALUES
                    (1, 2, 1, 'p', 1, 2048), (2, 2, 1, 'q', 1, 1024);
                UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 2
                """)
            try body(store)
        }
    }

    @Test("a cursor over a long list of values counts its matches while it iterates")
    func countsInTheMidst() throws {
        try withRows { store in
            let ids = (["a", "b", "c"] + (0..<400).map { "x\($0)" }).map { "'\($0)'" }
            let cursor = try store.container.newContext().cursor(
                RowRequest(
                    entityName: "Task",
                    predicate: GraphPredicate(format: "id IN {\(ids.joined(separator: ", "))}"),
                    fields: [["id"]]))
            let batch = cursor.makeBatch()
            var found: [String] = []
            while try cursor.next(batch, rowsMax: 1) {
                found.append(text(batch[0, 0]))
                #expect(try cursor.matchCount() == 3)
            }
            #expect(found.sorted() == ["a", "b", "c"])
            #expect(try cursor.matchCount() == 3)
        }
    }

    private func text(_ cell: BulkCell) -> String {
        switch cell.kind {
        case .text: String(decoding: cell.bytes, as: UTF8.self)
        case .integer: "\(cell.integerValue)"
        case .real: "\(cell.realValue)"
        default: "-"
        }
    }

    private func rows(_ cursor: RowCursor) throws -> [String] {
        var lines: [String] = []
        try cursor.forEachRow { batch, row in
            let values = cursor.columns.enumerated().map { place, column in
                let cell = batch[row, place]
                guard column.isList else { return text(cell) }
                return "[" + batch.items(of: cell).map(text).joined(separator: ",") + "]"
            }
            lines.append(values.joined(separator: "|"))
        }
        return lines
    }

    private func rows(_ store: TestStore, _ request: RowRequest) throws -> [String] {
        try rows(store.container.newContext().cursor(request))
    }

    @Test func namesTheDefaultFields() throws {
        let schema = StoreLayout(try model(entities))
        #expect(
            schema.defaultFields(of: "Task", withToManys: true) == [
                ["id"], ["size"], ["when"], ["owner", "name"], ["steps"], ["tags"],
            ])
        #expect(
            schema.defaultFields(of: "Task", withToManys: false) == [
                ["id"], ["size"], ["when"], ["owner", "name"],
            ])
        // The steps of a task are primary keys, because steps have no key.
        #expect(
            schema.defaultFields(of: "Step", withToManys: true) == [
                ["objectID"], ["text"], ["task", "id"],
            ])
        #expect(
            schema.defaultFields(of: "Step", withToManys: false) == [["text"], ["task", "id"]])
    }

    @Test func ordersRowsByKeyByDefault() throws {
        try withRows { store in
            let fields = [["id"], ["size"]]
            let byKey = try rows(store, RowRequest(entityName: "Task", fields: fields))
            #expect(byKey == ["a|2", "b|1", "c|1"])
            let byTable = try rows(
                store,
                RowRequest(
                    entityName: "Task", order: [GraphSortDescriptor([ObjectNumber.key])],
                    fields: fields))
            #expect(byTable == ["c|1", "a|2", "b|1"])
            let bySize = try rows(
                store,
                RowRequest(
                    entityName: "Task",
                    order: [
                        GraphSortDescriptor(["size"], ascending: false),
                        GraphSortDescriptor(["id"], ascending: false),
                    ], fields: fields)
            )
            #expect(bySize == ["a|2", "c|1", "b|1"])
            let byOwner = try rows(
                store,
                RowRequest(
                    entityName: "Task", order: [GraphSortDescriptor(["owner", "name"])],
                    fields: [["id"]]))
            #expect(byOwner == ["a", "c", "b"])
        }
    }

    @Test func readsValuesThroughToOneRelationships() throws {
        try withRows { store in
            let found = try rows(
                store,
                RowRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: "owner.name != $n"),
                    variables: ["n": .string("Bob")],
                    fields: [["id"], ["owner", "name"], ["owner"], ["when"]]))
            #expect(found == ["a|-|-|0.5", "c|Ada|Ada|-"])
        }
    }

    /// By key, runs one query per owner; in table order, one scan; for a large destination, a join.
    @Test func listsToManyEquallyInEveryMode() throws {
        try withRows { store in
            func request(_ order: String, _ direction: Bool) -> RowRequest {
                RowRequest(
                    entityName: "Task", order: [GraphSortDescriptor([order], ascending: direction)],
                    fields: [["id"], ["tags", "name"], ["tags"], ["steps", "text"]])
            }
            let expected = [
                "a|[x]|[x]|[]", "b|[]|[]|[]", "c|[x,y,z]|[x,y,z]|[q,p]",
            ]
            let lookup = try rows(store, request("id", true))
            #expect(lookup == expected)
            let merge = try rows(store, request(ObjectNumber.key, true))
            #expect(merge == [expected[2], expected[0], expected[1]])
            // A key too large for a map in memory.
            try store.foreign().execute(
                """
                INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (5000000, 3, 1, 'w');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 5000000 WHERE Z_ENT = 3
                """)
            let query = try rows(store, request("id", true))
            #expect(query == expected)
        }
    }

    @Test func seesOneSnapshotWhileAWriterCommits() throws {
        try withRows { store in
            let cursor = try store.container.newContext().cursor(
                RowRequest(entityName: "Task", fields: [["id"], ["tags", "name"]]))
            let first = cursor.makeBatch()
            try #require(try cursor.next(first, rowsMax: 1))
            #expect(first.count == 1)
            try store.foreign().execute(
                "DELETE FROM ZTASK; DELETE FROM Z_3TASKS; UPDATE ZTAG SET ZNAME = ZNAME || '!'")
            let rest = try rows(cursor)
            #expect(rest == ["b|[]", "c|[x,y,z]"])
            let after = try rows(store, RowRequest(entityName: "Task", fields: [["id"]]))
            #expect(after == [])
        }
    }

    /// A small destination uses a map in memory, a large one a join.
    @Test func readsToOneEquallyForSmallAndLargeDestinations() throws {
        try withRows { store in
            let request = RowRequest(entityName: "Task", fields: [["id"], ["owner", "name"]])
            // No object has this key.
            try store.foreign().execute("UPDATE ZTASK SET ZOWNER = 50 WHERE ZID = 'a'")
            let small = try rows(store, request)
            #expect(small == ["a|-", "b|Bob", "c|Ada"])
            try store.foreign().execute(
                """
                INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (70000, 1, 1, 'Zoe');
                UPDATE Z_PRIMARYKEY SET Z_MAX = 70000 WHERE Z_ENT = 1
                """)
            let large = try rows(store, request)
            #expect(large == small)
            try store.foreign().execute("UPDATE ZTASK SET ZOWNER = 70000 WHERE ZID = 'a'")
            let changed = try rows(store, request)
            #expect(changed == ["a|Zoe", "b|Bob", "c|Ada"])
        }
    }

    @Test func readsRowsInBatches() throws {
        try withRows { store in
            let cursor = try store.container.newContext().cursor(
                RowRequest(entityName: "Task", fields: [["id"], ["tags"]]))
            let batch = cursor.makeBatch()
            var found: [[String]] = []
            while try cursor.next(batch, rowsMax: 2) {
                found.append(
                    (0..<batch.count).map {
                        text(batch[$0, 0]) + batch.items(of: batch[$0, 1]).map(text).joined()
                    })
            }
            #expect(found == [["ax", "b"], ["cxyz"]])
            // The cursor does not restart.
            let isMore = try cursor.next(batch)
            #expect(!isMore)
        }
    }

    /// The byte limit ends a batch, and links count toward it.
    @Test func limitsBatchSizeIfRowsHaveManyLinks() throws {
        let (tasks, tags) = (60, 2_000)
        try withStore(entities) { store in
            guard
                case .joinTable(let join) = store.container.schema.entity(named: "Task")?
                    .toManys["tags"]
            else {
                Issue.record("There is no table of pairs")
                return
            }
            try store.foreign().execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(tags))
                INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 3, 1, char(96 + i % 26) || i
                    FROM n;
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(tasks))
                INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZID) SELECT i, 4, 1, 't' || i FROM n;
                INSERT INTO \(join.table) (\(join.ownerColumn), \(join.destinationColumn))
                    SELECT t.Z_PK, g.Z_PK FROM ZTASK t, ZTAG g;
                UPDATE Z_PRIMARYKEY SET Z_MAX = \(tags)
                """)
            let cursor = try store.container.newContext().cursor(
                RowRequest(entityName: "Task", fields: [["id"], ["tags"]]))
            let batch = cursor.makeBatch()
            var counts: [Int] = []
            while try cursor.next(batch) {
                counts.append(batch.count)
                for row in 0..<batch.count { #expect(batch[row, 1].listCount == tags) }
                // The row that exceeds the limit is the last one.
                #expect(batch.byteCount - batch.byteCount / batch.count < 512 << 10)
            }
            #expect(counts.reduce(0, +) == tasks)
            #expect(counts.count > 2, "\(counts)")
        }
    }

    @Test func interruptingMakesTheNextReadFail() throws {
        try withRows { store in
            let cursor = try store.container.newContext().cursor(
                RowRequest(entityName: "Task", fields: [["id"]]))
            let batch = cursor.makeBatch()
            try #require(try cursor.next(batch, rowsMax: 1))
            cursor.interrupt()
            let error = storeError { _ = try cursor.next(batch) }
            #expect(error?.code == .cancelled)
        }
    }

    @Test(arguments: [["nothing"], ["owner", "nothing"], ["tags", "tasks"], ["id", "x"]])
    func rejectsUnknownFields(field: [String]) throws {
        try withRows { store in
            let error = storeError {
                _ = try rows(store, RowRequest(entityName: "Task", fields: [field]))
            }
            #expect(error?.code == .invalidRequest)
        }
    }
}
