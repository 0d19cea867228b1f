import Files
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore

@Suite("Several stores in a container") struct SeveralStoresTests {
    private let folder: TemporaryFolder
    private let model: ManagedObjectModel
    private var main: String { folder.file("user.sqlite") }
    private var catalog: String { folder.file("catalog.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        model = try ManagedObjectModel(
            entities: GraphStoreTests.model(
                """
                Favorite:
                  attributes:
                    product: String
                    note: { type: String, searchable: true }
                  relationships: { list: { to: List, inverse: favorites } }
                  unique: [[product]]
                List:
                  attributes: { name: String }
                  relationships: { favorites: { to: Favorite, many: true, inverse: list } }
                  unique: [[name]]
                Item: { abstract: true, attributes: { name: String } }
                Label:
                  attributes: { text: String }
                  relationships: { products: { to: Product, many: true, inverse: labels } }
                  unique: [[text]]
                Product:
                  parent: Item
                  attributes:
                    number: { type: Integer 64, optional: false }
                    image: { type: Binary, external: true, external-threshold: 10 }
                  relationships: { labels: { to: Label, many: true, inverse: products } }
                  unique: [[number]]
                """
            ).entities,
            configurations: ["User": ["Favorite", "List"], "Catalog": ["Item", "Label"]])
    }

    private func stores(
        _ kind: StoreDescription.Kind = .sqlite, history: HistoryOptions? = nil
    ) -> [StoreDescription] {
        var options = StoreOptions()
        options.history = history
        return [
            StoreDescription(
                kind, at: main, opening: .create, configuration: "User", options: options),
            StoreDescription(kind, at: catalog, opening: .create, configuration: "Catalog"),
        ]
    }

    private func fill(_ container: PersistentContainer) throws -> ManagedObjectID {
        let context = container.newContext()
        let product = try context.insert("Product")
        product[.integer("number")] = 1
        product[.string("name")] = "Cup"
        product[.binary("image")] = Array(repeating: 7, count: 20)
        let label = try context.insert("Label")
        label[.string("text")] = "new"
        product.add(label, to: .toMany("labels"))
        let favorite = try context.insert("Favorite")
        favorite[.string("product")] = "Cup"
        favorite[.string("note")] = "Été"
        try context.save()
        return product.objectID
    }

    @Test(
        "rows 17, 18: one save writes the objects of each store into its own file",
        arguments: [StoreDescription.Kind.sqlite, .inMemory])
    func savesIntoEach(kind: StoreDescription.Kind) throws {
        let container = try PersistentContainer(model: model, stores: stores(kind))
        let id = try fill(container)
        let reader = try container.newReader()
        #expect(try lines("SELECT ZNUMBER, ZNAME FROM store1.ZITEM", on: reader) == ["1|Cup"])
        #expect(try lines("SELECT ZPRODUCT FROM main.ZFAVORITE", on: reader) == ["Cup"])
        #expect(
            try lines("SELECT Z_NAME, Z_MAX FROM main.Z_PRIMARYKEY ORDER BY 1", on: reader)
                == ["Favorite|1", "List|0"])
        #expect(
            try lines("SELECT Z_NAME, Z_MAX FROM store1.Z_PRIMARYKEY ORDER BY 1", on: reader)
                == ["Item|1", "Label|1", "Product|0"])
        #expect(
            container.stores.map(\.entityNames) == [
                ["Favorite", "List"], ["Item", "Label", "Product"],
            ])
        #expect(container.stores[1].uuid != container.storeUUID)
        let uri = try #require(container.uri(for: id))
        #expect(uri == "x-coredata://\(container.stores[1].uuid)/Product/p1")
        #expect(container.managedObjectID(forURI: uri) == id)
        #expect(
            container.managedObjectID(forURI: "x-coredata://\(container.storeUUID)/Product/p1")
                == nil)
        let context = container.newContext()
        let cups = try context.fetch(
            FetchRequest(
                entityName: "Product", predicate: GraphPredicate(format: "ANY labels.text == 'new'")
            ))
        #expect(cups.map { $0[.string("name")] } == ["Cup"])
        let notes = FetchRequest<ManagedObject>(
            entityName: "Favorite",
            predicate: try GraphPredicate(format: "note CONTAINS[cd] 'ete'"))
        #expect(try context.count(for: notes) == 1)
    }

    @Test("row 18: each file also opens alone, with the objects and files of its entities")
    func eachIsAStore() throws {
        do { _ = try fill(PersistentContainer(model: model, stores: stores())) }
        for (path, entity) in [(main, "Favorite"), (catalog, "Product")] {
            let alone = try PersistentContainer(model: nil, at: path)
            let objects = try alone.newContext().count(
                for: FetchRequest<ManagedObject>(entityName: entity))
            #expect(objects == 1, "\(path)")
            #expect(try PersistentContainer.verify(at: path, .full).problems == [])
        }
        let alone = try PersistentContainer(model: model, at: catalog)
        let context = alone.newContext()
        let product = try #require(try context.fetch(FetchRequest(entityName: "Product")).first)
        #expect(
            product[.binary("image")] == Array(repeating: 7, count: 20))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.file(".catalog_SUPPORT/_EXTERNAL_DATA"))
        #expect(files.count == 1)
        #expect(!FileSystem.exists(folder.file(".user_SUPPORT")))
        let error = storeError { _ = try context.fetch(FetchRequest(entityName: "Favorite")) }
        #expect(
            error?.message == "No store of the container holds 'Favorite';"
                + " add one whose configuration has it")
        // The store is written alone and opened with the others again; its keys continue.
        product[.string("name")] = "Mug"
        try context.insert("Product")[.integer("number")] = 2
        try context.save()
        let container = try PersistentContainer(model: nil, stores: stores())
        let third = container.newContext()
        let new = try third.insert("Product")
        new[.integer("number")] = 3
        try third.save()
        #expect(new.objectID.primaryKey == 3)
    }

    @Test("row 18: loads and batch requests use the store of their entity")
    func loadsAndBatches() throws {
        let container = try PersistentContainer(model: model, stores: stores())
        let plan = BulkPlan(
            entity: "Product", key: ["number"], attributes: ["number", "name"],
            links: [
                BulkPlan.Link(
                    relationship: "labels", destination: "Label", attribute: "text",
                    missing: .create)
            ])
        try container.load(plan, [[1, "a", ["x", "y"]], [2, "b", ["y"]]])
        try container.load(plan, [[2, "c", ["x"]], [3, "d", []]])
        let context = container.newContext()
        let updated = try context.execute(
            BatchUpdateRequest(
                entityName: "Product", predicate: GraphPredicate(format: "number == 1"),
                propertiesToUpdate: ["name": .constant(.string("A"))]))
        #expect(updated.updated == 1)
        let deleted = try context.execute(
            BatchDeleteRequest(
                entityName: "Product", predicate: GraphPredicate(format: "number == 3")))
        #expect(deleted.deleted == 1)
        try context.save()
        let reader = try container.newReader()
        let products =
            "SELECT ZNUMBER, ZNAME, group_concat(ZTEXT) FROM store1.ZITEM i"
            + " JOIN store1.Z_3LABELS j ON j.Z_3PRODUCTS = i.Z_PK"
            + " JOIN store1.ZLABEL l ON l.Z_PK = j.Z_4LABELS GROUP BY 1 ORDER BY 1"
        #expect(try lines(products, on: reader) == ["1|A|x,y", "2|c|x"])
        #expect(try reader.text("PRAGMA integrity_check") == "ok")
    }

    @Test("row 18: while a first load runs, other containers can open the stores but not save")
    func loadAtWork() throws {
        let container = try PersistentContainer(model: model, stores: stores())
        let plan = BulkPlan(entity: "Favorite", key: ["product"], attributes: ["product"])
        var codes: [StoreError.Code?] = []
        try container.load(plan, [["a"], ["b"], ["c"]], batchSize: 1, saveEvery: 1) { _ in
            let other = try PersistentContainer(model: model, stores: stores())
            let context = other.newContext()
            try context.insert("List")[.string("name")] = "x"
            codes.append(storeError { _ = try context.save() }?.code)
        }
        #expect(codes == [.busy, .busy, .busy])
        let reader = try container.newReader()
        #expect(try lines("SELECT count(*) FROM main.ETL_PENDING", on: reader) == ["0"])
        #expect(
            try lines("SELECT ZPRODUCT FROM main.ZFAVORITE ORDER BY 1", on: reader)
                == ["a", "b", "c"])
    }

    @Test("row 18: a save that changes a read-only store fails before it writes to any store")
    func readOnlyPart() throws {
        do { _ = try fill(PersistentContainer(model: model, stores: stores())) }
        var descriptions = stores()
        descriptions[1].options.isReadOnly = true
        let container = try PersistentContainer(model: model, stores: descriptions)
        let context = container.newContext()
        let product = try #require(try context.fetch(FetchRequest(entityName: "Product")).first)
        product[.string("name")] = "Mug"
        let favorite = try context.insert("Favorite")
        favorite[.string("product")] = "Mug"
        let expected = "'Product' is in \(catalog), which is open for reading only"
        let error = storeError { try context.save() }
        #expect(error?.code == .permission)
        #expect(error?.message == expected)
        try context.refresh(product, mergeChanges: false)
        #expect(try context.save().change.inserted.count == 1)
        let request = BatchDeleteRequest(entityName: "Product", predicate: nil)
        let deletion = #expect(throws: StoreError.self) {
            _ = try container.newContext().execute(request)
        }
        #expect(deletion?.message == expected)
    }

    @Test("row 18: only a container's first store keeps a history, which covers only its objects")
    func history() throws {
        let container = try PersistentContainer(
            model: model, stores: stores(history: HistoryOptions()))
        _ = try fill(container)
        let changes = try container.history().flatMap(\.changes)
        #expect(changes.compactMap { container.uri(for: $0.objectID) }.count == 1)
        #expect(changes.first?.objectID.entityNumber == 1)
        var other = stores()
        other[0].path = folder.file("other.sqlite")
        other[1] = .sqlite(at: main, opening: .existing, configuration: "User")
        other[0].configuration = "Catalog"
        let error = storeError { _ = try PersistentContainer(model: model, stores: other) }
        #expect(
            error?.message == "\(main) keeps a history, which only a container's first store can;"
                + " name it first")
    }

    @Test("rows 32, 40: other containers notice a save in the second store; pinned contexts do not")
    func othersNotice() throws {
        let container = try PersistentContainer(model: model, stores: stores())
        _ = try fill(container)
        let other = try PersistentContainer(model: model, stores: stores())
        #expect(try other.pollRemoteChange() == nil)
        let pinned = other.newContext()
        try pinned.pinQueryGeneration()
        let context = container.newContext()
        try context.insert("Product")[.integer("number")] = 2
        try context.save()
        #expect(try other.pollRemoteChange() != nil)
        let products = FetchRequest<ManagedObject>(entityName: "Product")
        #expect(try pinned.count(for: products) == 1)
        #expect(try other.newContext().count(for: products) == 2)
    }

    @Test("rows 17, 18: one store can be copied alone, and truncating deletes the objects of all")
    func copiesAndTruncates() throws {
        let container = try PersistentContainer(model: model, stores: stores())
        _ = try fill(container)
        let copy = folder.file("copy.sqlite")
        try container.copyStore(to: copy, configuration: "Catalog")
        let copied = try PersistentContainer(model: nil, at: copy)
        #expect(
            try copied.newContext().count(for: FetchRequest<ManagedObject>(entityName: "Product"))
                == 1)
        let change = try container.truncateAll().change
        #expect(change.deleted.count == 3)
        #expect(try container.objectCounts().allSatisfy { $0.count == 0 })
    }

    @Test("row 17: invalid store descriptions are rejected before any file is created")
    func refuses() throws {
        func problem(
            _ model: ManagedObjectModel, _ stores: [StoreDescription]
        ) -> String? {
            storeError { _ = try PersistentContainer(model: model, stores: stores) }?.message
        }
        var two = stores()
        two[1].configuration = "User"
        #expect(
            problem(model, two) == "'Favorite' would be in \(main) and in \(catalog);"
                + " an entity, with those above and below it, lives in one store")
        two[1].configuration = "Cloud"
        #expect(
            problem(model, two)
                == "\(catalog): the model has no configuration 'Cloud'; it has Catalog, User")
        two[0].configuration = nil
        two[1].configuration = nil
        #expect(
            problem(model, two) == "\(main) and \(catalog) name no configuration;"
                + " one store at most takes what the others leave")
        #expect(problem(model, []) == "A container needs a store")
        let crossing = try ManagedObjectModel(
            entities: model.entities, configurations: ["User": ["Favorite"]])
        two[0].configuration = "User"
        #expect(
            problem(crossing, two) == "'Favorite.list' leads from \(main) to 'List', which is in"
                + " \(catalog); links stay within a store: keep the other object's key, and a"
                + " fetched property for it")
        #expect(
            problem(crossing, [two[0]]) == "'Favorite.list' leads from \(main) to 'List', which"
                + " is in no store; links stay within a store: keep the other object's key, and a"
                + " fetched property for it")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("row 18: a container whose stores are all open for reading only reads all of them")
    func readsAll() throws {
        _ = try fill(PersistentContainer(model: model, stores: stores()))
        let reading = stores().map { store in
            var store = store
            store.options.isReadOnly = true
            return store
        }
        let context = try PersistentContainer(model: model, stores: reading).newContext()
        for name in ["Favorite", "Product", "Label"] {
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: name))
            #expect(found.count == 1, "\(name)")
        }
        let label = try context.insert("Label")
        label[.string("text")] = "other"
        #expect(storeError { try context.save() }?.code == .permission)
    }

    @Test("row 17: stores that do not fit together are rejected, and no new one remains")
    func refusesStoresThatDoNotFit() throws {
        func problem(
            _ model: ManagedObjectModel?, _ stores: [StoreDescription]
        ) -> String? {
            storeError { _ = try PersistentContainer(model: model, stores: stores) }?.message
        }
        var atomic = stores()
        atomic[1].kind = .json
        #expect(
            problem(model, atomic) == "\(catalog): several stores of a container are SQLite files"
                + " or in memory; a Binary or JSON store must be the only one")
        #expect(
            problem(nil, [atomic[1]])
                == "Stores that are selected by configuration need a model")
        var reading = stores()
        reading[0].options.isReadOnly = true
        #expect(
            problem(model, reading) == "\(main) is open for reading only, and \(catalog) is not;"
                + " name a store that may be written first")
        let plain = try ManagedObjectModel(entities: model.entities)
        #expect(
            problem(plain, stores())
                == "\(main): the model has no configuration 'User'; it has none")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])

        var exact = stores()[1]
        exact.options.keepsExactDecimals = true
        _ = try PersistentContainer(model: model, stores: [exact])
        #expect(
            problem(model, stores()) == "\(catalog) and \(main) keep decimals differently; the"
                + " stores of a container keep all of them exact, or none")
        #expect(!FileManager.default.fileExists(atPath: main))
        #expect(FileManager.default.fileExists(atPath: catalog))
    }

    @Test("row 17: an asynchronous load opens all stores, and fails if one of them is missing")
    func loads() async throws {
        let container = try await PersistentContainer.load(model: model, stores: stores())
        #expect(container.store(of: "Label")?.description.path == catalog)
        let missing = StoreDescription.sqlite(
            at: folder.file("missing.sqlite"), configuration: "Catalog")
        await #expect(throws: StoreError.self) {
            _ = try await PersistentContainer.load(
                model: model, stores: [stores()[0], missing])
        }
    }
}
