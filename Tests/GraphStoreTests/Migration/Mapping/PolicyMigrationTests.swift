import GraphModel
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Migration by closures") struct PolicyMigrationTests {
    private static let before = """
        Item:
          attributes:
            name: String
            count: Integer 32
            price: Decimal
            photo: { type: Binary, external: true }
            scan: { type: Binary, external: true }
        """
    private static let after = """
        Item:
          attributes:
            name: { type: String, optional: false }
            count: Integer 16
            price: Decimal
            photo: { type: Binary, external: true }
            scan: { type: Binary, external: true }
            size: { type: Integer 64, default: 5 }
        """

    /// Creates a store with exact decimals and one item.
    private func store() throws -> (folder: TemporaryFolder, path: String) {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        var options = StoreOptions()
        options.keepsExactDecimals = true
        let container = try PersistentContainer(
            model: model(Self.before), .sqlite(at: path, opening: .create, options: options))
        let context = container.newContext()
        try context.make(
            "Item",
            [
                "name": "a", "count": 7, "photo": .attribute(.blob([1, 2, 3])),
                "scan": .attribute(.blob([4, 5])),
            ])
        try context.save()
        return (folder, path)
    }

    private func migrate(
        _ path: String, _ body: @escaping @Sendable (inout MigratedRow) throws -> Void
    ) throws {
        let mapping = EntityMapping(from: "Item", to: "Item", body)
        try MigrationManager(
            storeAt: path, to: model(Self.after), mapping: MappingModel([mapping])
        ).migrate()
    }

    @Test("a closure reads old and new values, and sets decimals and large values")
    func values() throws {
        let (folder, path) = try store()
        defer { withExtendedLifetime(folder) {} }
        try migrate(path) { row in
            guard row.old("missing") == .null, row["missing"] == .null, row["size"] == .integer(5),
                row.old("photo") == .blob([1, 2, 3])
            else { throw StoreError(.internalError, "\(row)") }
            row["count"] = row.old("count")
            row["price"] = .real(2.50)
            row["photo"] = .blob([1, 2, 3, 4])
        }
        let container = try PersistentContainer(model: nil, at: path)
        let context = container.newContext()
        let item = try #require(try context.fetch(FetchRequest(entityName: "Item")).first)
        let names = ["name", "count", "price", "photo", "scan", "size"]
        let values = try names.map { "\($0)=\(try item.value(forKey: $0).text)" }
        #expect(
            values == ["name=a", "count=7", "price=2.5", "photo=4 bytes", "scan=2 bytes", "size=5"])
        #expect(try PersistentContainer.verify(at: path, .full).problems == [])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String { name }
        var name: String
        var value: StoredValue
        var problem: String
    }

    @Test(
        "a closure cannot set a value that the model does not allow",
        arguments: [
            Case(name: "name", value: .null, problem: "is required, and null"),
            Case(
                name: "count", value: .integer(70_000),
                problem: "is 70000, which is not in the range of Integer 16"),
            Case(name: "price", value: .text("much"), problem: "is not a Decimal"),
        ])
    func invalidValues(_ test: Case) throws {
        let (folder, path) = try store()
        defer { withExtendedLifetime(folder) {} }
        let error = try #require(throws: StoreError.self) {
            try migrate(path) { $0[test.name] = test.value }
        }
        #expect(error.code == .migrationRefused)
        #expect(
            error.message
                == "'Item.\(test.name)' of object 1 \(test.problem), by the mapping of 'Item'")
        #expect(
            try PersistentContainer.model(ofStoreAt: path)?.attribute("count", of: "Item")?.type
                == .integer32)
    }

    @Test("an error of the store in a closure is thrown unchanged")
    func storeError() throws {
        let (folder, path) = try store()
        defer { withExtendedLifetime(folder) {} }
        let error = try #require(throws: StoreError.self) {
            try migrate(path) { _ in throw StoreError(.inputOutput, "The table is not mounted") }
        }
        #expect(error.code == .inputOutput)
        #expect(error.message == "The table is not mounted")
    }

    @Test("a stream reports the progress of a migration, and ends with its error")
    func progress() async throws {
        let (folder, path) = try store()
        defer { withExtendedLifetime(folder) {} }
        let plain = Self.before.replacing("count: Integer 32", with: "count: Integer 64")
        var last: MigrationProgress?
        for try await progress in try MigrationManager(storeAt: path, to: model(plain)).progress() {
            last = progress
        }
        #expect(last?.total == 1)
        #expect(last?.completed == 1)
        #expect(
            try PersistentContainer.model(ofStoreAt: path)?.attribute("count", of: "Item")?.type
                == .integer64)
        let unclear = try MigrationManager(storeAt: path, to: model(Self.after))
        let error = await #expect(throws: StoreError.self) {
            for try await _ in unclear.progress() {}
        }
        #expect(error?.code == .needsMapping)
    }
}
