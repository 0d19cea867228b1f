import GraphModel
import SQLite
import Testing

@testable import GraphStore

private let entities = """
    Task:
      attributes:
        id: { type: Integer 32, optional: false }
        title: String
        priority: Integer 16
        dueDate: Date
        isDone: Boolean
      relationships:
        parent: { to: Task, inverse: subtasks }
        subtasks: { to: Task, many: true, inverse: parent }
        whole: { to: Task, inverse: steps }
        steps: { to: Task, many: true, ordered: true, inverse: whole }
        tags: { to: Tag, many: true, inverse: tasks }
      unique: [[id]]
      indexes: { byPriority: [priority] }
    Tag:
      attributes: { name: { type: String, optional: false } }
      relationships: { tasks: { to: Task, many: true, inverse: tags } }
      unique: [[name]]
    """

@Suite("Request explanations") struct ExplanationTests {
    private func explained(
        _ format: String, order: [GraphSortDescriptor] = [GraphSortDescriptor(["objectID"])]
    ) throws -> RequestExplanation {
        let store = try TestStore(entities)
        try store.container.load(
            BulkPlan(entity: "Task", key: ["id"], attributes: ["id"]),
            (1...1200).map { [.integer($0)] })
        return try store.container.newContext().explain(
            RowRequest(
                entityName: "Task", predicate: try GraphPredicate(format: format), order: order,
                fields: [["title"]]))
    }

    @Test(
        "an explanation describes each step of the query and suggests indexes",
        arguments: [
            ("priority == 1", ["uses index Z_Task_priority for priority == 1"], []),
            (
                "dueDate < '2020-01-01T00:00:00Z' AND isDone == NO",
                ["scans all 1,200 Task objects"],
                ["an index on Task (isDone, dueDate) would serve it"]
            ),
            (
                "title CONTAINS[cd] 'x'",
                [
                    "scans all 1,200 Task objects",
                    "computes outside SQLite what no index can serve",
                ],
                ["`searchable: true` on Task.title would serve it"]
            ),
            (
                "title MATCHES 'a.*'",
                [
                    "scans all 1,200 Task objects",
                    "computes outside SQLite what no index can serve",
                ], []
            ),
            (
                "title BEGINSWITH 'x'", ["scans all 1,200 Task objects"],
                ["an index on Task.title would serve it"]
            ),
            (
                "'2020-01-01T00:00:00Z' > dueDate", ["scans all 1,200 Task objects"],
                ["an index on Task.dueDate would serve it"]
            ),
            (
                "title LIKE 'x*'", ["scans all 1,200 Task objects"],
                ["an index on Task.title would serve it"]
            ),
            (
                "title LIKE '*x'",
                [
                    "scans all 1,200 Task objects",
                    "computes outside SQLite what no index can serve",
                ], []
            ),
            (
                "parent.title == 'x'",
                ["scans all 1,200 Task objects", "looks up parent (Task) by its key"], []
            ),
            (
                "'x' == parent.title",
                ["scans all 1,200 Task objects", "looks up parent (Task) by its key"], []
            ),
            (
                "title ==[c] parent.title",
                [
                    "scans all 1,200 Task objects", "looks up parent (Task) by its key",
                    "computes outside SQLite what no index can serve",
                ], []
            ),
            (
                "priority == 1 OR id == 5",
                [
                    "searches once for each part of the OR",
                    "uses index Z_Task_priority for priority",
                    "uses index Z_Task_UNIQUE_id for id",
                    "sorts the result because no index gives that order",
                ], []
            ),
            (
                "SUBQUERY(subtasks, $s, $s.isDone == NO).@count > 1",
                [
                    "finds Task objects by their keys", "once, scans subtasks (Task)",
                    "once, gathers what belongs together by sorting",
                ], []
            ),
            (
                "ANY tags.name == 'x'",
                [
                    "finds Task objects by their keys",
                    "once, looks up tags (Tag) by index Z_Tag_UNIQUE_name",
                    "once, looks up the links of tags by index sqlite_autoindex_Z_1TASKS_1",
                ], []
            ),
            (
                "subtasks.@count > 0",
                [
                    "scans all 1,200 Task objects",
                    "for each Task looks up subtasks (Task) by index ZTASK_ZPARENT_INDEX",
                ], []
            ),
        ] as [(String, [String], [String])])
    func words(format: String, sentences: [String], suggestions: [String]) throws {
        let found = try explained(format)
        #expect(found.sentences == sentences, "\(found.plan)")
        #expect(found.suggestions == suggestions)
        #expect(found.scannedObjects == (sentences[0].hasPrefix("scans") ? 1200 : 0))
    }

    @Test(
        "an explanation suggests the order that uses an existing index, not the index",
        arguments: [["objectID"], ["id"]])
    func knowIndexes(_ order: [String]) throws {
        let found = try explained("priority > 0", order: [GraphSortDescriptor(order)])
        #expect(found.scannedObjects == 1200)
        #expect(
            found.suggestions == [
                "an order by priority would use index Z_Task_byPriority, which is there; in this"
                    + " order what it finds would have to be sorted"
            ])
        let other = try explained("priority > 0", order: [GraphSortDescriptor(["priority"])])
        #expect(
            other.sentences == [
                "uses index Z_Task_priority for priority > 0",
                "sorts what ties in the index's order",
            ])
        #expect(other.suggestions == [])
        // An index with other leading columns is a different index.
        #expect(
            try explained("title == 'x' AND priority > 0").suggestions == [
                "an index on Task (title, priority) would serve it"
            ])
    }

    @Test("an explanation names a list of values, a partial sort, and the removal of duplicates")
    func lists() throws {
        let numbers = (1...300).map(String.init).joined(separator: ", ")
        let list = try explained("priority IN {\(numbers)}")
        let first = try #require(list.sentences.first)
        #expect(first.hasPrefix("uses index Z_Task_priority for priority IN {1, 2, 3, "))
        #expect(
            Array(list.sentences.dropFirst()) == [
                "once, scans a list of values",
                "sorts the result because no index gives that order",
            ], "\(list.plan)")
        let ties = try explained(
            "priority > 0",
            order: [GraphSortDescriptor(["priority"]), GraphSortDescriptor(["title"])])
        #expect(ties.sentences.last == "sorts what ties in the index's order", "\(ties.plan)")
        let element = try explained("steps[FIRST].title == 'x'")
        #expect(
            element.sentences.contains("for each Task looks up Task objects by its key"),
            "\(element.plan)")
        let distinct = try explained("subtasks.@distinctUnionOfObjects.title[SIZE] > 1")
        #expect(distinct.sentences.last == "once, removes duplicates", "\(distinct.plan)")
    }

    @Test func reportsASortWithoutAnIndex() throws {
        let found = try explained("TRUEPREDICATE", order: [GraphSortDescriptor(["title"])])
        #expect(
            found.description == """
                scans all 1,200 Task objects
                sorts the result because no index gives that order
                fix: an index on Task.title would give the order
                """)
        #expect(found.plan == ["SCAN t", "USE TEMP B-TREE FOR ORDER BY"])
        #expect(
            found.sql == "SELECT t.Z_PK, t.ZTITLE FROM ZTASK t WHERE 1 ORDER BY t.ZTITLE, t.ZID,"
                + " t.Z_PK")
        let indexed = try explained("TRUEPREDICATE", order: [GraphSortDescriptor(["id"])])
        #expect(
            indexed.sentences == [
                "walks through all 1,200 Task objects in the order of index Z_Task_UNIQUE_id"
            ])
    }
}
