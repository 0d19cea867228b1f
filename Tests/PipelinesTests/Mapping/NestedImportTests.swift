import Testing

@testable import Pipelines

/// Objects nested in records: links with `each`.
@Suite("Nested objects")
struct NestedImportTests {
    static let model = """
        model: 1
        entities:
          Order:
            attributes: { no: { type: String, optional: false }, note: String }
            relationships:
              lines: { to: Line, many: true, inverse: order }
              address: { to: Address, inverse: orders }
            unique: [[no]]
          Line:
            attributes:
              sku: { type: String, optional: false }
              count: { type: Integer 16, default: 1 }
              price: { type: Double, optional: false }
              code: Integer 16
            relationships:
              order: { to: Order, inverse: lines }
              parts: { to: Part, many: true, inverse: lines }
              maker: { to: Maker, inverse: lines }
            unique: [[sku], [code]]
          Part:
            attributes: { name: { type: String, optional: false }, weight: Double }
            relationships: { lines: { to: Line, many: true, inverse: parts } }
            unique: [[name]]
          Maker:
            attributes: { name: { type: String, optional: false } }
            relationships: { lines: { to: Line, many: true, inverse: maker } }
            unique: [[name]]
          Address:
            attributes: { street: { type: String, optional: false }, zip: Integer 32 }
            relationships: { orders: { to: Order, many: true, inverse: address } }
            unique: [[street]]
        """
    static let stage = """
        - import: orders.ndjson
          into: Order
          key: no
          link:
            address: { each: address, key: street }
            lines:
              each: "items[*]"
              into: Line
              key: sku
              many: MANY
              set: { count: n, price: { from: price.net, need: true } }
              link:
                parts: { each: "parts[*]" }
                maker: { by: { name: maker }, missing: create }
        """

    private func run(
        _ folder: Workspace, _ lines: String, many: String = "replace", allow: String = "0",
        top: String = ""
    ) throws -> Run {
        try folder.write("orders.ndjson", lines)
        return try folder.run(
            model: Self.model, Self.stage.replacing("MANY", with: many),
            top: "rejects: { allow: \(allow) }\n\(top)")
    }

    /// Returns each order with its address, and each line with its order, parts, and maker.
    static func graph(_ folder: Workspace) throws -> [String] {
        let join = try folder.rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")[0]
        let columns = try folder.rows("SELECT name FROM pragma_table_info('\(join)') ORDER BY cid")
        let line = columns.first { $0.contains("LINES") } ?? ""
        let part = columns.first { $0.contains("PARTS") } ?? ""
        return try folder.rows(
            """
            SELECT o.ZNO, coalesce(a.ZSTREET || ' ' || coalesce(a.ZZIP, '-'), '-') FROM ZORDER o
            LEFT JOIN ZADDRESS a ON a.Z_PK = o.ZADDRESS ORDER BY 1
            """)
            + folder.rows(
                """
                SELECT l.ZSKU, l.ZCOUNT, l.ZPRICE, coalesce(o.ZNO, '-'), coalesce(m.ZNAME, '-'),
                    coalesce((SELECT group_concat(n, ',') FROM (
                        SELECT p.ZNAME || coalesce(p.ZWEIGHT, '') AS n FROM ZPART p
                        JOIN \(join) j ON j.\(part) = p.Z_PK
                        WHERE j.\(line) = l.Z_PK ORDER BY n)), '-')
                FROM ZLINE l LEFT JOIN ZORDER o ON o.Z_PK = l.ZORDER
                LEFT JOIN ZMAKER m ON m.Z_PK = l.ZMAKER ORDER BY 1
                """)
    }

    static let lines = #"""
        {"no":"1","address":{"street":"A 1","zip":10},"items":[{"sku":"x","n":2,"price":{"net":1.5},"maker":"M","parts":[{"name":"p\u0031","weight":3},{"name":"q"}]},{"sku":"y","price":{"net":2}}]}
        {"no":"2","address":{"street":"A 1"},"items":[]}
        {"no":"3","items":{"sku":"z","price":{"net":4},"parts":[{"name":"q","weight":7}]}}
        {"no":"4","address":null,"items":null}
        """#

    @Test("nested objects become objects at every level, and a second run changes nothing")
    func levels() throws {
        let folder = try Workspace()
        let run = try run(folder, Self.lines)
        #expect(run.text == "")
        #expect(
            run.lines == [
                "import import-orders: 4 read, 4 inserted, 1 link target created; "
                    + "Address: 1 inserted; Line: 3 inserted; Part: 2 inserted"
            ])
        let graph = [
            "1|A 1 10", "2|A 1 10", "3|-", "4|-", "x|2|1.5|1|M|p13.0,q7.0", "y|1|2.0|1|-|-",
            "z|1|4.0|3|-|q7.0",
        ]
        #expect(try Self.graph(folder) == graph)
        #expect(
            run.outcome.stages[0].objects.map { "\($0.entity) \($0.inserted)+\($0.updated)" }
                .sorted() == ["Address 1+0", "Line 3+0", "Maker 1+0", "Order 4+0", "Part 2+0"])
        let again = try self.run(folder, Self.lines)
        #expect(again.lines == ["import import-orders: 4 read, 4 unchanged"])
        #expect(
            again.outcome.stages[0].objects.filter { $0.inserted + $0.updated > 0 }
                .map { "\($0.entity) \($0.updated)" } == [])
        #expect(try Self.graph(folder) == graph)
    }

    @Test("a key that occurs twice in a record is one object, and a second run changes nothing")
    func repeatedKey() throws {
        let folder = try Workspace()
        let lines = #"""
            {"no":"1","items":[{"sku":"x","n":2,"price":{"net":1}},{"sku":"y","price":{"net":2}},{"sku":"x","price":{"net":3}}]}
            """#
        #expect(try run(folder, lines).text == "")
        // The last value of each field wins.
        let rows = "SELECT ZSKU, ZPRICE, ZCOUNT, Z_OPT FROM ZLINE ORDER BY 1"
        #expect(try Self.lineRows(folder) == ["x|2|3.0|1", "y|1|2.0|1"])
        let before = try folder.rows(rows)
        #expect(before == ["x|3.0|2|1", "y|2.0|1|1"])
        let again = try run(folder, lines)
        #expect(
            again.lines == ["import import-orders: 1 read, 1 unchanged, 1 nested object superseded"]
        )
        #expect(again.outcome.stages[0].objects.filter { $0.inserted + $0.updated > 0 } == [])
        #expect(try folder.rows(rows) == before)
    }

    private static func lineRows(_ folder: Workspace) throws -> [String] {
        try folder.rows(
            "SELECT l.ZSKU, l.ZCOUNT, l.ZPRICE, o.ZNO FROM ZLINE l JOIN ZORDER o"
                + " ON o.Z_PK = l.ZORDER ORDER BY 1")
    }

    @Test("replaces lists or adds to them", arguments: ["replace", "add"])
    func many(_ policy: String) throws {
        let folder = try Workspace()
        _ = try run(folder, Self.lines)
        let run = try run(
            folder,
            #"""
            {"no":"1","items":[{"sku":"y","price":{"net":9}},{"sku":"z","price":{"net":4}}]}
            {"no":"3","items":[]}
            """#, many: policy)
        #expect(run.text == "")
        let replaced = policy == "replace"
        #expect(
            try Self.graph(folder).suffix(3) == [
                "x|2|1.5|\(replaced ? "-" : "1")|M|p13.0,q7.0", "y|1|9.0|1|-|-",
                "z|1|4.0|1|-|q7.0",
            ])
        #expect(try folder.rows("SELECT count(*) FROM ZLINE") == ["3"])
    }

    static let bad = #"""
        {"no":"1","items":[{"sku":"a","price":{"net":1}},{"sku":"b","n":"x","price":{"net":1}}]}
        {"no":"2","items":[{"sku":"c","price":{}}]}
        {"no":"3","items":[{"sku":null,"price":{"net":1}}]}
        {"no":"4","items":[7]}
        {"no":"5","address":"Home","items":[]}
        {"no":"6","items":[{"sku":"d","price":{"net":1},"parts":[{"name":"r"},{"weight":1}]}]}
        {"no":"7","items":[{"sku":"e","price":{"net":1},"maker":"N","code":5},{"sku":"f","price":{"net":1},"code":5}]}
        {"no":"8","items":[{"sku":"g","price":{"net":1},"code":5}]}
        """#

    @Test("an error in a nested object rejects the complete record, with its position")
    func rejects() throws {
        let folder = try Workspace()
        let run = try run(folder, Self.bad, allow: "100%")
        #expect(
            run.lines == ["import import-orders: 8 read, 1 inserted, 7 rejected; Line: 1 inserted"])
        #expect(
            try folder.reasons() == [
                "cast items[1].n: 'count' takes a whole number that fits Integer 16, not 'x'",
                "required items[0].price.net: The record has no 'price.net'",
                "key items[0].sku: 'sku' is part of the key, and the record has null for it",
                "shape items[0]: 'items[0]' is not an object, but 7",
                "shape address: 'address' is not an object, but 'Home'",
                "key items[0].parts[1].name: The record has no 'name'",
                "unique items[1].code: Another Line has code 5",
            ])
        // Nothing that preceded the bad value in its record is saved.
        #expect(try Self.graph(folder) == ["8|-", "g|1|1.0|8|-|-"])
        #expect(try folder.rows("SELECT count(*) FROM ZPART") == ["0"])
        #expect(try folder.rows("SELECT count(*) FROM ZMAKER") == ["0"])
        #expect(
            run.outcome.stages[0].objects.filter { $0.inserted + $0.updated + $0.deleted > 0 }
                .map { "\($0.entity) \($0.inserted)+\($0.updated)+\($0.deleted)" }.sorted()
                == ["Line 1+0+0", "Order 1+0+0"])
        let places = try folder.rejects()["import-orders.orders.ndjson.why.ndjson"]?
            .split(separator: "\n").prefix(2).map { line in
                line.split(separator: ",").filter {
                    $0.hasPrefix("\"byte\"") || $0.hasPrefix("{\"byte\"")
                        || $0.hasPrefix("\"column\"") || $0.hasPrefix("\"value\"")
                }.joined(separator: ",")
            }
        #expect(
            places == [
                "{\"byte\":65,\"column\":66,\"value\":\"x\"}",
                "{\"byte\":108,\"column\":20,\"value\":null}",
            ])
    }

    @Test("a deferred record keeps its nested objects if it is resolved, and drops them if not")
    func parked() throws {
        let model = """
            model: 1
            entities:
              Task:
                attributes: { id: { type: String, optional: false } }
                relationships:
                  parent: { to: Task, inverse: children }
                  children: { to: Task, many: true, inverse: parent }
                  notes: { to: Note, many: true, inverse: task }
                unique: [[id]]
              Note:
                attributes: { text: { type: String, optional: false } }
                relationships: { task: { to: Task, inverse: notes, optional: false } }
                unique: [[text]]
            """
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            #"""
            {"id":"1","parent":"2","notes":[{"text":"a"},{"text":"b"}]}
            {"id":"2","parent":"3","notes":[{"text":"c"}]}
            {"id":"4","parent":"9","notes":[{"text":"d"}]}
            {"id":"3","parent":"1"}
            """#)
        let run = try folder.run(
            model: model,
            """
            - import: tasks.ndjson
              into: Task
              link:
                parent: { by: { id: parent } }
                notes: { each: "notes[*]", many: add }
            """, top: "rejects: { allow: 1 }\nbudget: { save-every: 1 }")
        #expect(run.text == "")
        #expect(
            run.lines == ["import import-tasks: 4 read, 3 inserted, 1 rejected; Note: 3 inserted"])
        #expect(
            try folder.rows(
                """
                SELECT t.ZID, p.ZID, coalesce((SELECT group_concat(n.ZTEXT) FROM
                    (SELECT * FROM ZNOTE ORDER BY ZTEXT) n WHERE n.ZTASK = t.Z_PK), '-')
                FROM ZTASK t JOIN ZTASK p ON p.Z_PK = t.ZPARENT ORDER BY t.ZID
                """) == ["1|2|a,b", "2|3|c", "3|1|-"])
        #expect(try folder.rows("SELECT count(*) FROM ZNOTE") == ["3"])
    }

    @Test("imports a tree of one entity from one record")
    func tree() throws {
        let folder = try Workspace()
        try folder.write(
            "tasks.ndjson",
            #"""
            {"id":"1","kids":[{"id":"2","kids":[{"id":"3"}]},{"id":"4"}]}
            {"id":"3","kids":[{"id":"5"}]}
            {"id":"5"}
            """#)
        let run = try folder.run(
            model: LinkTests.model,
            """
            - import: tasks.ndjson
              into: Task
              link:
                children:
                  each: "kids[*]"
                  link: { children: { each: "kids[*]" } }
            """)
        #expect(run.text == "")
        #expect(
            try LinkTests.graph(folder) == [
                "1|-|-|-", "2|-|1|-", "3|-|2|-", "4|-|1|-", "5|-|3|-",
            ])
        // The two objects that the first record created have their own records later.
        #expect(
            run.lines == [
                "import import-tasks: 3 read, 1 inserted, 1 updated, 1 unchanged; Task: 4 inserted"
            ])
    }

    @Test("check reports invalid uses of `each`")
    func lints() {
        #expect(
            SpecificationTesting.stageProblems(
                """
                  - import: a.ndjson
                    into: Person
                    key: email
                    link:
                      tasks:
                        each: "items[*].tasks[*]"
                  - import: b.csv
                    into: Person
                    key: email
                    link:
                      tasks: { each: items, into: Task, by: { id: x }, set: { titel: t } }
                  - import: c.ndjson
                    into: Tag
                    link:
                      tasks: { to: Task, key: id }
                  - import: d.ndjson
                    into: Task
                    link:
                      tags: { each: "tags[*]", many: remove, key: nam }
                      owner: { each: "owner[*]" }
                """) == """
                    a.yaml:7:9: error: `many: replace` would clear 'Task.owner' of objects \
                    that the record no longer has, and it is not optional [spec.rule]
                      in: stages[0].link.tasks
                      fix: set `many: add`, or make 'owner' optional
                    a.yaml:7:15: error: 'items[*].tasks[*]' leads through a list in a list \
                    [spec.path]
                      in: stages[0].link.tasks.each
                      fix: take one list at a time, and put the other `each` under its `link`
                    a.yaml:12:14: error: `many: replace` would clear 'Task.owner' of objects \
                    that the record no longer has, and it is not optional [spec.rule]
                      in: stages[1].link.tasks
                      fix: set `many: add`, or make 'owner' optional
                    a.yaml:12:22: error: 'tasks' leads to many objects, and 'items' to one \
                    value [spec.rule]
                      in: stages[1].link.tasks.each
                      fix: name the items: 'items[*]'
                    a.yaml:12:22: error: 'each' is for json and ndjson, and the files are csv \
                    [spec.rule]
                      in: stages[1].link.tasks.each
                    a.yaml:12:45: error: 'by' is about looking an object up, and 'each' makes \
                    it of the record [spec.rule]
                      in: stages[1].link.tasks.by
                      fix: remove it
                    a.yaml:12:63: error: 'Task' has no attribute 'titel'. Did you mean \
                    'title'? [spec.unknown-attribute]
                      in: stages[1].link.tasks.set.titel
                    a.yaml:16:14: error: The key 'by' is missing [spec.missing-key]
                      in: stages[2].link.tasks
                    a.yaml:16:31: error: 'key' is about objects inside the record [spec.rule]
                      in: stages[2].link.tasks.key
                      fix: name them: `each: "items[*]"`
                    a.yaml:20:13: error: 'each' creates objects and links them, but `many: \
                    remove` removes links [spec.rule]
                      in: stages[3].link.tags
                      fix: use replace or add
                    a.yaml:20:51: error: 'Tag' has no attribute 'nam'. Did you mean 'name'? \
                    [spec.unknown-attribute]
                      in: stages[3].link.tags.key
                    a.yaml:21:22: error: 'owner' leads to one object, and 'owner[*]' to many \
                    [spec.rule]
                      in: stages[3].link.owner.each
                    a.yaml:21:22: error: 'Person' has several uniqueness constraints \
                    [spec.no-key]
                      in: stages[3].link.owner.each
                      fix: add `key:` with [email] or [name, nick]
                    """)
    }
}
