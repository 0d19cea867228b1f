import GraphModel
import GraphStore

/// The operations of programs that use objects one by one.
///
/// They are find-or-create, inserts, fetches, reading a to-one or a to-many relationship of each of
/// many objects, updates, and upserts by a constraint. `Benchmarks/grdb` does the same with GRDB.
/// Each output line is a step and its CPU seconds.
enum ObjectPatterns {
    private static let model = """
        model: 1
        entities:
          Owner:
            attributes:
              name: String
            relationships:
              rows: { to: Row, many: true, inverse: owner }
          Row:
            attributes:
              key: { type: String, optional: false }
              a: String
              b: Integer 64
              c: Double
            relationships:
              owner: { to: Owner, inverse: rows }
            unique: [[key]]
        """
    /// The number of rows per owner.
    private static let rowsPerOwner = 10

    private static let key = AttributeKey<String>("key", slot: 0)
    private static let a = AttributeKey<String>("a", slot: 1)
    private static let b = AttributeKey<Int>("b", slot: 2)
    private static let c = AttributeKey<Double>("c", slot: 3)
    private static let owner = ToOneKey<ManagedObject>("owner", slot: 0)
    private static let name = AttributeKey<String>("name", slot: 0)

    static func measure(folder: String, count: Int) throws {
        try time("find-or-create") {
            try findOrCreate(count, in: container("\(folder)/found.sqlite"))
        }
        // Ten times the rows, to show how the cost grows.
        try time("find-or-create, 10 x") {
            try findOrCreate(count * 10, in: container("\(folder)/found-10.sqlite"))
        }
        let full = try container("\(folder)/full.sqlite")
        try time("insert") { try fill(count, full) }
        try time("fetch") { try readAll(of: full, count) }
        try time("to-one of each") { try readOwners(of: full, count) }
        try time("update all") { try updateAll(of: full, count) }
        try time("upsert by constraint") { try upsert(count, in: full) }
        try time("N+1 over a to-many") { try readLists(of: full, count) }
    }

    private static func container(_ path: String) throws -> PersistentContainer {
        let (model, diagnostics) = ModelFile.read(text: model)
        guard let model else { throw MeasureError(text: "\(diagnostics)") }
        return try PersistentContainer(model: model, .sqlite(at: path, opening: .create))
    }

    private static func time(_ name: String, _ body: () throws -> Void) rethrows {
        let start = cpuSeconds()
        try body()
        print("\(name)\t\(cpuSeconds() - start)")
    }

    /// Finds or creates objects; each key occurs twice, and there is one save at the end.
    private static func findOrCreate(_ count: Int, in container: PersistentContainer) throws {
        let context = container.newContext()
        for number in 0..<count {
            let name = "key \(number % (count / 2))"
            var request = FetchRequest<ManagedObject>(entityName: "Row")
            request.predicate = .comparison(
                GraphComparison(.keyPath(["key"]), .equal, .constant(.string(name))))
            request.fetchLimit = 1
            let row: ManagedObject
            if let found = try context.fetch(request).first {
                row = found
            } else {
                row = try context.insert("Row")
                row[key] = name
            }
            row[a] = "some text"
            row[b] = number
            row[c] = 1.5
        }
        try context.save()
        guard try context.count(for: FetchRequest<ManagedObject>(entityName: "Row")) == count / 2
        else { throw MeasureError(text: "rows were created twice") }
    }

    private static func fill(_ count: Int, _ container: PersistentContainer) throws {
        let context = container.newContext()
        var owner: ManagedObject?
        for number in 0..<count {
            if number % rowsPerOwner == 0 {
                owner = try context.insert("Owner")
                owner?[name] = "some name"
            }
            let row = try context.insert("Row")
            row[key] = "key \(number)"
            row[a] = "old text"
            row[b] = 1
            row[c] = 0.5
            row[self.owner] = owner
        }
        try context.save()
    }

    private static func readAll(of container: PersistentContainer, _ count: Int) throws {
        var sum = 0
        for row in try container.newContext().fetch(FetchRequest<ManagedObject>(entityName: "Row"))
        where row[a] == "old text" { sum += row[b] ?? 0 }
        guard sum == count else { throw MeasureError(text: "the sum is \(sum)") }
    }

    private static func readOwners(of container: PersistentContainer, _ count: Int) throws {
        let context = container.newContext()
        var sum = 0
        // Objects need their context to follow links, and do not keep it.
        try withExtendedLifetime(context) {
            for row in try context.fetch(FetchRequest<ManagedObject>(entityName: "Row")) {
                sum += row[owner]?[name]?.utf8.count ?? 0
            }
        }
        guard sum == count * 9 else { throw MeasureError(text: "the sum is \(sum)") }
    }

    private static func updateAll(of container: PersistentContainer, _ count: Int) throws {
        let context = container.newContext()
        for row in try context.fetch(FetchRequest<ManagedObject>(entityName: "Row")) {
            row[a] = "a text"
            row[b] = (row[b] ?? 0) + 1
        }
        try context.save()
    }

    /// Inserts objects whose keys exist, so that the existing rows get the values.
    private static func upsert(_ count: Int, in container: PersistentContainer) throws {
        let context = container.newContext()
        context.mergePolicy = .mergeByPropertyObjectTrump
        for number in 0..<count {
            let row = try context.insert("Row")
            row[key] = "key \(number)"
            row[a] = "new text"
            row[b] = number
        }
        try context.save()
        guard try context.count(for: FetchRequest<ManagedObject>(entityName: "Row")) == count
        else { throw MeasureError(text: "rows were inserted twice") }
    }

    private static func readLists(of container: PersistentContainer, _ count: Int) throws {
        let context = container.newContext()
        var sum = 0
        let rows = ToManyKey<ManagedObject>("rows", slot: 0)
        for owner in try context.fetch(FetchRequest<ManagedObject>(entityName: "Owner")) {
            let rows = owner[rows]
            try context.fault(rows)
            for row in rows { sum += row[b] ?? 0 }
        }
        guard sum == count * (count - 1) / 2 else { throw MeasureError(text: "the sum is \(sum)") }
    }

    private struct MeasureError: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }
}
