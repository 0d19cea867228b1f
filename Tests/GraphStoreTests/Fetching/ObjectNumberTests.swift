import AppStoreFixtures
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Object IDs in predicates") struct ObjectNumberTests {
    /// Creates tasks 1 to 4: tasks with odd numbers are in category 1, and the last one is a Bug.
    private func withTasks(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withObjects { store in
            let context = store.context()
            let categories = ["home", "work"].map { name in
                context.insert(Category.self) { $0.name = name }
            }
            for number in 1...4 {
                let type: Todo.Type = number == 4 ? Bug.self : Todo.self
                context.insert(type) {
                    $0.title = "t\(number)"
                    $0.category = categories[(number + 1) % 2]
                }
            }
            try context.save()
            try body(store.context())
        }
    }

    private func titles(
        _ format: String, _ arguments: any GraphPredicateArgument...,
        order: String = "objectID", in context: ManagedObjectContext
    ) throws -> [String?] {
        var request = Todo.request
        request.predicate = try ParsedPredicate(format: format, arguments: arguments).predicate
        request.sortDescriptors = try GraphSortDescriptor.order(format: order)
        return try context.fetch(request).map(\.title)
    }

    @Test("objectID finds and sorts objects, directly and over relationships")
    func find() throws {
        try withTasks { context in
            #expect(try titles("objectID == 3", in: context) == ["t3"])
            #expect(try titles("objectID IN {4, 1, 9}", in: context) == ["t1", "t4"])
            #expect(try titles("objectID IN %@", [Int64(2), 4], in: context) == ["t2", "t4"])
            #expect(try titles("category.objectID == 2", in: context) == ["t2", "t4"])
            #expect(
                try titles("#objectID > %d", 2, order: "#objectID desc", in: context)
                    == ["t4", "t3"])
            #expect(
                try titles(
                    "TRUEPREDICATE", order: "category.objectID desc, -objectID", in: context)
                    == ["t4", "t2", "t3", "t1"])
            var request = FetchRequest<Category>(entityName: "Category")
            request.predicate = try GraphPredicate(format: "ANY tasks.objectID == 4")
            #expect(try context.fetch(request).map(\.name) == ["work"])
        }
    }

    @Test("objectID is nil for new objects until they are saved")
    func newObjects() throws {
        try withTasks { context in
            let new = context.insert(Todo.self) { $0.title = "new" }
            let number = new.objectID.primaryKey
            #expect(try titles("objectID == nil", in: context) == ["new"])
            #expect(try titles("objectID == %d", number, in: context) == [])
            #expect(
                try titles("objectID > 3 OR objectID == nil", in: context) == ["new", "t4"])
            try context.save()
            #expect(try titles("objectID == nil", in: context) == [])
            #expect(try titles("objectID == %d", number, in: context) == ["new"])
        }
    }

    @Test("objectID finds only objects of the requested entity")
    func families() throws {
        try withTasks { context in
            var request = FetchRequest<Bug>(entityName: "Bug")
            request.predicate = try GraphPredicate(format: "objectID IN {1, 4}")
            #expect(try context.fetch(request).map(\.title) == ["t4"])
        }
    }

    @Test(
        "objectID predicates search by the primary key",
        arguments: [
            ("objectID == 3", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"),
            ("objectID IN {1, 3}", "SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"),
            ("objectID BETWEEN {1, 3}", "SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        ])
    func primaryKey(format: String, plan: String) throws {
        try withTasks { context in
            let explanation = try context.explain(
                RowRequest(
                    entityName: "Task", predicate: try GraphPredicate(format: format),
                    order: [GraphSortDescriptor(["objectID"])],
                    fields: [["objectID"], ["category", "objectID"], ["title"]]))
            #expect(explanation.plan == [plan])
        }
    }

    @Test("the objectID of a to-one needs no join and uses the index of the relationship")
    func toOnes() throws {
        try withTasks { context in
            let explanation = try context.explain(
                RowRequest(
                    entityName: "Task",
                    predicate: try GraphPredicate(format: "category.objectID == 2"),
                    fields: [["category", "objectID"]]))
            #expect(explanation.plan.first?.contains("(ZCATEGORY=?)") == true)
            #expect(!explanation.sql.contains("JOIN"))
        }
    }

    @Test("objectID can be a column, grouped, and aggregated, but not used in having")
    func rows() throws {
        try withTasks { context in
            let request = Todo.request.select("category.objectID", .count(), .maximum("#objectID"))
                .group(by: "category.objectID")
            let rows = try context.rows(request)
            #expect(
                rows.map(\.values) == [
                    [.integer(1), .integer(2), .integer(3)],
                    [.integer(2), .integer(2), .integer(4)],
                ])
            let error = #expect(throws: StoreError.self) {
                try context.rows(request.having(GraphKey("objectID") > 1))
            }
            #expect(
                error?.message
                    == "Groups have no 'objectID'; havingPredicate sees the columns of the result")
        }
    }

    @Test(
        "objectID equals the primary key in an app's store",
        .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"),
        arguments: CoreDataSpecimens.stores)
    func appStores(_ store: CoreDataSpecimens.Store) throws {
        let folder = NSTemporaryDirectory() + "numbers-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = StoreOptions()
        options.isReadOnly = true
        let path = try store.copy(to: folder)
        let container = try PersistentContainer(model: nil, .sqlite(at: path, options: options))
        let context = container.newContext()
        let connection = try Connection(path: path, mode: .readOnly)
        for entity in container.schema.entities {
            let family = entity.familyNumbers.map(String.init).joined(separator: ",")
            let numbers = try connection.integers(
                "SELECT Z_PK FROM \(entity.table) WHERE Z_ENT IN (\(family)) ORDER BY Z_PK")
            var request = RowRequest(
                entityName: entity.name, order: [GraphSortDescriptor(["objectID"])],
                fields: [["objectID"]])
            #expect(try context.cursor(request).integers() == numbers)
            guard let last = numbers.last else { continue }
            request.predicate = try GraphPredicate(format: "#objectID == %d", last)
            #expect(try context.cursor(request).integers() == [last])
            for (name, toOne) in entity.toOnes {
                request.predicate = try GraphPredicate(format: "%K != nil", "\(name).objectID")
                request.fields = [[name, "objectID"]]
                let next = try #require(
                    container.schema.entity(named: toOne.relationship.destinationEntityName))
                let links = try connection.integers(
                    """
                    SELECT d.Z_PK FROM \(entity.table) t JOIN \(next.table) d
                    ON d.Z_PK = \(toOne.key(of: "t")) WHERE t.Z_ENT IN (\(family)) ORDER BY t.Z_PK
                    """)
                #expect(try context.cursor(request).integers() == links, "\(entity.name).\(name)")
            }
        }
    }
}

extension Connection {
    fileprivate func integers(_ sql: String) throws -> [Int64] {
        let rows = try prepare(sql)
        var found: [Int64] = []
        while try rows.step() { found.append(rows.integer(0)) }
        return found
    }
}
