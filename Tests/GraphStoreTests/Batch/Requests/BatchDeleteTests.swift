import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Batch delete") struct BatchDeleteTests {
    private func run(
        _ store: TestStore, _ entity: String, _ predicate: String? = nil,
        limit: ObjectLimit? = nil
    ) throws -> (BatchDeleteResult, StoreChange) {
        let context = store.container.newContext()
        let result = try context.write(
            BatchDeleteRequest(
                entityName: entity, predicate: try predicate.map { try GraphPredicate(format: $0) },
                limit: limit))
        return (result, try context.save().change)
    }

    private func names(_ set: ManagedObjectIDSet, in store: TestStore) -> [String] {
        set.ids.map { id in
            "\(store.container.schema.entity(number: id.entityNumber)?.name ?? "?") \(id.primaryKey)"
        }
    }

    /// Inserts rows by SQL: `Z_PK`, `Z_ENT`, `Z_OPT` = 1, and the given columns.
    private func fill(_ store: TestStore, _ sql: String) throws {
        let connection = try store.foreign()
        try connection.execute(sql)
        for entity in store.container.schema.entities where entity.superNumber == 0 {
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT ifnull(max(Z_PK), 0) FROM \(entity.table))"
                    + " WHERE Z_ENT = \(entity.number)")
        }
    }

    @Test("a batch delete by object IDs deletes these objects only")
    func byIDs() throws {
        try withObjects { store in
            let context = store.context()
            let tasks = (0..<4).map { number in
                context.insert(Todo.self) { $0.number = number }
            }
            try context.save()
            let ids = [tasks[1].objectID, tasks[3].objectID]
            let result = try context.execute(
                BatchDeleteRequest(entityName: "Task", predicate: GraphKey.object.in(ids)))
            #expect(result.deleted == 2)
            #expect(tasks.map(\.isDeleted) == [false, true, false, true])
            try store.expect("SELECT ZNUMBER FROM ZTASK ORDER BY 1", ["0", "2"])
        }
    }

    @Test func nullifiesInverseRelationships() throws {
        // Item 1 (Book 2, Film 3), Owner 4: the inverse has a companion and an order.
        try withStore(
            """
            Item:
              abstract: true
              relationships:
                owner: { to: Owner, inverse: items }
                twin: { to: Owner, inverse: favorite }
            Book: { parent: Item }
            Film: { parent: Item }
            Owner:
              attributes: { name: String }
              relationships:
                items: { to: Item, many: true, ordered: true, inverse: owner }
                favorite: { to: Item, inverse: twin }
            VIP: { parent: Owner }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZFAVORITE, Z1_FAVORITE) VALUES
                    (1, 4, 1, 'a', 2, 3), (2, 5, 1, 'b', NULL, NULL);
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZOWNER, Z4_OWNER, Z_FOK_OWNER, ZTWIN, Z4_TWIN)
                VALUES (1, 2, 1, 1, 4, 1024, NULL, NULL), (2, 3, 1, 2, 5, 1024, 1, 4),
                    (3, 2, 1, 1, 4, 2048, NULL, NULL)
                """)
            let (result, change) = try run(store, "Owner", "name == 'a'")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 1, deleted: 1, denied: 0, cascaded: [:], nullified: 3))
            #expect(names(change.deleted, in: store) == ["Owner 1"])
            #expect(names(change.updated, in: store) == ["Book 1", "Book 3", "Film 2"])
            try store.expect(
                "SELECT Z_PK, Z_OPT, ZOWNER, Z4_OWNER, Z_FOK_OWNER, ZTWIN, Z4_TWIN FROM ZITEM",
                ["1|2|-|-|-|-|-", "2|2|2|5|1024|-|-", "3|2|-|-|-|-|-"])
            try store.expect("SELECT Z_PK FROM ZOWNER", ["2"])
        }
    }

    private let tasks = """
        Category: { relationships: { tasks: { to: Task, many: true, inverse: category } } }
        Task:
          attributes: { number: Integer 64, isDone: Boolean }
          relationships: { category: { to: Category, inverse: tasks } }
        """

    /// Creates two categories and tasks that alternate between them; one task has no category.
    private func withTasks(_ body: (TestStore) throws -> Void) throws {
        try withStore(tasks) { store in
            try fill(
                store,
                """
                INSERT INTO ZCATEGORY (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)
                INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZCATEGORY)
                SELECT i, 2, 1, i, CASE WHEN i <> 5 THEN 1 + i % 2 END FROM n
                """)
            try body(store)
        }
    }

    @Test func reportsAllObjectsThatItNullifies() throws {
        try withTasks { store in
            let (result, change) = try run(store, "Category")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 2, deleted: 2, denied: 0, cascaded: [:], nullified: 7))
            #expect(change.deleted.ranges == [1: [1...2]])
            #expect(change.updated.ranges == [2: [1...4, 6...8]])
            try store.expect("SELECT count(*) FROM ZTASK WHERE ZCATEGORY IS NULL", ["8"])
        }
    }

    @Test func reportsUpdatedAndThenDeletedObjectsOnlyAsDeleted() throws {
        try withTasks { store in
            let context = store.container.newContext()
            _ = try context.write(
                BatchUpdateRequest(
                    entityName: "Task",
                    propertiesToUpdate: ["isDone": try GraphExpression(format: "YES")]))
            _ = try context.write(
                BatchDeleteRequest(
                    entityName: "Task",
                    predicate: try GraphPredicate(format: "number IN {2, 4, 5, 6, 8}")))
            let change = try context.save().change
            #expect(change.updated.ranges == [1: [1...1], 2: [1...1, 3...3, 7...7]])
            #expect(change.deleted.ranges == [2: [2...2, 4...6, 8...8]])
        }
    }

    private let tree = """
        Folder:
          attributes: { name: String }
          relationships:
            parent: { to: Folder, inverse: children }
            children: { to: Folder, many: true, inverse: parent, delete: cascade }
            files: { to: File, many: true, inverse: folder, delete: cascade }
        File:
          attributes: { name: String }
          relationships:
            folder: { to: Folder, inverse: files }
            pages: { to: Page, many: true, inverse: file, delete: cascade }
            tags: { to: Tag, many: true, inverse: files }
        Page:
          attributes: { name: String }
          relationships:
            file: { to: File, inverse: pages }
            loans: { to: Loan, many: true, inverse: page, delete: deny }
        Loan:
          attributes: { name: String }
          relationships: { page: { to: Page, inverse: loans } }
        Tag:
          attributes: { name: String }
          relationships: { files: { to: File, many: true, inverse: tags } }
        """

    private func withTree(_ body: (TestStore) throws -> Void) throws {
        try withStore(tree) { store in
            try fill(
                store,
                """
                INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPARENT) VALUES
                    (1, 2, 1, 'root', NULL), (2, 2, 1, 'sub', 1), (3, 2, 1, 'subsub', 2),
                    (4, 2, 1, 'other', NULL), (5, 2, 1, 'ring', 6), (6, 2, 1, 'gnir', 5);
                INSERT INTO ZFILE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZFOLDER) VALUES
                    (1, 1, 1, 'f', 3), (2, 1, 1, 'g', 4);
                INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZNAME, ZFILE) VALUES
                    (1, 4, 1, 'p', 1), (2, 4, 1, 'q', 1), (3, 4, 1, 'r', 2);
                INSERT INTO ZLOAN (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPAGE) VALUES (1, 3, 1, 'l', 3);
                INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 5, 1, 't');
                INSERT INTO Z_1TAGS VALUES (1, 1), (2, 1);
                """)
            try body(store)
        }
    }

    @Test func cascadesThroughSeveralEntities() throws {
        try withTree { store in
            let (result, change) = try run(store, "Folder", "name == 'root'")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 1, deleted: 1, denied: 0,
                        cascaded: ["Folder": 2, "File": 1, "Page": 2], nullified: 0))
            #expect(
                names(change.deleted, in: store) == [
                    "File 1", "Folder 1", "Folder 2", "Folder 3", "Page 1", "Page 2",
                ])
            #expect(names(change.updated, in: store) == ["Tag 1"])
            try store.expect(
                "SELECT ZNAME FROM ZFOLDER UNION ALL SELECT ZNAME FROM ZFILE UNION ALL"
                    + " SELECT ZNAME FROM ZPAGE", ["other", "ring", "gnir", "g", "r"])
            // Join rows of deleted objects are deleted; the others are kept.
            try store.expect("SELECT * FROM Z_1TAGS", ["2|1"])
        }
    }

    /// Builds more levels than the delete finds without an index.
    @Test func cascadesThroughManyLevels() throws {
        try withStore(tree) { store in
            try fill(
                store,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPARENT)
                SELECT i, 2, 1, 'f' || i, nullif(i - 1, 0) FROM n;
                INSERT INTO ZFILE (Z_PK, Z_ENT, Z_OPT, ZFOLDER) VALUES (1, 1, 1, 30), (2, 1, 1, 1);
                INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZFILE) VALUES (1, 4, 1, 1), (2, 4, 1, 2)
                """)
            let (result, change) = try run(store, "Folder", "name == 'f2'")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 1, deleted: 1, denied: 0,
                        cascaded: ["Folder": 38, "File": 1, "Page": 1], nullified: 0))
            #expect(change.deleted.ranges == [1: [1...1], 2: [2...40], 4: [1...1]])
            #expect(change.updated.ranges == [2: [1...1]])
            try store.expect(
                "SELECT Z_PK FROM ZFOLDER UNION ALL SELECT Z_PK FROM ZFILE UNION ALL"
                    + " SELECT Z_PK FROM ZPAGE", ["1", "2", "2"])
            // Again, with an additional rule that keeps the end of the chain.
            try fill(
                store,
                """
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
                INSERT INTO ZFOLDER (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPARENT)
                SELECT i, 2, 1, 'f' || i, i - 1 FROM n;
                UPDATE ZFILE SET ZFOLDER = 20;
                INSERT INTO ZLOAN (Z_PK, Z_ENT, Z_OPT, ZPAGE) VALUES (1, 3, 1, 2)
                """)
            let (kept, nothing) = try run(store, "Folder", "name == 'f1'")
            #expect(
                kept
                    == BatchDeleteResult(
                        matched: 1, deleted: 0, denied: 1,
                        denials: [.init(entityName: "Page", relationshipName: "loans", count: 1)],
                        cascaded: [:], nullified: 0))
            #expect(nothing == StoreChange())
        }
    }

    @Test func cascadeStopsInCycles() throws {
        try withTree { store in
            let (result, change) = try run(store, "Folder", "name == 'ring'")
            #expect(result.cascaded == ["Folder": 1])
            #expect(names(change.deleted, in: store) == ["Folder 5", "Folder 6"])
            try store.expect("SELECT count(*) FROM ZFOLDER", ["4"])
        }
    }

    @Test func keepsObjectsWhoseCascadeReachesADeniedObject() throws {
        try withTree { store in
            let before = try store.lines("SELECT * FROM ZFILE UNION ALL SELECT * FROM ZPAGE")
            let (result, change) = try run(store, "Folder", "name IN {'other', 'subsub'}")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 2, deleted: 1, denied: 1,
                        denials: [.init(entityName: "Page", relationshipName: "loans", count: 1)],
                        cascaded: ["File": 1, "Page": 2], nullified: 0))
            #expect(names(change.deleted, in: store) == ["File 1", "Folder 3", "Page 1", "Page 2"])
            try store.expect("SELECT ZNAME FROM ZFOLDER WHERE Z_PK = 4", ["other"])
            try store.expect(
                "SELECT * FROM ZFILE UNION ALL SELECT * FROM ZPAGE",
                before.filter { $0.hasPrefix("2|") && $0.contains("|g") || $0.hasPrefix("3|") })
        }
    }

    @Test func countsEachDeniedObjectOnceByTheRuleThatKeepsIt() throws {
        // 1 is kept by books, 2 by films, 3 by both, and 4 by a part that books keep; 5 is deleted.
        try withStore(
            """
            Shelf:
              relationships:
                books: { to: Book, many: true, inverse: shelf, delete: deny }
                films: { to: Film, many: true, inverse: shelf, delete: deny }
                parts: { to: Shelf, many: true, inverse: whole, delete: cascade }
                whole: { to: Shelf, inverse: parts }
            Book: { relationships: { shelf: { to: Shelf, inverse: books } } }
            Film: { relationships: { shelf: { to: Shelf, inverse: films } } }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZWHOLE) VALUES
                    (1, 3, 1, 4), (2, 3, 1, NULL), (3, 3, 1, NULL), (4, 3, 1, NULL), (5, 3, 1, 4);
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES
                    (1, 1, 1, 1), (2, 1, 1, 1), (3, 1, 1, 3);
                INSERT INTO ZFILM (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (1, 2, 1, 2), (2, 2, 1, 3)
                """)
            let (result, _) = try run(store, "Shelf")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 5, deleted: 1, denied: 4,
                        denials: [
                            .init(entityName: "Shelf", relationshipName: "books", count: 3),
                            .init(entityName: "Shelf", relationshipName: "films", count: 1),
                        ], cascaded: [:], nullified: 0))
            try store.expect("SELECT Z_PK FROM ZSHELF ORDER BY 1", ["1", "2", "3", "4"])
        }
    }

    @Test func ignoresDenyForObjectsDeletedInTheSameRequest() throws {
        // Deleting the folder also deletes the loan, by another path.
        try withStore(
            """
            Shelf:
              attributes: { name: String }
              relationships:
                books: { to: Book, many: true, inverse: shelf, delete: deny }
                boxes: { to: Box, many: true, inverse: shelf, delete: cascade }
            Box:
              relationships:
                shelf: { to: Shelf, inverse: boxes }
                books: { to: Book, many: true, inverse: box, delete: cascade }
            Book:
              attributes: { name: String }
              relationships:
                shelf: { to: Shelf, inverse: books }
                box: { to: Box, inverse: books }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 3, 1, 'a'), (2, 3, 1, 'b');
                INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT, ZSHELF) VALUES (1, 2, 1, 1), (2, 2, 1, 2);
                INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZSHELF, ZBOX) VALUES
                    (1, 1, 1, 1, 1), (2, 1, 1, 2, 2), (3, 1, 1, 2, NULL)
                """)
            let (result, _) = try run(store, "Shelf")
            #expect(
                result
                    == BatchDeleteResult(
                        matched: 2, deleted: 1, denied: 1,
                        denials: [.init(entityName: "Shelf", relationshipName: "books", count: 1)],
                        cascaded: ["Box": 1, "Book": 1], nullified: 0))
            try store.expect(
                "SELECT Z_PK FROM ZSHELF UNION ALL SELECT Z_PK FROM ZBOOK ORDER BY 1",
                ["2", "2", "3"])
        }
    }

    @Test func failsIfARequiredLinkWouldBeCleared() throws {
        try withStore(
            """
            A:
              attributes: { name: String }
              relationships: { bs: { to: B, many: true, inverse: a } }
            B: { relationships: { a: { to: A, inverse: bs, optional: false } } }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'x'), (2, 1, 1, 'y');
                INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 1)
                """)
            let context = store.container.newContext()
            let error = storeError { _ = try context.write(BatchDeleteRequest(entityName: "A")) }
            #expect(error?.code == .deleteRule)
            #expect(
                error?.message == "1 object of B would lose its required 'a' (object 1);"
                    + " delete it too, or make 'a' optional")
            #expect(!context.hasChanges)
            try store.expect("SELECT count(*) FROM ZA", ["2"])
            let (result, _) = try run(store, "A", "name == 'y'")
            #expect(result.deleted == 1)
        }
    }

    @Test func leavesDanglingKeysUnderNoAction() throws {
        try withStore(
            """
            A: { relationships: { bs: { to: B, many: true, inverse: a, delete: no action } } }
            B: { relationships: { a: { to: A, inverse: bs } } }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
                INSERT INTO ZB (Z_PK, Z_ENT, Z_OPT, ZA) VALUES (1, 2, 1, 1)
                """)
            let (result, change) = try run(store, "A")
            #expect(result.nullified == 0)
            #expect(change.updated.isEmpty)
            try store.expect("SELECT ZA, Z_OPT FROM ZB", ["1|1"])
            // A dangling key does not prevent a deletion.
            let (rest, _) = try run(store, "B", "a != nil")
            #expect(rest.deleted == 1)
        }
    }

    @Test func deletesOnlyObjectsOfItsEntityAndSubentities() throws {
        try withStore(
            """
            Base: { abstract: true, attributes: { name: String } }
            Left: { parent: Base }
            Right: { parent: Base }
            Righter: { parent: Right }
            """
        ) { store in
            try fill(
                store,
                """
                INSERT INTO ZBASE (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES
                    (1, 2, 1, 'a'), (2, 3, 1, 'a'), (3, 4, 1, 'a'), (4, 3, 1, 'b')
                """)
            let (result, change) = try run(store, "Right", "name == 'a'")
            #expect(result.matched == 2)
            #expect(names(change.deleted, in: store) == ["Right 2", "Righter 3"])
            try store.expect("SELECT Z_PK FROM ZBASE", ["1", "4"])
        }
    }

    @Test(
        "fails above its limit, a number of deleted objects or a percentage of the entity",
        arguments: [
            (ObjectLimit.count(0), false), (.count(3), false), (.count(4), true),
            (.percent(16.6), false), (.percent(16.7), true),
        ])
    func holdsToItsLimit(limit: ObjectLimit, isAllowed: Bool) throws {
        try withTree { store in
            let error = storeError {
                _ = try run(store, "Folder", "name == 'subsub'", limit: limit)
            }
            #expect(error?.code == (isAllowed ? nil : .tooMany))
            try store.expect("SELECT count(*) FROM ZFOLDER", [isAllowed ? "5" : "6"])
        }
    }

    @Test func deletesTwiceInOneContext() throws {
        try withTree { store in
            let context = store.container.newContext()
            for name in ["subsub", "ring"] {
                _ = try context.write(
                    BatchDeleteRequest(
                        entityName: "Folder",
                        predicate: try GraphPredicate(format: "name == %@", name)))
            }
            let change = try context.save().change
            #expect(
                names(change.deleted, in: store) == [
                    "File 1", "Folder 3", "Folder 5", "Folder 6", "Page 1", "Page 2",
                ])
        }
    }
}
