import Foundation
import Testing

@Suite("etl fetch explains and sorts") struct FetchOrderTests {
    private let folder: FailureFolder

    init() throws {
        folder = try FailureFolder()
        try folder.write(
            "tasks.ndjson",
            """
            {"id":1,"title":"file 10","size":3,"owner":"ann","tags":["a"]}
            {"id":2,"title":"File 9","size":1,"owner":"bob","tags":["a","b"]}
            {"id":3,"title":"éclair","size":2,"tags":[]}
            {"id":4,"title":"Zebra","size":1,"owner":"ann","tags":["b"]}
            {"id":5,"title":null,"size":2,"tags":[]}
            {"id":6,"title":"eclipse","size":null,"tags":[]}

            """)
        let run = try folder.run()
        #expect(run.status == 0, "\(run.errors)")
    }

    private func fetch(_ arguments: String) throws -> FailureFolder.Result {
        try folder.shell("exec \"$E\" fetch store.sqlite Task \(arguments)")
    }

    // MARK: Explanations

    @Test(
        "--explain reports the access path, a helpful index, and the plan of SQLite",
        arguments: [
            (
                "--where 'size == 2' --fields id",
                """
                uses index Z_Task_size for size == 2
                sorts the result because no index gives that order

                SELECT t.Z_PK, t.ZID FROM ZTASK t WHERE (t.ZSIZE IS ?) ORDER BY t.ZID, t.Z_PK
                  SEARCH t USING INDEX Z_Task_size (ZSIZE=?)
                  USE TEMP B-TREE FOR ORDER BY

                """
            ),
            (
                "--where \"title BEGINSWITH 'f'\" --fields id,owner.name --limit 3",
                """
                walks through all 6 Task objects in the order of index Z_Task_UNIQUE_id
                looks up owner (Person) by its key
                  fix: an index on Task.title would serve it

                SELECT t.Z_PK, t.ZID, j1.ZNAME FROM ZTASK t LEFT JOIN ZPERSON j1 ON j1.Z_PK = t.ZOWNER \
                WHERE (t.ZTITLE >= ? AND t.ZTITLE < ?) ORDER BY t.ZID, t.Z_PK LIMIT ? OFFSET ?
                  SCAN t USING INDEX Z_Task_UNIQUE_id
                  SEARCH j1 USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN

                """
            ),
            (
                "--where \"ANY tags.name == 'a'\" --fields id,tags",
                """
                finds Task objects by their keys
                once, looks up tags (Tag) by index Z_Tag_UNIQUE_name
                once, looks up the links of tags by index sqlite_autoindex_Z_2TASKS_1
                sorts the result because no index gives that order

                SELECT t.Z_PK, t.ZID FROM ZTASK t WHERE (t.Z_PK IN (SELECT e1.Z_3TASKS FROM Z_2TASKS e1 \
                JOIN ZTAG e1d ON e1d.Z_PK = e1.Z_2TAGS WHERE e1.Z_3TASKS IS NOT NULL AND \
                (e1d.ZNAME IS ?))) ORDER BY t.ZID, t.Z_PK
                  SEARCH t USING INTEGER PRIMARY KEY (rowid=?)
                  LIST SUBQUERY 1
                    SEARCH e1d USING COVERING INDEX Z_Tag_UNIQUE_name (ZNAME=?)
                    SEARCH e1 USING COVERING INDEX sqlite_autoindex_Z_2TASKS_1 (Z_2TAGS=? AND Z_3TASKS>?)
                  USE TEMP B-TREE FOR ORDER BY

                """
            ),
            (
                "--sort title --fields id",
                """
                scans all 6 Task objects
                sorts the result because no index gives that order
                  fix: an index on Task.title would give the order

                SELECT t.Z_PK, t.ZID FROM ZTASK t ORDER BY t.ZTITLE, t.ZID, t.Z_PK
                  SCAN t
                  USE TEMP B-TREE FOR ORDER BY

                """
            ),
            (
                "--where 'size > 1 AND title != nil' --count",
                """
                uses index Z_Task_size for size > 1

                SELECT count(*) FROM ZTASK t WHERE ((t.ZSIZE > ?) AND (t.ZTITLE IS NOT ?))
                  SEARCH t USING INDEX Z_Task_size (ZSIZE>?)

                """
            ),
        ])
    func explanation(arguments: String, text: String) throws {
        let result = try fetch(arguments + " --explain")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output == text)
    }

    @Test func explainReportsQueryErrors() throws {
        let result = try fetch("--explain --sort titel")
        #expect(result.status == 64)
        #expect(
            result.errors == """
                --sort: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [query.unknown-property]
                  titel
                  ^

                """)
        #expect(try fetch("--explain --format csv").status == 64)
        #expect(try folder.shell("exec \"$E\" fetch store.sqlite --explain").status == 64)
    }

    // MARK: Orders

    @Test(arguments: [
        ("title", "5 2 4 6 1 3"), ("title nocase", "5 6 1 2 4 3"),
        ("title [c]", "5 6 1 2 4 3"), ("title [cd]", "5 3 6 1 2 4"),
        ("title localized", "5 3 6 2 1 4"), ("title localized desc", "4 1 2 6 3 5"),
        ("title nulls last", "2 4 6 1 3 5"), ("title desc nulls first", "5 3 1 6 4 2"),
        ("-size, title nocase", "1 5 3 2 4 6"), ("size nulls last, id desc", "4 2 5 3 1 6"),
        ("owner.name nulls last, title", "4 1 2 5 6 3"), ("objectID desc", "6 5 4 3 2 1"),
    ])
    func order(keys: String, ids: String) throws {
        let result = try fetch("--fields id --format csv --sort '\(keys)'")
        #expect(result.errors == "")
        #expect(
            result.output.split(separator: "\n").dropFirst().joined(separator: " ") == ids)
    }
}
