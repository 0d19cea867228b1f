import Foundation
import GraphModel
import GraphStore
import SQLite
import Synchronization
import Testing

@testable import Pipelines

@Suite("Queries") struct QueryTests {
    private let workspace: Workspace

    private static let model = """
        model: 1
        entities:
          Task:
            attributes:
              id:       { type: Integer 64, optional: false }
              title:    String
              priority: { type: Integer 16, optional: false, default: 0 }
              isDone:   { type: Boolean, optional: false, default: false }
              dueOn:    Date
              price:    Decimal
            relationships:
              owner: { to: Person, inverse: tasks }
              tags:  { to: Tag, many: true, inverse: tasks }
            unique: [[id]]
          Party:
            abstract: true
            attributes: { name: { type: String, optional: false } }
            unique: [[name]]
          Person:
            parent: Party
            relationships: { tasks: { to: Task, many: true, inverse: owner } }
          Team: { parent: Party }
          Tag:
            attributes: { name: { type: String, optional: false } }
            relationships: { tasks: { to: Task, many: true, inverse: tags } }
            unique: [[name]]
        """

    init() throws {
        workspace = try Workspace()
        try workspace.write(
            "tasks.ndjson",
            #"""
            {"id":1,"title":"Water the plants","priority":2,"dueOn":"2026-03-05","price":12.5,"owner":"anna","tags":["home","garden"]}
            {"id":2,"title":"nil","priority":0,"isDone":true,"owner":"bo","tags":[]}
            {"id":3,"title":null,"priority":1,"dueOn":"2026-02-01T10:00:00Z","price":1000}
            {"id":4,"title":"日本語 \u001b[31mred\nline","priority":1,"owner":"anna","tags":["🔥 hot"]}

            """#)
        try workspace.write("teams.ndjson", #"{"name":"red"}"# + "\n")
        let run = try workspace.run(
            model: Self.model,
            """
              - import: teams.ndjson
                into: Team
              - import: tasks.ndjson
                into: Task
                link:
                  owner: { to: Person, by: { name: owner }, missing: create }
                  tags: { by: { name: "tags[*]" }, missing: create }
            """)
        try #require(run.status == .ok, "\(run.text)")
    }

    /// Returns the output of a query and its messages.
    private func answer(
        _ entity: String? = nil, _ format: QueryFormat = .ndjson, isWatched: Bool = false,
        isTerminal: Bool = false, _ change: (inout Query) -> Void = { _ in }
    ) throws -> (text: String, outcome: QueryOutcome) {
        var query = Query(store: workspace.path("store.sqlite"), entity: entity, now: Workspace.now)
        change(&query)
        let output = workspace.path("answer-\(UUID().uuidString)")
        let outcome = QueryRunner(
            format: format, isTerminal: isTerminal, isWatched: isWatched, to: output
        ).run(query)
        let data = FileManager.default.contents(atPath: output) ?? Data()
        return (String(decoding: data, as: UTF8.self), outcome)
    }

    private func rows(
        _ entity: String? = nil, _ format: QueryFormat = .ndjson,
        _ change: (inout Query) -> Void = { _ in }
    ) throws -> String {
        let (text, outcome) = try answer(entity, format, change)
        try #require(outcome.status == .ok, "\(outcome.errors)")
        return text
    }

    private func table(_ width: Int = 80) -> QueryFormat { .table(TableStyle(width: width)) }

    // MARK: Entities

    @Test func listsEntitiesWithObjectCountsOfSubentities() throws {
        #expect(
            try rows(nil, table()) == """
                entity  objects  parent  abstract
                ------  -------  ------  --------
                Party         3  nil     true
                Person        2  Party   false
                Team          1  Party   false
                Tag           3  nil     false
                Task          4  nil     false

                """)
        #expect(
            try rows() == """
                {"entity":"Party","objects":3,"parent":null,"abstract":true}
                {"entity":"Person","objects":2,"parent":"Party","abstract":false}
                {"entity":"Team","objects":1,"parent":"Party","abstract":false}
                {"entity":"Tag","objects":3,"parent":null,"abstract":false}
                {"entity":"Task","objects":4,"parent":null,"abstract":false}

                """)
    }

    @Test func findsAnEntityByItsModelNameAndItsStoreName() throws {
        let connection = try Connection(path: workspace.path("store.sqlite"), mode: .readWrite)
        try connection.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Job' WHERE Z_NAME = 'Task'")
        #expect(try rows("Job") { $0.wanted = .count } == "4\n")
        #expect(try rows("Task") { $0.wanted = .count } == "4\n")
    }

    // MARK: Rows

    @Test func everyFormatShowsEveryKindOfValue() throws {
        #expect(
            try rows("Task", table(120)) == #"""
                id  title                       priority  isDone  dueOn                 price  owner.name
                --  --------------------------  --------  ------  --------------------  -----  ----------
                 1  Water the plants                   2  false   2026-03-05T00:00:00Z   12.5  anna
                 2  "nil"                              0  true    nil                     nil  bo
                 3  nil                                1  false   2026-02-01T10:00:00Z   1000  nil
                 4  日本語 \u{1B}[31mred\nline         1  false   nil                     nil  anna

                """#)
        #expect(
            try rows("Task") == #"""
                {"id":1,"dueOn":"2026-03-05T00:00:00Z","isDone":false,"price":12.5,"priority":2,"title":"Water the plants","owner.name":"anna","tags":["garden","home"]}
                {"id":2,"dueOn":null,"isDone":true,"price":null,"priority":0,"title":"nil","owner.name":"bo","tags":[]}
                {"id":3,"dueOn":"2026-02-01T10:00:00Z","isDone":false,"price":1000,"priority":1,"title":null,"owner.name":null,"tags":[]}
                {"id":4,"dueOn":null,"isDone":false,"price":null,"priority":1,"title":"日本語 \u001b[31mred\nline","owner.name":"anna","tags":["🔥 hot"]}

                """#)
        #expect(
            try rows("Task", .csv) { $0.predicate = "id < 3" } == """
                id,dueOn,isDone,price,priority,title,owner.name
                1,2026-03-05T00:00:00Z,false,12.5,2,Water the plants,anna
                2,,true,,0,nil,bo

                """)
    }

    @Test func tableTruncatesOrOmitsColumnsThatDoNotFit() throws {
        #expect(
            try rows("Task", table(40)) == #"""
                id  title            priority  isDone  …
                --  ---------------  --------  ------  -
                 1  Water the plan…         2  false
                 2  "nil"                   0  true
                 3  nil                     1  false
                 4  日本語 \u{1B}[…         1  false

                """#)
    }

    @Test func appliesFieldsOrderLimitAndOffset() throws {
        #expect(
            try rows("Task", table()) {
                $0.fields = "id, owner.name,tags"
                $0.order = "-priority, id desc"
            } == """
                id  owner.name  tags
                --  ----------  ------------
                 1  anna        garden, home
                 4  anna        🔥 hot
                 3  nil
                 2  bo

                """)
        #expect(
            try rows("Task", .csv) {
                $0.fields = "id"
                $0.limit = 2
                $0.offset = 1
            } == "id\n2\n3\n")
        #expect(try rows("Task") { $0.limit = 0 } == "")
    }

    @Test func printsAtMostAHeaderIfNothingMatches() throws {
        let nothing: (inout Query) -> Void = {
            $0.predicate = "id == 9"
            $0.fields = "id,title"
        }
        #expect(try rows("Task", .ndjson, nothing) == "")
        #expect(try rows("Task", .csv, nothing) == "id,title\n")
        #expect(try rows("Task", table(), nothing) == "id  title\n--  -----\n")
        #expect(
            try rows("Task") {
                $0.predicate = "id == 9"; $0.wanted = .count
            } == "0\n")
    }

    @Test func printsAllColumnsInFullWithoutATerminal() throws {
        let names = ["id", "title", "priority", "isDone", "dueOn", "price", "owner.name"]
        let answer = try rows("Task", .table(TableStyle(width: nil))) {
            $0.fields = names.joined(separator: ",")
        }
        let header = answer.prefix { $0 != "\n" }.split(separator: " ").map(String.init)
        #expect(header == names)
        #expect(try #require(answer.split(separator: "\n").map(\.count).max()) > 80)
    }

    @Test func stylesTerminalOutputAndEscapesCodesInData() throws {
        let style = TableStyle(width: 80, isColored: true)
        #expect(
            try rows("Task", .table(style)) {
                $0.predicate = "id > 2"
                $0.fields = "id,title"
            } == """
                \u{1B}[1mid  title\u{1B}[0m
                --  --------------------------
                 3  \u{1B}[2mnil\u{1B}[0m
                 4  日本語 \\u{1B}[31mred\\nline

                """)
        let (csv, _) = try answer("Task", .csv, isTerminal: true) {
            $0.predicate = "id == 4"
            $0.fields = "title"
        }
        #expect(csv == "title\n\"日本語 \\u001b[31mred\nline\"\n")
    }

    @Test func notesTheTotalCountAndHiddenColumns() throws {
        func notes(_ limit: Int?, _ offset: Int, isWatched: Bool = true) throws -> [String] {
            try answer("Task", table(), isWatched: isWatched) {
                $0.fields = "id"
                $0.limit = limit
                $0.offset = offset
            }.outcome.notes
        }
        #expect(try notes(3, 0) == ["3 of 4 objects"])
        #expect(try notes(2, 1) == ["2 of 4 objects, after the first 1"])
        #expect(try notes(4, 0) == [])
        #expect(try notes(nil, 0) == [])
        #expect(try notes(3, 4) == ["No object after the first 4"])
        #expect(try notes(0, 0) == ["0 of 4 objects"])
        #expect(try notes(3, 0, isWatched: false) == [])
        let (_, none) = try answer("Task", table(30), isWatched: true) { $0.predicate = "id == 9" }
        #expect(none.notes == ["No object matches"])
        let (_, outcome) = try answer("Task", table(30), isWatched: true)
        #expect(
            outcome.notes == [
                "Not shown for lack of space: isDone, dueOn, price, owner.name; "
                    + "choose with --fields"
            ])
    }

    @Test func keepsTheLayoutForRowsAfterTheFirst200() throws {
        let lines = (10..<1_000).map {
            #"{"id":\#($0),"title":"\#(String(repeating: "x", count: $0 / 10))"}"#
        }
        let last = #"{"id":12345678,"title":"long"}"#
        try workspace.write("more.ndjson", (lines + [last, ""]).joined(separator: "\n"))
        let run = try workspace.run(
            model: Self.model, "  - import: more.ndjson\n    into: Task")
        #expect(run.status == .ok, "\(run.text)")
        let text = try rows("Task", table(60)) { $0.fields = "id,title" }
        let shown = text.split(separator: "\n")
        #expect(shown.count == 2 + 995)
        #expect(shown.allSatisfy { DisplayWidth.columns(String($0)) <= 60 })
        // The first 200 rows determine the layout: the widest title has 26 columns, and the longest
        // number has three. Numbers are not truncated while there is space.
        #expect(
            shown.suffix(2) == [
                "   999  \(String(repeating: "x", count: 25))…", "12345678  long",
            ])
    }

    // MARK: Variables

    @Test(arguments: [
        ("priority > $n", ["n=1"], "1\n"), ("title == $t", ["t=nil"], "2\n"),
        ("title == $t", ["t=5"], ""), ("isDone == $b", ["b=YES"], "2\n"),
        ("isDone == $b AND id > $n", ["b=0", "n=2"], "3\n4\n"),
        ("dueOn < $d", ["d=2026-03-01"], "3\n"), ("dueOn < $d", ["d=today - 2d"], "3\n"),
        ("dueOn > $today", [], "1\n"), ("price < $p", ["p=12.75"], "1\n"),
        ("priority > $n", ["n=1"], "1\n"), ("priority IN $n", ["n=3", "n=1"], "3\n4\n"),
        ("title == $t", ["t=a=b"], ""),
    ])
    func convertsAVariableToTheTypeItIsComparedWith(
        predicate: String, sets: [String], expected: String
    ) throws {
        let text = try rows("Task", .csv) {
            $0.predicate = predicate
            $0.sets = sets
            $0.fields = "id"
        }
        #expect(text == "id\n" + expected)
    }

    // MARK: Mistakes

    private struct Mistake: CustomTestStringConvertible, Sendable {
        var entity: String? = "Task"
        var predicate: String?
        var order: String?
        var fields: String?
        var sets: [String] = []
        var text: String

        var testDescription: String { text }
    }

    private static let mistakes = [
        Mistake(
            entity: "Tsak",
            text: """
                ENTITY: error: The store has no entity 'Tsak'. Did you mean 'Task'? \
                [query.unknown-entity]
                  fix: `etl fetch STORE` lists the entities of a store
                """),
        Mistake(
            predicate: "isDone == YES AND titel == 'x'",
            text: """
                --where: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [predicate.unknown-key]
                  isDone == YES AND titel == 'x'
                                    ^
                """),
        Mistake(
            predicate: "title == 'x",
            text: """
                --where: error: The quoted text is not closed [predicate.syntax]
                  title == 'x
                           ^
                """),
        Mistake(
            predicate: "priority == $n",
            text: """
                --where: error: The variable '$n' has no value [predicate.variable]
                  priority == $n
                              ^
                  fix: give it one by `--set name=value`
                """),
        Mistake(
            predicate: "priority == $n", sets: ["n=high"],
            text: """
                --where: error: A number cannot be compared with text ("high") [predicate.type]
                  priority == $n
                              ^
                """),
        Mistake(
            predicate: "priority == $number", sets: ["nmber=1"],
            text: """
                --set: error: The predicate has no variable '$nmber'. Did you mean 'number'? \
                [query.unused-variable]
                """),
        Mistake(
            predicate: "priority == $n", sets: ["=1"],
            text: "--set: error: A name=value is needed, not '=1' [query.set]"),
        Mistake(
            order: "title, tags.name",
            text: """
                --sort: error: 'Task.tags' leads to many objects in 'tags.name' [query.path]
                  title, tags.name
                         ^
                  fix: order by attributes and to-one relationships
                """),
        Mistake(
            order: "title upward",
            text: """
                --sort: error: 'asc', 'desc', 'nocase', 'localized', 'nulls', or a comma belongs \
                here [predicate.syntax]
                  title upward
                        ^
                """),
        Mistake(
            fields: "id, titel",
            text: """
                --fields: error: 'Task' has no property 'titel'. Did you mean 'title'? \
                [query.unknown-property]
                  id, titel
                      ^
                """),
        Mistake(
            fields: "id,id",
            text: """
                --fields: error: 'id' is already listed [query.duplicate-field]
                  id,id
                     ^
                """),
        Mistake(
            fields: "id,",
            text: """
                --fields: error: The path '' has an empty step [query.unknown-property]
                  id,
                     ^
                """),
    ]

    @Test(arguments: mistakes)
    private func aMistakeIsShownAtItsPlace(mistake: Mistake) throws {
        let (text, outcome) = try answer(mistake.entity) {
            $0.predicate = mistake.predicate
            $0.order = mistake.order
            $0.fields = mistake.fields
            $0.sets = mistake.sets
        }
        #expect(outcome.status == .usage)
        #expect(outcome.errors == [mistake.text])
        #expect(text.isEmpty)
    }

    // MARK: Beside a writer

    @Test func readsEachSaveCompletelyOrNotAtAll() throws {
        let writer = try EndlessWriter(storeAt: workspace.path("store.sqlite"))
        let before = try rows("Task", .csv) { $0.fields = "priority" }
        #expect(before == "priority\n2\n0\n1\n1\n")
        writer.start()
        var seen: Set<String> = []
        while seen.count < 20, !writer.hasFailed {
            let text = try rows("Task", .csv) { $0.fields = "priority" }
            let values = text.split(separator: "\n").dropFirst()
            if text != before { #expect(values.count == 4 && Set(values).count == 1, "\(text)") }
            seen.insert(text)
        }
        writer.cancel()
        writer.done.wait()
        #expect(writer.failure.withLock { $0 } == nil)
        #expect(seen.count == 20)
    }
}

/// A writer that saves repeatedly, each time in two steps, until it is canceled.
private final class EndlessWriter: Sendable {
    private let container: PersistentContainer
    private let isCancelled = Atomic<Bool>(false)
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<String?>(nil)

    init(storeAt path: String) throws {
        container = try PersistentContainer(model: nil, at: path)
    }

    func start() {
        Thread.detachNewThread { [self] in work() }
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
    }

    var hasFailed: Bool { failure.withLock { $0 != nil } }

    private func work() {
        defer { done.signal() }
        do {
            var round = 0
            while !isCancelled.load(ordering: .relaxed) {
                round += 1
                try save(priority: round % 1_000)
            }
        } catch {
            failure.withLock { $0 = "\(error)" }
        }
    }

    private func save(priority: Int) throws {
        try container.newBackgroundContext().performAndWait { context in
            for half in ["id <= 2", "id > 2"] {
                _ = try context.write(
                    BatchUpdateRequest(
                        entityName: "Task", predicate: try GraphPredicate(format: half),
                        propertiesToUpdate: [
                            "priority": try GraphExpression(format: "\(priority)")
                        ]))
            }
            try context.save()
        }
    }
}
