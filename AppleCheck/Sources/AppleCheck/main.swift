#if canImport(CoreData)
    import CoreData
    import SQLite3

    /// A failed check, which makes the process exit with 1.
    struct CheckFailure: Error { let message: String }

    func require(_ condition: Bool, _ message: String) throws {
        guard condition else { throw CheckFailure(message: message) }
        print("ok: \(message)")
    }

    func count(_ entity: String, _ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }

    func first(
        _ entity: String, _ key: String, _ value: Any, _ context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "%K == %@", argumentArray: [key, value])
        guard let object = try context.fetch(request).first else {
            throw CheckFailure(message: "no \(entity) with \(key) \(value)")
        }
        return object
    }

    /// Returns the model that the store contains in `Z_MODELCACHE`: a keyed archive, deflated.
    func cachedModel(_ store: URL) throws -> NSManagedObjectModel {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        var row: OpaquePointer?
        defer { sqlite3_finalize(row) }
        guard sqlite3_open_v2(store.path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            sqlite3_prepare_v2(database, "SELECT Z_CONTENT FROM Z_MODELCACHE", -1, &row, nil)
                == SQLITE_OK,
            sqlite3_step(row) == SQLITE_ROW, let bytes = sqlite3_column_blob(row, 0)
        else { throw CheckFailure(message: "Z_MODELCACHE holds no model") }
        let content = NSData(bytes: bytes, length: Int(sqlite3_column_bytes(row, 0)))
        let archive = try content.decompressed(using: .zlib) as Data
        guard
            let model = try NSKeyedUnarchiver.unarchivedObject(
                ofClass: NSManagedObjectModel.self, from: archive)
        else { throw CheckFailure(message: "the archive in Z_MODELCACHE holds no model") }
        return model
    }

    /// Opens the store without migration, so that Core Data itself compares the hashes.
    func open(_ store: URL, _ model: NSManagedObjectModel) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: store)
        description.shouldMigrateStoreAutomatically = false
        description.shouldAddStoreAsynchronously = false
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    func check(_ store: URL, _ model: NSManagedObjectModel) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: store, options: nil)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        for (name, hash) in model.entityVersionHashesByName.sorted(by: { $0.key < $1.key }) {
            try require(hashes[name] == hash, "the hash of \(name) is Core Data's")
        }
        let cached = try cachedModel(store)
        try require(
            cached.entityVersionHashesByName == model.entityVersionHashesByName,
            "Core Data reads the model in Z_MODELCACHE, and its hashes are the same")
        do {
            let context = try open(store, model).viewContext
            for (entity, expected) in [
                ("Note", 2), ("Item", 4), ("Book", 3), ("Film", 1), ("Tag", 2), ("Shelf", 2),
                ("Person", 3),
            ] {
                try require(try count(entity, context) == expected, "\(expected) of \(entity)")
            }
            let upper = try first("Shelf", "label", "Upper", context)
            let titles = upper.mutableOrderedSetValue(forKey: "books").array.compactMap {
                ($0 as? NSManagedObject)?.value(forKey: "title") as? String
            }
            try require(titles == ["Solaris", "Rocannon"], "the order of the books is kept")
            let classic = try first("Tag", "name", "classic", context)
            try require(
                classic.mutableSetValue(forKey: "items").count == 3, "3 items of both entities")
            let cid = try first("Person", "name", "Cid", context)
            try require(cid.mutableSetValue(forKey: "followers").count == 2, "2 followers of Cid")
            try require(cid.mutableSetValue(forKey: "friends").count == 1, "1 friend of Cid")
            let changes = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(changes) as? NSPersistentHistoryResult
            let history = result?.result as? [NSPersistentHistoryTransaction] ?? []
            try require(!history.isEmpty, "the history has transactions")

            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(5, forKey: "id")
            book.setValue("Added", forKey: "title")
            book.setValue(upper, forKey: "shelf")
            book.mutableSetValue(forKey: "tags").add(classic)
            cid.mutableSetValue(forKey: "follows").add(try first("Person", "name", "Ann", context))
            try context.save()
        }
        let context = try open(store, model).viewContext
        let added = try first("Book", "id", 5, context)
        let shelf = added.value(forKey: "shelf") as? NSManagedObject
        try require(shelf?.value(forKey: "label") as? String == "Upper", "the added book is read")
        let ann = try first("Person", "name", "Ann", context)
        try require(ann.mutableSetValue(forKey: "followers").count == 1, "the added link is read")
    }

    /// Prints the hashes of an entity with a derived attribute; the rule for this hash is unknown.
    func printDerivedHashes() {
        for expression in ["name", "canonical:(name)", "now()"] {
            let name = NSAttributeDescription()
            (name.name, name.attributeType, name.isOptional) = ("name", .stringAttributeType, true)
            let derived = NSDerivedAttributeDescription()
            derived.name = "derived"
            derived.attributeType =
                expression == "now()" ? .dateAttributeType : .stringAttributeType
            derived.isOptional = true
            derived.derivationExpression = NSExpression(format: expression)
            let entity = NSEntityDescription()
            entity.name = "Derived"
            entity.properties = [name, derived]
            let model = NSManagedObjectModel()
            model.entities = [entity]
            for (what, hash) in [
                ("attribute", derived.versionHash), ("entity", entity.versionHash),
            ] {
                let digits = hash.map { String(format: "%02x", $0) }.joined()
                print("derived by \(expression): \(what) \(digits)")
            }
        }
    }

    let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    guard arguments.count == 2, let model = NSManagedObjectModel(contentsOf: arguments[1]) else {
        print("usage: AppleCheck STORE.sqlite MODEL.momd")
        exit(64)
    }
    printDerivedHashes()
    do {
        try check(arguments[0], model)
    } catch let failure as CheckFailure {
        print("failed: \(failure.message)")
        exit(1)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
#else
    print("AppleCheck needs Core Data, which only Apple's systems have. Run it on macOS.")
#endif
