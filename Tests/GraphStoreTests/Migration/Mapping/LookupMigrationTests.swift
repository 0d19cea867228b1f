import GraphModel
import Testing

@testable import GraphStore

@Suite("Lookups of mappings") struct LookupMigrationTests {
    private static let before = """
        Task: { attributes: { title: String, tagText: String, placeName: String } }
        Note: { attributes: { text: String, number: Integer 32 } }
        Place: { attributes: { name: String } }
        City: { parent: Place }
        """
    private static let after = """
        Task:
          attributes: { title: String }
          relationships:
            tags: { to: Tag, many: true, ordered: true, inverse: tasks }
            place: { to: Place, inverse: tasks }
            level: { to: Level }
        Tag:
          attributes: { name: String, color: String, rank: { type: Integer 16, default: 3 } }
          relationships: { tasks: { to: Task, many: true, ordered: true, inverse: tags } }
        Level: { attributes: { number: Integer 32 } }
        Place:
          attributes: { name: String }
          relationships: { tasks: { to: Task, many: true, ordered: true, inverse: place } }
        City: { parent: Place }
        """

    private static func fill(_ context: ManagedObjectContext) throws {
        try context.make("Task", ["title": "a", "tagText": "y, x", "placeName": "Rome"])
        try context.make("Task", ["title": "b", "tagText": "x,z", "placeName": "Oslo"])
        try context.make("Note", ["text": "x", "number": 7])
        try context.make("City", ["name": "Rome"])
    }

    private static let mapping = MappingModel([
        EntityMapping(
            from: "Task", to: "Task",
            lookups: [
                RelationshipLookup("tags", by: "name", from: "tagText", split: ","),
                RelationshipLookup("place", by: "name", from: "placeName"),
            ]),
        EntityMapping(
            from: "Note", to: "Task", set: ["title": "'note'"],
            lookups: [
                RelationshipLookup("tags", by: "name", from: "text", split: ""),
                RelationshipLookup("level", by: "number", from: "number"),
            ]),
    ])

    @Test("a lookup fills ordered relationships at both ends, also of merged entities")
    func orders() throws {
        let store = try MigratedStore(from: Self.before, to: Self.after, Self.fill)
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: Self.mapping)
        #expect(
            try manager.plan().objects
                == ["Task": 3, "Tag": 3, "Level": 1, "Place": 1, "City": 1])
        try manager.migrate()
        try store.check()
        #expect(
            try store.objects("Task", "title", "tags", "place", "level") == [
                "title=a tags=[#1 #2] place=#1 level=-",
                "title=b tags=[#2 #3] place=#2 level=-",
                "title=note tags=[#2] place=- level=#1",
            ])
        #expect(
            try store.objects("Tag", "name", "color", "rank", "tasks") == [
                "name=y color=- rank=3 tasks=[#1]", "name=x color=- rank=3 tasks=[#1 #2 #3]",
                "name=z color=- rank=3 tasks=[#2]",
            ])
        #expect(try store.objects("Level", "number") == ["number=7"])
        #expect(
            try store.objects("Place", "name", "tasks")
                == ["name=Rome tasks=[#1]", "name=Oslo tasks=[#2]"])
    }

    @Test("a lookup links an object of a sub-entity with its own entity")
    func subentity() throws {
        let store = try MigratedStore(from: Self.before, to: Self.after, Self.fill)
        try MigrationManager(storeAt: store.path, to: store.new, mapping: Self.mapping).migrate()
        let container = try PersistentContainer(model: nil, at: store.path)
        let context = container.newContext()
        let found = try context.fetch(FetchRequest(entityName: "Task"))
            .sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            .map { task -> String in
                guard case .object(let place?) = try task.value(forKey: "place") else { return "-" }
                let entity = container.schema.entity(number: place.objectID.entityNumber)
                return "\(entity?.name ?? "?") \(try place.value(forKey: "name").text)"
            }
        #expect(found == ["City Rome", "Place Oslo", "-"])
    }

    @Test("a path leads to an object whose primary key a merge has changed")
    func shiftedPath() throws {
        let before = """
            Task:
              attributes: { title: String, image: Binary }
              relationships: { client: { to: Client } }
            Client:
              attributes: { name: String }
              relationships: { firm: { to: Firm, inverse: clients } }
            Firm:
              attributes: { name: String }
              relationships: { clients: { to: Client, many: true, inverse: firm } }
            """
        let after = """
            Task:
              attributes: { title: String, photo: { type: Binary, external: true } }
              relationships: { payer: { to: Party, optional: false } }
            Party: { attributes: { name: String } }
            """
        let store = try MigratedStore(from: before, to: after) { context in
            let firm = try context.make("Firm", ["name": "Acme"])
            let client = try context.make("Client", ["name": "Ann", "firm": .object(firm)])
            try context.make("Client", ["name": "Bob"])
            try context.make(
                "Task",
                [
                    "title": "a", "client": .object(client),
                    "image": .attribute(.blob([1, 2, 3])),
                ])
        }
        let parties = ["Client", "Firm"].map { EntityMapping(from: $0, to: "Party") }
        let task = EntityMapping(
            from: "Task", to: "Task", set: ["payer": "client.firm", "photo": "image"])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel(parties + [task]))
        try manager.migrate()
        try store.check()
        #expect(try store.objects("Party", "name") == ["name=Ann", "name=Bob", "name=Acme"])
        #expect(
            try store.objects("Task", "title", "payer", "photo")
                == ["title=a payer=#3 photo=3 bytes"])
    }

    @Test("a path fills a many-to-many relationship with at most one object")
    func pathToMany() throws {
        let before = """
            Task: { attributes: { title: String }, relationships: { client: { to: Client } } }
            Client: { attributes: { name: String }, relationships: { firm: { to: Firm } } }
            Firm: { attributes: { name: String } }
            """
        let after = """
            Task:
              attributes: { title: String }
              relationships: { payers: { to: Firm, many: true, inverse: tasks } }
            Firm:
              attributes: { name: String }
              relationships: { tasks: { to: Task, many: true, inverse: payers } }
            """
        let store = try MigratedStore(from: before, to: after) { context in
            let firm = try context.make("Firm", ["name": "Acme"])
            let client = try context.make("Client", ["name": "Ann", "firm": .object(firm)])
            try context.make("Task", ["title": "a", "client": .object(client)])
            try context.make("Task", ["title": "b"])
        }
        let task = EntityMapping(from: "Task", to: "Task", set: ["payers": "client.firm"])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([task]))
        try manager.migrate()
        try store.check()
        #expect(
            try store.objects("Task", "title", "payers")
                == ["title=a payers=[#1]", "title=b payers=[]"])
        #expect(try store.objects("Firm", "name", "tasks") == ["name=Acme tasks=[#1]"])
    }

    @Test("a required path without an object prevents the migration")
    func missingPath() throws {
        let before = """
            Task: { attributes: { title: String }, relationships: { client: { to: Client } } }
            Client: { attributes: { name: String }, relationships: { firm: { to: Firm } } }
            Firm: { attributes: { name: String } }
            """
        let after = """
            Task: { attributes: { title: String }, relationships: { payer: { to: Firm, optional: false } } }
            Firm: { attributes: { name: String } }
            """
        let store = try MigratedStore(from: before, to: after) {
            try $0.make("Task", ["title": "a"])
        }
        let task = EntityMapping(from: "Task", to: "Task", set: ["payer": "client.firm"])
        let manager = MigrationManager(
            storeAt: store.path, to: store.new, mapping: MappingModel([task]))
        #expect(
            try manager.plan().obstacles
                == ["Task.payer is required, and 1 object has none; set it in a mapping"])
    }
}
