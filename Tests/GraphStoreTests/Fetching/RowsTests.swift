import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Rows of values") struct RowsTests {
    /// Creates five tasks and a bug in two categories; one task is in no category.
    private func withTasks(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withObjects { store in
            let context = store.context()
            let home = context.insert(Category.self) { $0.name = "home" }
            let work = context.insert(Category.self) { $0.name = "work" }
            let rows: [(String, Int?, Category?)] = [
                ("a", 1, home), ("b", 2, work), ("c", 3, work), ("d", nil, work), ("e", 5, nil),
            ]
            for (title, number, category) in rows {
                context.insert(Todo.self) {
                    $0.title = title
                    $0.number = number
                    $0.category = category
                    $0.isDone = title == "a"
                }
            }
            context.insert(Bug.self) {
                $0.title = "f"
                $0.number = 6
                $0.category = home
            }
            try context.save()
            try body(store.context())
        }
    }

    private func lines(
        _ request: FetchRequest<Todo>, in context: ManagedObjectContext
    ) throws -> [String] {
        lines(try context.rows(request) as [Row])
    }

    private func lines(_ rows: [Row]) -> [String] {
        rows.map { row in
            row.values.map { value in
                switch value {
                case .null: "-"
                case .boolean(let flag): "\(flag)"
                case .integer(let number): "\(number)"
                case .double(let number): "\(number)"
                case .string(let text), .decimal(let text): text
                case .date(let seconds): "@\(seconds)"
                case .uuid, .binary: "bytes"
                case .object(let id): "\(id.entityNumber):\(id.primaryKey)"
                }
            }.joined(separator: "|")
        }
    }

    @Test("row 70: columns are key paths or expressions, and a to-one returns an object ID")
    func columns() throws {
        try withTasks { context in
            let request = Todo.request.sort("title").select(
                "title", "category.name", "category", "objectID", "isDone",
                ExpressionDescription(name: "twice", expression: GraphKey("number") * 2)
            ).limit(3)
            let rows = try context.rows(request)
            let task = try #require(context.container.schema.entity(named: "Task")).number
            let category = try #require(context.container.schema.entity(named: "Category")).number
            #expect(
                lines(rows) == [
                    "a|home|\(category):1|\(task):1|true|2",
                    "b|work|\(category):2|\(task):2|false|4",
                    "c|work|\(category):2|\(task):3|false|6",
                ])
            let row = try #require(rows.first)
            #expect(
                row.names == ["title", "category.name", "category", "objectID", "isDone", "twice"])
            #expect(row["title"] == .string("a") && row[0] == .string("a"))
            #expect(row["nothing"] == nil)
            #expect(row.value("twice", as: Int.self) == 2)
            #expect(row.value("twice", as: String.self) == nil)
            #expect(row.objectID("category")?.primaryKey == 1)
            #expect(row.objectID("title") == nil)
        }
    }

    @Test("row 70: the ID of a subentity's object has the subentity")
    func subentities() throws {
        try withTasks { context in
            let bug = try #require(context.container.schema.entity(named: "Bug")).number
            let request = Todo.request.where(GraphKey("title") == "f").select("objectID")
            #expect(try lines(request, in: context) == ["\(bug):6"])
            var only = Todo.request.select("title")
            only.includesSubentities = false
            #expect(try lines(only, in: context) == ["a", "b", "c", "d", "e"])
            let later = Todo.request.select("title").sort("title").offset(4)
            #expect(try lines(later, in: context) == ["e", "f"])
        }
    }

    @Test("row 70: groups have aggregates, and having filters them")
    func groups() throws {
        try withTasks { context throws in
            let request = Todo.request.select(
                "category.name", .count(), .sum("number", as: "total"), .average("number"),
                .minimum("title"), .maximum("number"), .count("number", as: "numbered")
            ).group(by: "category.name").sort("category.name")
            #expect(
                try lines(request, in: context) == [
                    "-|1|5|5.0|e|5|1", "home|2|7|3.5|a|6|2", "work|3|5|2.5|b|3|2",
                ])
            let total = GraphKey("total")
            #expect(
                try lines(
                    request.having(total > 5 || GraphKey("category.name") == "work"),
                    in: context
                ).map { $0.prefix(4) } == ["home", "work"])
            #expect(
                try lines(request.having(total < 6).limit(1).offset(1), in: context)
                    == ["work|3|5|2.5|b|3|2"])
            var byTotal = request
            byTotal.sortDescriptors = [
                GraphSortDescriptor(["total"], ascending: false),
                GraphSortDescriptor(["count"], ascending: false),
            ]
            #expect(
                try lines(byTotal, in: context).map { $0.prefix(4) } == ["home", "work", "-|1|"])
        }
    }

    @Test("row 70: rows are grouped by a to-one and filtered by its object's attributes")
    func groupsOfObjects() throws {
        try withTasks { context in
            let request = Todo.request.select("category", .count()).group(by: "category")
                .having(GraphKey("category.name") == "work")
            let category = try #require(context.container.schema.entity(named: "Category")).number
            #expect(try lines(request, in: context) == ["\(category):2|3"])
        }
    }

    @Test("row 70: rows are grouped by the object itself, and by a computed Boolean")
    func groupsOfComputedValues() throws {
        try withTasks { context in
            let task = try #require(context.container.schema.entity(named: "Task")).number
            let bug = try #require(context.container.schema.entity(named: "Bug")).number
            let objects = Todo.request.select("objectID", .count()).group(by: "objectID")
            #expect(
                try lines(objects, in: context).sorted()
                    == ((1...5).map { "\(task):\($0)|1" } + ["\(bug):6|1"]).sorted())
            let flag = ExpressionDescription(
                name: "flag", expression: try GraphExpression(format: "coalesce(isDone, NO)"))
            var flags = Todo.request.select(flag, .count(), .average("weight")).group(by: "isDone")
            #expect(
                try lines(flags.having(GraphKey("flag") == true), in: context) == ["true|1|-"])
            flags.havingPredicate = try GraphPredicate(format: "count > $least")
            flags.variables = ["least": .integer(1)]
            #expect(try lines(flags, in: context) == ["false|5|-"])
        }
    }

    @Test("row 70: computed UUIDs and bytes of groups keep their types")
    func groupsOfBytes() throws {
        try withStore("A: { attributes: { id: UUID, data: Binary } }") { store in
            let id = [UInt8](repeating: 5, count: 16)
            let context = store.container.newContext()
            for _ in 0..<2 {
                let object = try context.insert("A")
                try object.setValue(.attribute(.blob(id)), forKey: "id")
                try object.setValue(.attribute(.blob([1, 2])), forKey: "data")
            }
            try context.save()
            var request = FetchRequest<ManagedObject>(entityName: "A")
            request.propertiesToFetch = [
                ExpressionDescription(
                    name: "one", expression: try GraphExpression(format: "coalesce(id, id)")),
                ExpressionDescription(
                    name: "two", expression: try GraphExpression(format: "coalesce(data, data)")),
                .count(),
            ]
            request.propertiesToGroupBy = ["id", "data"]
            let rows: [Row] = try store.container.newContext().rows(request)
            #expect(rows.map(\.values) == [[.uuid(id), .binary([1, 2]), .integer(2)]])
        }
    }

    @Test("row 70: without columns, rows have all attributes and to-ones")
    func allColumns() throws {
        try withTasks { context in
            let row = try #require(try context.rows(Todo.request.sort("title").limit(1)).first)
            #expect(
                row.names.sorted() == [
                    "category", "code", "due", "isDone", "number", "parent", "plan", "price",
                    "project", "title", "weight",
                ])
            #expect(row["title"] == .string("a") && row["isDone"] == .boolean(true))
            #expect(row.objectID("category")?.primaryKey == 1)
        }
    }

    @Test("row 70: distinct returns equal rows once and counts equal values once")
    func distinct() throws {
        try withTasks { context throws in
            let request = Todo.request.select("category.name").sort("category.name").distinct()
            #expect(try lines(request, in: context) == ["-", "home", "work"])
            #expect(try lines(request.limit(1).offset(2), in: context) == ["work"])
            let count = Todo.request.select(
                .count("category.name", distinct: true), .count("category.name", as: "all"))
            #expect(try lines(count, in: context) == ["2|5"])
        }
    }

    @Test("row 70: rows exclude pending changes")
    func pendingChanges() throws {
        try withTasks { context in
            for task in try context.fetch(FetchRequest<Todo>()) { task.title = "changed" }
            context.insert(Todo.self) { $0.title = "new" }
            let request = Todo.request.select("title").sort("title")
            #expect(try lines(request, in: context) == ["a", "b", "c", "d", "e", "f"])
            let count = try context.aggregate(Todo.request, .count())
            #expect(count == 6)
        }
    }

    @Test(
        "row 70: a request with invalid columns, groups, or order fails",
        arguments: [
            (Todo.request.select(.count()).having(GraphKey("count") > 1), "propertiesToGroupBy"),
            (Todo.request.select("title", .count()), "neither a grouping property"),
            (Todo.request.select("title").group(by: "number"), "neither a grouping property"),
            (Todo.request.select("tags"), "tags"),
            (Todo.request.select("nothing"), "nothing"),
            (Todo.request.select(.sum("title")), "only numbers"),
            (Todo.request.select("title", "title"), "Two columns"),
            (Todo.request.select("title").limit(-1), "must not be negative"),
            (Todo.request.select(.minimum("category")), "these values have no order"),
            (Todo.request.where(GraphKey("nothing") == 1).select("title"), "nothing"),
            (
                Todo.request.select(.count()).group(by: "number")
                    .having(GraphKey("title") == "a"), "columns of the result"
            ),
            (
                Todo.request.select(.count()).group(by: "number").sort("title"),
                "a column of the result only"
            ),
        ])
    func badRequests(request: FetchRequest<Todo>, words: String) throws {
        try withTasks { context in
            let error = storeError { _ = try context.rows(request) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "no error")")
        }
    }

    private struct Summary: Decodable, Equatable {
        enum State: Int, Decodable { case open, done }
        var title: String
        var number: Int?
        var isDone: Bool
        var state: State
        var category: ManagedObjectID?
        var due: Date?
    }

    @Test("row 70: rows decode into structs, and a type mismatch names the column")
    func decoding() throws {
        try withTasks { context in
            let request = Todo.request.sort("title").select(
                "title", "number", "isDone", "category", "due",
                ExpressionDescription(
                    name: "state",
                    expression: try GraphExpression(format: "TERNARY(isDone == YES, 1, 0)")))
            let found = try context.rows(request, as: Summary.self)
            let category = try #require(context.container.schema.entity(named: "Category")).number
            #expect(
                found[0]
                    == Summary(
                        title: "a", number: 1, isDone: true, state: .done,
                        category: ManagedObjectID(entityNumber: category, primaryKey: 1), due: nil))
            #expect(found[3].number == nil && found[3].state == .open)
            #expect(found[4].category == nil)
            let short = Todo.request.select("title")
            #expect(throws: DecodingError.self) { try context.rows(short, as: Summary.self) }
            struct Wrong: Decodable { var title: Int }
            #expect {
                try context.rows(short, as: Wrong.self)
            } throws: { error in
                guard case DecodingError.typeMismatch(_, let context)? = error as? DecodingError
                else { return false }
                return context.codingPath.map(\.stringValue) == ["title"]
            }
        }
    }

    @Test("row 73: aggregates are typed; without rows, sum and count are 0 and minimum is nil")
    func aggregates() throws {
        try withTasks { context in
            let open = try Todo.request.where("isDone == NO")
            let (sum, mean, count) = try context.aggregate(
                open, .sum(Todo.Keys.number), .average(Todo.Keys.number), .count())
            #expect(sum == 16 && mean == 4 && count == 5)
            let (first, last, numbered) = try context.aggregate(
                Todo.request.limit(1), .minimum(Todo.Keys.title), .maximum(Todo.Keys.number),
                .count(Todo.Keys.number))
            #expect(first == "a" && last == 6 && numbered == 5)
            let twice = try context.aggregate(
                open, AggregateExpression<Int>.sum(of: GraphKey("number") * 2))
            #expect(twice == 32)
            let none = try Todo.request.where("title == 'x'")
            let (nothing, least, zero) = try context.aggregate(
                none, .sum(Todo.Keys.number), .minimum(Todo.Keys.number), .count())
            #expect(nothing == 0 && least == nil && zero == 0)
        }
    }
}
