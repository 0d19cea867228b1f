import Foundation
import GraphModel
import Testing

@testable import GraphStore

@Suite("Migration by mappings") struct MappingMigrationTests {
    private static let before = """
        Task:
          attributes: { title: String, priority: String, tagText: String }
          relationships: { owner: { to: Person, inverse: tasks } }
        Person:
          attributes: { fullName: String, street: String, gone: Boolean }
          relationships: { tasks: { to: Task, many: true, inverse: owner } }
        Company: { attributes: { title: String } }
        Tag: { attributes: { name: String } }
        """
    private static let after = """
        Task:
          attributes: { title: String, priority: { type: Integer 16, optional: false } }
          relationships:
            person: { to: Contact, inverse: tasks }
            tags: { to: Tag, many: true, inverse: tasks }
        Contact:
          attributes: { firstName: String, lastName: String }
          relationships:
            tasks: { to: Task, many: true, inverse: person }
            address: { to: Address, inverse: contact }
        Address:
          attributes: { street: String }
          relationships: { contact: { to: Contact, inverse: address } }
        Tag:
          attributes: { name: String, uses: { type: Integer 64, default: 0 } }
          relationships: { tasks: { to: Task, many: true, inverse: tags } }
          unique: [[name]]
        """

    private static let contact = EntityMapping(
        from: "Person", to: "Contact", where: "gone != YES",
        set: [
            "firstName": "split(fullName, ' ')[0]", "lastName": "split(fullName, ' ')[1]",
            "tasks": "tasks", "address": "$source",
        ])
    private static let company = EntityMapping(
        from: "Company", to: "Contact", set: ["lastName": "title"])
    private static let address = EntityMapping(
        from: "Person", to: "Address", where: "gone != YES", set: ["contact": "$source"])

    private static func fill(_ context: ManagedObjectContext) throws {
        let ann = try context.make("Person", ["fullName": "Ann Lee", "street": "A 1"])
        let bob = try context.make("Person", ["fullName": "Bob Roe", "gone": true])
        try context.make("Company", ["title": "Acme"])
        try context.make("Tag", ["name": "home"])
        try context.make(
            "Task",
            [
                "title": "a", "priority": "high", "tagText": "home, work,,home",
                "owner": .object(ann),
            ])
        try context.make(
            "Task", ["title": "b", "priority": "low", "tagText": " work ", "owner": .object(bob)])
        try context.make("Task", ["title": "c"])
    }

    private static func task(_ lookups: [RelationshipLookup]) -> EntityMapping {
        EntityMapping(
            from: "Task", to: "Task",
            set: [
                "priority": "ternary(priority == 'high', 2, ternary(priority == 'low', 0, 1))",
                "person": "owner",
            ], lookups: lookups)
    }

    private func expect(_ store: MigratedStore) throws {
        #expect(
            try store.objects("Contact", "firstName", "lastName", "address", "tasks") == [
                "firstName=Ann lastName=Lee address=#1 tasks=[#1]",
                "firstName=- lastName=Acme address=- tasks=[]",
            ])
        #expect(try store.objects("Address", "street", "contact") == ["street=A 1 contact=#1"])
        #expect(
            try store.objects("Task", "title", "priority", "person", "tags") == [
                "title=a priority=2 person=#1 tags=[#1 #2]",
                "title=b priority=0 person=- tags=[#2]",
                "title=c priority=1 person=- tags=[]",
            ])
        #expect(
            try store.objects("Tag", "name", "uses", "tasks") == [
                "name=home uses=0 tasks=[#1]", "name=work uses=0 tasks=[#1 #2]",
            ])
    }

    @Test("row 119: mappings evaluate expressions, merge and split entities, and look up by key")
    func expressions() throws {
        let store = try MigratedStore(from: Self.before, to: Self.after, Self.fill)
        let lookup = RelationshipLookup("tags", by: "name", from: "tagText", split: ",")
        let manager = MigrationManager(
            storeAt: store.path, to: store.new,
            mapping: MappingModel([Self.task([lookup]), Self.contact, Self.company, Self.address]))
        let plan = try manager.plan()
        #expect(plan.isPossible, "\(plan.text)")
        #expect(plan.objects == ["Task": 3, "Contact": 2, "Address": 1, "Tag": 2])
        try manager.migrate()
        try store.check()
        try expect(store)
    }

    @Test("row 119: a closure sees each old row and links objects by key")
    func closures() throws {
        let store = try MigratedStore(from: Self.before, to: Self.after, Self.fill)
        let task = EntityMapping(
            from: "Task", to: "Task", set: ["person": "owner"],
            lookups: [RelationshipLookup("tags", by: "name")]
        ) { row in
            row["priority"] =
                switch row.old("priority") {
                case .text("high"): .integer(2)
                case .text("low"): .integer(0)
                default: .integer(1)
                }
            guard case .text(let text) = row.old("tagText") else { return }
            row.link(
                "tags",
                to: text.split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                })
        }
        try MigrationManager(
            storeAt: store.path, to: store.new,
            mapping: MappingModel([task, Self.contact, Self.company, Self.address])
        ).migrate()
        try store.check()
        try expect(store)
    }

    @Test("a closure that omits a row removes its links; a closure that throws changes nothing")
    func leavingOut() throws {
        let store = try MigratedStore(from: Self.before, to: Self.before, Self.fill)
        let after = try model(Self.before.replacing("street: String, ", with: ""))
        let bytes = try Data(contentsOf: URL(filePath: store.path))
        struct Strange: Error {}
        let failing = EntityMapping(from: "Person", to: "Person") { _ in throw Strange() }
        let error = #expect(throws: StoreError.self) {
            try MigrationManager(storeAt: store.path, to: after, mapping: MappingModel([failing]))
                .migrate()
        }
        #expect(error?.code == .migrationRefused)
        #expect(error?.cause is Strange)
        #expect(try Data(contentsOf: URL(filePath: store.path)) == bytes)
        let leaving = EntityMapping(from: "Person", to: "Person") { row in
            if row.old("gone") == .integer(1) { row.leaveOut() }
        }
        try MigrationManager(storeAt: store.path, to: after, mapping: MappingModel([leaving]))
            .migrate()
        #expect(try store.objects("Person", "fullName", "tasks") == ["fullName=Ann Lee tasks=[#1]"])
        #expect(try store.objects("Task", "owner") == ["owner=#1", "owner=-", "owner=-"])
        #expect(try PersistentContainer.verify(at: store.path, .full).problems == [])
    }

    @Test("a mistake in a mapping is reported with the entity or property")
    func mistakes() throws {
        let store = try MigratedStore(from: Self.before, to: Self.after, Self.fill)
        func message(_ mapping: EntityMapping) -> String? {
            #expect(throws: StoreError.self) {
                try MigrationManager(
                    storeAt: store.path, to: store.new, mapping: MappingModel([mapping])
                ).plan()
            }?.message
        }
        #expect(
            message(EntityMapping(from: "Nobody", to: "Task"))
                == "The store has no objects of 'Nobody', which a mapping names")
        #expect(
            message(EntityMapping(from: "Task", to: "Nobody"))
                == "The mapping of 'Task' leads to 'Nobody', which is not an entity of the new model"
        )
        #expect(
            message(EntityMapping(from: "Task", to: "Task", set: ["x": "title"]))
                == "The mapping of 'Task' sets 'x', which 'Task' does not have")
        #expect(
            message(EntityMapping(from: "Task", to: "Task", set: ["person": "boss"]))
                == "The mapping of 'Task' sets 'person' to 'boss', which is not a relationship of it"
        )
        #expect(
            message(
                EntityMapping(
                    from: "Task", to: "Task",
                    lookups: [RelationshipLookup("tags", by: "uses", from: "tagText")]))
                    == """
                    The mapping of 'Task.tags' cannot be read: 'uses' (Integer 64) cannot hold text \
                    [predicate.type]
                      tagText
                      ^
                    """)
    }
}
