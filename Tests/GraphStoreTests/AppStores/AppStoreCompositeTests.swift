import AppStoreFixtures
import GraphModel
import SQLite
import Testing

@testable import GraphStore

/// Composites in an app's store, whose real column layout is unknown, so an open reports each
/// assumption.
@Suite("Composite attributes in apps' stores") struct AppStoreCompositeTests {
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel
    private var path: String { folder.file("store.sqlite") }

    /// Creates a store with an app's metadata, whose columns happen to have our names.
    init() throws {
        folder = try TemporaryFolder()
        model = try wholeModel(quakeModel)
        do {
            let container = try PersistentContainer(
                model: model, at: folder.file("store.sqlite"), opening: .create)
            let context = container.newContext()
            try context.make(
                "Quake",
                ["code": "a", "epicenter": ["latitude": 1.5], "magnitude": ["felt": true]])
            try context.save()
        }
        try AppStoreFixture.disown(folder.file("store.sqlite"), model)
    }

    private func container(
        _ model: ManagedObjectModel?, writing: Bool = false
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        options.appStores = writing ? .writing : .reading
        options.isReadOnly = !writing
        return try PersistentContainer(model: model, .sqlite(at: path, options: options))
    }

    @Test func omitsAndReportsCompositesWithoutAModel() throws {
        let container = try container(nil)
        #expect(container.model.attributes(of: "Quake").map(\.name) == ["code"])
        #expect(
            container.origin.notes.filter { $0.contains("composite") } == [
                "Quake.epicenter is a composite, and where an app's store keeps one is not known",
                "Quake.magnitude is a composite, and where an app's store keeps one is not known",
                "Region.center is a composite, and where an app's store keeps one is not known",
            ])
        #expect(
            storeError { _ = try self.container(nil, writing: true) }?.message
                == "\(path) has composites (Quake.epicenter, Quake.magnitude, Region.center), and"
                + " where the app's framework keeps their elements is not known, so it is only read"
        )
    }

    @Test func readsCompositesWithAModelThatMatchesTheColumns() throws {
        let container = try container(model)
        let context = container.newContext()
        let quake = try #require(try context.fetch(FetchRequest(entityName: "Quake")).first)
        #expect(try quake.value(forKey: "magnitude").text == "{felt: 1}")
        #expect(
            container.origin.notes == [
                "The store has columns by the names that we give the elements of Quake.magnitude,"
                    + " Quake.epicenter, Region.center; whether the app means the same by them is"
                    + " not known"
            ])
        #expect(storeError { _ = try self.container(model, writing: true) }?.code == .modelMismatch)
        var manager = MigrationManager(
            storeAt: path,
            to: try wholeModel(
                quakeModel.replacing("code: {", with: "note: String\n      code: {")))
        manager.versions = [model]
        let plan = try manager.plan()
        #expect(
            plan.obstacles.last
                == "where the app's framework keeps the elements of composites (Quake.epicenter,"
                + " Quake.magnitude, Region.center) is not known")
    }

    @Test func failsIfTheStoreLacksACompositeColumn() throws {
        try Connection(path: path, mode: .readWrite).execute(
            "ALTER TABLE ZQUAKE RENAME COLUMN ZMAGNITUDE_FELT TO ZFELT")
        #expect(
            storeError { _ = try container(model) }?.message
                == "\(path) was created with another model; it has no ZQUAKE.ZMAGNITUDE_FELT for"
                + " Quake.magnitude.felt; where the app's framework keeps the elements of composites"
                + " (Quake.magnitude) is not known"
        )
    }
}
