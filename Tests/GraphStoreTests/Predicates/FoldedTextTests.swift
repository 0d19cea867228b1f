import GraphModel
import SQLite
import Testing

@testable import GraphStore

private func entities(searchable: String) -> String {
    """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: { type: String\(searchable) }
        notes: String
      relationships:
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent, delete: cascade }
      unique: [[id]]
    Errand: { parent: Task, attributes: { place: { type: String\(searchable) } } }
    """
}

private let searchable = entities(searchable: ", searchable: true")
private let plan = BulkPlan(
    entity: "Task", key: ["id"], attributes: ["id", "title"],
    links: [.init(relationship: "parent", destination: "Task", attribute: "id")])
private let folded = "SELECT Z_PK, ZTITLE, C_ZTITLE, ZPLACE FROM ETL_FOLD_TASK"
private let unfolded = "SELECT Z_PK FROM ETL_UNFOLDED_TASK"

extension TestStore {
    /// Returns the IDs that a request finds, ordered by key.
    fileprivate func find(
        _ format: String, variables: [String: GraphValue] = [:], entity: String = "Task"
    ) throws -> [Int64] {
        try ids(format, variables: variables, entity: entity, in: container)
    }
}

private func ids(
    _ format: String, variables: [String: GraphValue] = [:], entity: String = "Task",
    in container: PersistentContainer
) throws -> [Int64] {
    let cursor = try container.newContext().cursor(
        RowRequest(
            entityName: entity, predicate: try GraphPredicate(format: format),
            variables: variables, order: [GraphSortDescriptor(["id"])], fields: [["id"]]))
    return try cursor.integers()
}

@Suite("Case- and accent-folded text") struct FoldedTextTests {
    @Test func everyWriteUpdatesFoldedText() throws {
        try withStore(searchable) { store in
            let container = store.container
            try container.load(
                plan, [[1, "Café", nil], [2, "ABC", 1], [3, nil, 1], [4, "é", nil]])
            try store.expect(folded, ["1|cafe|café|-", "2|abc|-|-", "3|-|-|-", "4|e|é|-"])

            // An upsert that updates one object, inserts one, and leaves one unchanged.
            try container.load(plan, [[1, "Thé", nil], [5, "Neu", nil], [2, "ABC", 1]])
            try store.expect(
                folded, ["1|the|thé|-", "2|abc|-|-", "3|-|-|-", "4|e|é|-", "5|neu|-|-"])

            let context = container.newContext()
            _ = try context.execute(
                BatchUpdateRequest(
                    entityName: "Task", predicate: GraphPredicate(format: "id IN {3, 4}"),
                    propertiesToUpdate: ["title": .constant(.string("Ü"))]))
            try context.save()
            try store.expect(
                folded, ["1|the|thé|-", "2|abc|-|-", "3|u|ü|-", "4|u|ü|-", "5|neu|-|-"])

            // An object save that inserts, updates, and deletes one object each.
            let errand = try context.insert("Errand") as ManagedObject
            try errand.setValue(6, forKey: "id")
            try errand.setValue("Σ", forKey: "place")
            let tasks = try context.fetch(
                FetchRequest<ManagedObject>(
                    entityName: "Task", predicate: GraphPredicate(format: "id IN {4, 5}")))
            try tasks[0].setValue(nil, forKey: "title")
            context.delete(tasks[1])
            try context.save()
            try store.expect(
                folded, ["1|the|thé|-", "2|abc|-|-", "3|u|ü|-", "4|-|-|-", "6|-|-|σ"])

            // The first object's subtasks are deleted with it.
            _ = try context.execute(
                BatchDeleteRequest(
                    entityName: "Task", predicate: GraphPredicate(format: "title ==[cd] 'THE'")))
            try context.save()
            try store.expect(folded, ["4|-|-|-", "6|-|-|σ"])
            try store.expect(unfolded, [])
            #expect(try PersistentContainer.verify(at: store.path, .full).problems == [])

            try container.truncateAll()
            try store.expect(folded, [])
            try store.expect(unfolded, [])
        }
    }

    @Test func failedSaveKeepsFoldedText() throws {
        try withStore(searchable) { store in
            try store.container.load(plan, [[1, "A", nil], [2, "B", nil]])
            let context = store.container.newContext()
            let tasks = try context.fetch(FetchRequest<ManagedObject>(entityName: "Task"))
            try tasks[0].setValue("X", forKey: "title")
            try tasks[1].setValue(1, forKey: "id")
            #expect(throws: (any Error).self) { try context.save() }
            try store.expect(folded, ["1|a|-|-", "2|b|-|-"])
            try store.expect(unfolded, [])
        }
    }

    @Test func findsTextThatAnotherProgramWrote() throws {
        try withStore(searchable) { store in
            try store.container.load(plan, [[1, "Café", nil], [2, "abc", nil], [3, "x", nil]])
            let other = try store.foreign()
            try other.execute(
                """
                INSERT INTO ZTASK (Z_PK, Z_ENT, Z_OPT, ZID, ZTITLE) VALUES (9, 1, 1, 9, 'CAFÉ');
                UPDATE ZTASK SET ZTITLE = 'CAFE' WHERE Z_PK = 2;
                UPDATE ZTASK SET ZTITLE = 'X' WHERE Z_PK = 1;
                DELETE FROM ZTASK WHERE Z_PK = 3;
                UPDATE Z_PRIMARYKEY SET Z_MAX = 9
                """)
            try store.expect(folded, ["1|cafe|café|-", "2|abc|-|-"])
            try store.expect(unfolded, ["1", "2", "9"])
            #expect(try store.find("title ==[cd] 'café'") == [2, 9])
            #expect(try store.find("title ==[c] 'café'") == [9])
            #expect(try store.find("title ==[cd] 'x'") == [1])
            #expect(try PersistentContainer.verify(at: store.path, .full).problems == [])
            // Our next save folds them.
            try store.container.load(plan, [[2, "Zuletzt", nil]])
            try store.expect(folded, ["1|x|-|-", "2|zuletzt|-|-", "9|cafe|café|-"])
            try store.expect(unfolded, [])
        }
    }

    @Test func findsUnfoldedTextBeforeALoadFinishes() throws {
        try withStore(searchable) { store in
            try store.container.load(
                plan, [[1, "Café", nil], [2, "CAFE", nil], [3, "y", nil]], saveEvery: 1,
                buildsIndexes: false)
            try store.expect(folded, [])
            try store.expect(unfolded, ["1", "2", "3"])
            #expect(try store.find("title BEGINSWITH[cd] 'CAF'") == [1, 2])
            // As after a kill: the next process that opens the store finishes the work.
            try store.foreign().execute(
                "UPDATE ETL_PENDING SET SQL = '-- 1 1 x 1 1:1' WHERE NAME = 'ETL_LOADER'")
            let next = try PersistentContainer(
                model: model(searchable), .sqlite(at: store.path, opening: .existing))
            #expect(try ids("title BEGINSWITH[cd] 'CAF'", in: next) == [1, 2])
            try store.expect(folded, ["1|cafe|café|-", "2|cafe|-|-", "3|y|-|-"])
            try store.expect(unfolded, [])
        }
    }

    @Test func addsFoldedTextToAnOlderStore() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s.sqlite")
        try PersistentContainer(
            model: model(entities(searchable: "")), .sqlite(at: path, opening: .create)
        ).load(plan, [[1, "Café", nil], [2, "y", nil]])
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try PersistentContainer(
            model: model(searchable), .sqlite(at: path, opening: .existing, options: options))
        #expect(try ids("title ==[cd] 'CAFÉ'", in: reading) == [1])
        let container = try PersistentContainer(
            model: model(searchable), .sqlite(at: path, opening: .existing))
        let reader = try container.newReader()
        #expect(try lines(folded, on: reader) == ["1|cafe|café|-", "2|y|-|-"])
        #expect(try ids("title ==[cd] 'CAFÉ'", in: container) == [1])
    }

    @Test func rebuildsFoldedTextIfATriggerIsMissing() throws {
        try withStore(searchable) { store in
            try store.container.load(plan, [[1, "Café", nil], [2, "y", nil]])
            let other = try store.foreign()
            try other.execute("DROP TRIGGER ETL_FOLD_TASK_UPDATE")
            try other.execute("UPDATE ZTASK SET ZTITLE = 'cafe' WHERE Z_PK = 2")
            let next = try PersistentContainer(
                model: model(searchable), .sqlite(at: store.path, opening: .existing))
            #expect(try ids("title ==[cd] 'CAFÉ'", in: next) == [1, 2])
            try store.expect(folded, ["1|cafe|café|-", "2|cafe|-|-"])
        }
    }

    @Test func verificationReportsWrongFoldedText() throws {
        try withStore(searchable) { store in
            try store.container.load(plan, [[1, "Café", nil], [2, "y", nil]])
            try store.foreign().execute("UPDATE ETL_FOLD_TASK SET ZTITLE = 'z' WHERE Z_PK = 1")
            let found = try PersistentContainer.verify(at: store.path, .full)
            #expect(
                found.problems == ["ETL_FOLD_TASK: 1 row is not the folded text of ZTASK"])
            try store.foreign().execute("DELETE FROM ETL_FOLD_TASK WHERE Z_PK = 1")
            #expect(
                try PersistentContainer.verify(at: store.path, .full).problems == found.problems)
        }
    }

    @Test("folded text is saved in JSON and binary stores", arguments: [true, false])
    func inImages(isJSON: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store")
        func open() throws -> PersistentContainer {
            try PersistentContainer(
                model: model(searchable),
                isJSON ? .json(at: path, opening: .create) : .binary(at: path, opening: .create))
        }
        try open().load(plan, [[1, "Café", nil], [2, "y", nil]])
        do {
            let container = try open()
            #expect(try lines(folded, on: container.newReader()) == ["1|cafe|café|-", "2|y|-|-"])
            try container.load(plan, [[2, "CAFE", nil]])
        }
        #expect(try ids("title ==[cd] 'CAFÉ'", in: open()) == [1, 2])
    }

    @Test(
        "queries match the evaluator for folded, partly folded, and unfolded text",
        arguments: [
            ("title ==[cd] 'CAFE'", [1, 2, 3]), ("title ==[c] 'CAFÉ'", [1, 3]),
            ("title ==[c] 'CAFE'", [2]), ("'cafe' ==[c] title", [2]),
            ("title !=[cd] 'cafe'", [4, 5, 6, 7, 8, 9]),
            ("NOT (title ==[cd] 'cafe')", [4, 5, 6, 7, 8, 9]),
            ("title BEGINSWITH[cd] 'CÁ'", [1, 2, 3, 4]),
            ("title BEGINSWITH[c] 'ca'", [1, 2, 3, 4]),
            ("title BEGINSWITH[c] 'CAFÉ'", [1, 3, 4]), ("title CONTAINS[cd] 'FE'", [1, 2, 3, 4]),
            ("title CONTAINS[c] 'FÉ B'", [4]), ("title ENDSWITH[cd] 'bär'", [4]),
            ("title CONTAINS[cd] ''", []), ("title LIKE[cd] 'c?f*r'", [4]),
            ("title LIKE[c] 'CAFÉ'", [1, 3]), ("title MATCHES[c] 'caf.'", [1, 2, 3]),
            ("title IN[cd] {'CAFE', 'x'}", [1, 2, 3]), ("title IN[c] {'CAFÉ', nil}", [1, 3, 9]),
            ("title IN[cd] {nil}", [9]), ("title BETWEEN[cd] {'CAFE', 'CAFF'}", [1, 2, 3, 4]),
            ("title <[cd] 'CB'", [1, 2, 3, 4]), ("title >=[c] 'ß'", [5, 6, 7, 8]),
            // Case folding turns a mark into a letter; [d] removes the mark.
            ("title ==[c] 'αι'", [7, 8]), ("title ==[cd] 'αι'", [8]),
            ("title ==[c] 'STRASSE'", [5]), ("title ==[cd] title", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("title ==[cd] nil", [9]), ("title ==[d] 'Cafe'", [1]),
            ("parent.title ==[cd] 'cafe'", [2, 3]),
            ("parent.title !=[cd] 'cafe'", [1, 4, 5, 6, 7, 8, 9]),
            ("ANY subtasks.title ==[cd] 'cafe'", [1]), ("subtasks.@count == 2", [1]),
            ("SUBQUERY(subtasks, $s, $s.title BEGINSWITH[cd] 'CAFE').@count == 2", [1]),
            ("title ==[cd] 'cafe' AND id > 1", [2, 3]),
            ("title ==[cd] 'cafe' OR id == 9", [1, 2, 3, 9]),
            ("title ==[cd] $text", [1, 2, 3]), ("title IN[cd] $many", [1, 2, 3]),
        ] as [(String, [Int64])])
    func compare(format: String, expected: [Int64]) throws {
        try withStore(searchable) { store in
            try store.container.load(
                plan,
                [
                    [1, "Café", nil], [2, "cafe", 1], [3, "CAFE\u{301}", 1], [4, "café bar", nil],
                    [5, "Straße", nil], [6, "ẞ", nil], [7, "α\u{345}", nil], [8, "ΑΙ", nil],
                    [9, nil, nil],
                ])
            let many = (0..<300).map { "'x\($0)'" }.joined(separator: ", ")
            let format = format.replacing("$many", with: "{\(many), 'CAFÉ'}")
            let text = ["text": GraphValue.string("CAFÉ")]
            #expect(try store.find(format, variables: text) == expected)
            try store.foreign().execute(
                "INSERT OR IGNORE INTO ETL_UNFOLDED_TASK SELECT Z_PK FROM ZTASK WHERE Z_PK % 2")
            #expect(try store.find(format, variables: text) == expected)
            try store.foreign().execute(
                "INSERT OR IGNORE INTO ETL_UNFOLDED_TASK SELECT Z_PK FROM ZTASK")
            #expect(try store.find(format, variables: text) == expected)
        }
    }

    @Test(
        "explanations mention lookups in folded text",
        arguments: [
            (
                "title ==[cd] 'x'",
                [
                    "finds Task objects by their keys",
                    "once, looks up the folded texts in ETL_FOLD_TASK by index ETL_FOLDED_TASK_ZTITLE",
                ]
            ),
            (
                "title BEGINSWITH[c] 'x'",
                [
                    "finds Task objects by their keys",
                    "once, looks up the folded texts in ETL_FOLD_TASK by index ETL_FOLDED_TASK_ZTITLE",
                ]
            ),
            (
                "title CONTAINS[cd] 'x'",
                [
                    "finds Task objects by their keys",
                    "once, walks through the folded texts in ETL_FOLD_TASK in the order of index"
                        + " ETL_FOLDED_TASK_ZTITLE",
                ]
            ),
        ] as [(String, [String])])
    func words(format: String, sentences: [String]) throws {
        try withStore(searchable) { store in
            try store.container.load(plan, (1...1200).map { [.integer($0), "t", nil] })
            let found = try store.container.newContext().explain(
                RowRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: format),
                    order: [GraphSortDescriptor(["objectID"])], fields: [["title"]]))
            #expect(found.sentences == sentences, "\(found.plan)")
            #expect(found.suggestions == [])
            #expect(found.scannedObjects == 0)
        }
    }
}
