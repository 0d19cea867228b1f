import Diagnostics
import Files
import Foundation
import GraphModel
import SQLite
import Testing

@testable import GraphStore
@testable import RowStore

@Suite("Lightweight migration") struct LightweightMigrationTests {
    private static let before = """
        Person:
          attributes:
            name: { type: String, optional: false }
            nick: String
            age: { type: Integer 16 }
          relationships:
            tasks: { to: Todo, many: true, inverse: owner }
            passport: { to: Passport, inverse: person }
        Passport:
          attributes: { number: Integer 32 }
          relationships: { person: { to: Person, inverse: passport } }
        Todo:
          attributes: { name: String, done: Boolean, uid: UUID }
          relationships:
            owner: { to: Person, inverse: tasks }
            labels: { to: Label, many: true, inverse: todos }
        Label:
          attributes: { text: String }
          relationships: { todos: { to: Todo, many: true, inverse: labels } }
        """

    private static func fill(_ context: ManagedObjectContext) throws {
        let ann = try context.make("Person", ["name": "Ann", "nick": "A", "age": 30])
        let bob = try context.make("Person", ["name": "Bob"])
        try context.make("Passport", ["number": 7, "person": .object(bob)])
        let home = try context.make("Label", ["text": "home"])
        let work = try context.make("Label", ["text": "work"])
        try context.make(
            "Todo", ["name": "a", "done": true, "owner": .object(ann), "labels": .objects([home])])
        try context.make(
            "Todo", ["name": "b", "owner": .object(ann), "labels": .objects([home, work])])
        try context.make("Todo", ["name": "c", "owner": .object(bob)])
    }

    @Test("row 118: one migration renames, adds, and removes properties and entities")
    func everythingAtOnce() throws {
        let store = try MigratedStore(
            from: Self.before,
            to: """
                Author:
                  attributes: { a: String }
                Human:
                  renamed-from: Person
                  attributes:
                    fullName: { type: String, optional: false, renamed-from: name }
                    age: { type: Integer 64, optional: false, default: 18 }
                    level: { type: Integer 16, default: 3 }
                  relationships:
                    work: { to: Task, many: true, inverse: human, renamed-from: tasks }
                  unique: [[fullName]]
                  indexes: { byAge: [age desc] }
                Task:
                  renamed-from: Todo
                  attributes: { name: { type: String, searchable: true }, done: Integer 32, uid: String }
                  relationships:
                    human: { to: Human, inverse: work, renamed-from: owner }
                    tags: { to: Tag, many: true, inverse: tasks, renamed-from: labels, ordered: true }
                Tag:
                  renamed-from: Label
                  attributes: { text: String }
                  relationships: { tasks: { to: Task, many: true, inverse: tags, renamed-from: todos } }
                """, Self.fill)
        try store.run("UPDATE ZTODO SET ZUID = x'0123456789ABCDEF0123456789ABCDEF' WHERE Z_PK = 1")
        let result = try store.migrate()
        #expect(
            try store.objects("Human", "fullName", "age", "level", "work") == [
                "fullName=Ann age=30 level=3 work=[#1 #2]",
                "fullName=Bob age=18 level=3 work=[#3]",
            ])
        #expect(
            try store.objects("Task", "name", "done", "uid", "human", "tags") == [
                "name=a done=1 uid=01234567-89AB-CDEF-0123-456789ABCDEF human=#1 tags=[#1]",
                "name=b done=- uid=- human=#1 tags=[#1 #2]",
                "name=c done=- uid=- human=#2 tags=[]",
            ])
        #expect(
            try store.objects("Tag", "text", "tasks") == [
                "text=home tasks=[#1 #2]", "text=work tasks=[#2]",
            ])
        #expect(result.plan.objects == ["Author": 0, "Human": 2, "Task": 3, "Tag": 2])
        #expect(result.backupPath == store.path + ".bak-v1")
        #expect(
            result.plan.text == """
                + Author: new entity
                ~ Human: renamed from 'Person'
                ~ Human.fullName: renamed from 'name'
                ~ Human.age: type is Integer 64, was Integer 16
                ~ Human.age: is required now
                + Human.level: new attribute Integer 16, default 3 [2]
                ~ Human.work: renamed from 'tasks'
                ~ Human.work: leads to Task, was Todo
                ~ Human.work: inverse differs
                - Human.nick: is removed, with its values [1]
                - Human.passport: is removed, with its values [1]
                ~ Human: unique (fullName), was nothing
                ~ Tag: renamed from 'Label'
                ~ Tag.tasks: renamed from 'todos'
                ~ Tag.tasks: leads to Task, was Todo
                ~ Tag.tasks: inverse differs
                ~ Task: renamed from 'Todo'
                ~ Task.done: type is Integer 32, was Boolean
                ~ Task.uid: type is String, was UUID
                ~ Task.human: renamed from 'owner'
                ~ Task.human: leads to Human, was Person
                ~ Task.human: inverse differs
                ~ Task.tags: renamed from 'labels'
                ~ Task.tags: leads to Tag, was Label
                ~ Task.tags: order differs
                ~ Task.tags: inverse differs
                - Passport: entity is removed, with its objects [1]

                Author: 0 objects
                Human: 2 objects
                Tag: 2 objects
                Task: 3 objects

                """)
        // New objects get new keys, even if higher keys were used before.
        let container = try PersistentContainer(model: nil, at: store.path)
        let context = container.newContext()
        let new = try context.make("Task", ["name": "d"])
        try context.save()
        #expect(new.objectID.primaryKey > 3)
        // The backup is complete.
        let old = try PersistentContainer(model: store.old, at: store.path + ".bak-v1")
        #expect(try old.newContext().count(for: FetchRequest(entityName: "Todo")) == 3)
    }

    @Test("a store with the same model stays unchanged; new defaults only replace its stored model")
    func equalModels() throws {
        let store = try MigratedStore(from: Self.before, to: Self.before, Self.fill)
        let bytes = try Data(contentsOf: URL(filePath: store.path))
        let result = try store.manager.migrate()
        #expect(result.plan.isEmpty && result.backupPath == nil)
        #expect(try Data(contentsOf: URL(filePath: store.path)) == bytes)
        let worded = try model(
            Self.before.replacing("text: String", with: "text: { type: String, default: x }"))
        #expect(try worded.compatibility(withStoreAt: store.path) == .same)
        try MigrationManager(storeAt: store.path, to: worded).migrate()
        #expect(try PersistentContainer.model(ofStoreAt: store.path) == worded)
        #expect(try store.objects("Label", "text") == ["text=home", "text=work"])
    }

    @Test("row 118: a migration fails with a count if values that become required are missing")
    func requiredWithoutValue() throws {
        let after = Self.before.replacing(
            "nick: String", with: "nick: { type: String, optional: false }")
        let store = try MigratedStore(from: Self.before, to: after, Self.fill)
        let bytes = try Data(contentsOf: URL(filePath: store.path))
        let words =
            "Person.nick is required, and 1 object has none; set it in a mapping"
        #expect(try store.manager.plan().obstacles == [words])
        let error = #expect(throws: StoreError.self) { try store.manager.migrate() }
        #expect(error?.code == .migrationRefused)
        #expect(error?.message == "\(store.path) cannot be migrated: \(words)")
        #expect(try Data(contentsOf: URL(filePath: store.path)) == bytes)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
                == ["store.sqlite"])
        try store.run("UPDATE ZPERSON SET ZNICK = 'B' WHERE ZNICK IS NULL")
        try store.migrate()
        #expect(try store.objects("Person", "nick") == ["nick=A", "nick=B"])
    }

    @Test("duplicates of a key that becomes unique are reported with a count and an example")
    func duplicates() throws {
        let after = Self.before.replacing(
            "  attributes: { name: String, done: Boolean, uid: UUID }",
            with: "  attributes: { name: String, done: Boolean, uid: UUID }\n  unique: [[name]]")
        let store = try MigratedStore(from: Self.before, to: after) { context in
            for name in ["x", "x", "y", "y", "z"] {
                try context.make("Todo", ["name": .attribute(.text(name))])
            }
        }
        #expect(
            try store.manager.plan().obstacles == [
                "Todo is unique by (name) now, and 2 keys have several objects, such as 'x'"
            ])
        try store.run("UPDATE ZTODO SET ZNAME = ZNAME || Z_PK")
        try store.migrate()
        #expect(try store.lines("SELECT ZNAME FROM ZTODO") == ["x1", "x2", "y3", "y4", "z5"])
    }

    @Test("an incompatible type, or a to-many that becomes a to-one, needs a mapping")
    func unclear() throws {
        let after = Self.before
            .replacing("age: { type: Integer 16 }", with: "age: { type: Date }")
            .replacing(
                "labels: { to: Label, many: true, inverse: todos }",
                with: "labels: { to: Label, inverse: todos }")
        let store = try MigratedStore(from: Self.before, to: after, Self.fill)
        #expect(
            try store.new.compatibility(withStoreAt: store.path)
                == .needsMapping(
                    entities: ["Person", "Todo"],
                    reasons: [
                        "Person.age is Date, was Integer 16", "Todo.labels leads to one object now",
                    ]))
        #expect(
            #expect(throws: StoreError.self) { try store.manager.migrate() }?.code == .needsMapping)
    }

    @Test("a to-one relationship with a to-many or to-one inverse becomes a to-many")
    func toMany() throws {
        let after = Self.before
            .replacing(
                "owner: { to: Person, inverse: tasks }",
                with: "owners: { to: Person, many: true, inverse: tasks, renamed-from: owner }"
            )
            .replacing("inverse: owner }", with: "inverse: owners }")
            .replacing(
                "passport: { to: Passport, inverse: person }",
                with:
                    "passports: { to: Passport, many: true, inverse: person, renamed-from: passport }"
            )
            .replacing("inverse: passport }", with: "inverse: passports }")
        let store = try MigratedStore(from: Self.before, to: after, Self.fill)
        try store.migrate()
        #expect(
            try store.objects("Person", "tasks", "passports")
                == ["tasks=[#1 #2] passports=[]", "tasks=[#3] passports=[#1]"])
        #expect(
            try store.objects("Todo", "owners") == ["owners=[#1]", "owners=[#1]", "owners=[#2]"])
    }

    @Test("entities can move in their hierarchy; two hierarchies cannot be merged")
    func hierarchies() throws {
        let plain = """
            Car: { attributes: { name: String } , relationships: { garage: { to: Garage, inverse: cars } } }
            Garage:
              attributes: { name: String }
              relationships: { cars: { to: Car, many: true, ordered: true, inverse: garage } }
            Boat: { attributes: { name: String } }
            """
        let raised = """
            Vehicle:
              abstract: true
              attributes: { name: String }
              relationships: { garage: { to: Garage, inverse: vehicles } }
            Car: { parent: Vehicle, attributes: { seats: Integer 16 } }
            Truck: { parent: Vehicle, attributes: { load: Double } }
            Garage:
              attributes: { name: String }
              relationships:
                vehicles: { to: Vehicle, many: true, inverse: garage, renamed-from: cars }
            Boat: { attributes: { name: String } }
            """
        let store = try MigratedStore(from: plain, to: raised) { context in
            let garage = try context.make("Garage", ["name": "g"])
            let cars = try ["a", "b"].map {
                try context.make("Car", ["name": .attribute(.text($0))])
            }
            try garage.setValue(.objects(cars), forKey: "cars")
            try context.make("Boat", ["name": "sea"])
        }
        try store.migrate()
        #expect(
            try store.objects("Vehicle", "name", "garage")
                == ["name=a garage=#1", "name=b garage=#1"])
        #expect(try store.objects("Garage", "vehicles") == ["vehicles=[#1 #2]"])
        // Migrates back, with an order on this side.
        let back = try MigrationManager(storeAt: store.path, to: model(plain)).migrate()
        #expect(back.backupPath == store.path + ".bak-v2")
        #expect(
            try store.objects("Car", "name", "garage") == ["name=a garage=#1", "name=b garage=#1"])
        #expect(try PersistentContainer.verify(at: store.path, .full).problems == [])
        let merged = raised.replacing("Boat: {", with: "Boat: { parent: Vehicle } # {")
        let plan = try MigrationManager(storeAt: store.path, to: model(merged)).plan()
        #expect(
            plan.unclear == [
                "Vehicle would have the objects of Boat and Car, whose keys are not apart"
            ])
    }

    @Test("links to objects of a removed entity are removed")
    func removedDestination() throws {
        let before = """
            Item: { abstract: true, attributes: { name: String } , relationships: { box: { to: Box, inverse: items } } }
            Cup: { parent: Item }
            Plate: { parent: Item }
            Box:
              relationships:
                items: { to: Item, many: true, inverse: box }
                best: { to: Item }
                marks: { to: Mark, many: true, inverse: boxes }
            Mark: { attributes: { text: String }, relationships: { boxes: { to: Box, many: true, inverse: marks } } }
            """
        let after = before.replacing("Plate: { parent: Item }\n", with: "")
        let store = try MigratedStore(from: before, to: after) { context in
            let cup = try context.make("Cup", ["name": "cup"])
            let plate = try context.make("Plate", ["name": "plate"])
            try context.make("Box", ["items": .objects([cup, plate]), "best": .object(plate)])
            try context.make("Box", ["best": .object(cup)])
        }
        try store.migrate()
        #expect(
            try store.objects("Box", "items", "best") == ["items=[#1] best=-", "items=[] best=#1"])
    }

    @Test("a migration moves large values into and out of files, and deletes unused files")
    func externalValues() throws {
        let before = """
            A: { attributes: { photo: { type: Binary, external: true }, plain: Binary, gone: { type: Binary, external: true } } }
            """
        let after = """
            A: { attributes: { image: { type: Binary, renamed-from: photo }, plain: { type: Binary, external: true } } }
            """
        let large = [UInt8](repeating: 7, count: 200_000)
        let store = try MigratedStore(from: before, to: after) { context in
            try context.make(
                "A",
                [
                    "photo": .attribute(.blob(large)), "plain": .attribute(.blob([0, 1, 0, 2])),
                    "gone": .attribute(.blob(large)),
                ])
            try context.make("A", ["photo": .attribute(.blob([5]))])
            try context.make("A")
        }
        let files = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        #expect(try StoreFiles.names(in: files).count == 2)
        try store.migrate()
        #expect(try StoreFiles.names(in: files) == [])
        #expect(
            try store.objects("A", "image", "plain") == [
                "image=200000 bytes plain=4 bytes", "image=1 bytes plain=-", "image=- plain=-",
            ])
        #expect(try store.lines("SELECT hex(ZPLAIN) FROM ZA WHERE Z_PK = 1") == ["0100010002"])
        let backup = try PersistentContainer.verify(at: store.path + ".bak-v1", .full)
        #expect(backup.problems == [])
    }

    @Test("a rehearsal reads the store's large values and deletes only its own files")
    func rehearsal() throws {
        let before = "A: { attributes: { photo: { type: Binary, external: true } } }"
        let after = "A: { attributes: { image: { type: Binary, renamed-from: photo } } }"
        let store = try MigratedStore(from: before, to: after) { context in
            let large = [UInt8](repeating: 7, count: 200_000)
            try context.make("A", ["photo": .attribute(.blob(large))])
        }
        let files = StoreFiles.supportFolder(of: store.path) + "/_EXTERNAL_DATA"
        let names = try StoreFiles.names(in: files)
        #expect(names.count == 1)
        let beside = try StoreFiles.names(in: store.folder.path).sorted()
        var folder = ""
        do {
            let copy = try StoreRehearsal(of: store.path)
            folder = PathText.folder(of: copy.path)
            try MigrationManager(storeAt: copy.path, to: store.new).migrate()
            let connection = try Connection(path: copy.path, mode: .readOnly)
            #expect(try connection.integer("SELECT length(ZIMAGE) FROM ZA") == 200_000)
            let error = copy.reporting(
                StoreError(.full, "\(copy.path) is full"), of: "store.sqlite")
            #expect(error.code == .full && error.message == "store.sqlite is full")
        }
        #expect(!FileSystem.exists(folder))
        #expect(try StoreFiles.names(in: files) == names)
        #expect(try StoreFiles.names(in: store.folder.path).sorted() == beside)
        #expect(
            try ExternalFiles(storePath: store.path).value(
                of: .blob([2] + Array((names.first ?? "").utf8))
            ) == .blob([UInt8](repeating: 7, count: 200_000)))
        try store.migrate()
    }

    @Test("a migration computes derived and folded values, renews views, and keeps other tables")
    func whatHangsOn() throws {
        let before = """
            Team: { attributes: { name: String }, relationships: { members: { to: Member, many: true, inverse: team } } }
            Member: { attributes: { name: String }, relationships: { team: { to: Team, inverse: members } } }
            """
        let after = """
            Team:
              attributes:
                name: { type: String, searchable: true }
                size: { type: Integer 64, derived: "members.@count" }
                lower: { type: String, derived: "lowercase:(name)" }
              relationships: { members: { to: Member, many: true, inverse: team } }
            Member: { attributes: { title: { type: String, renamed-from: name } }, relationships: { team: { to: Team, inverse: members } } }
            """
        let store = try MigratedStore(from: before, to: after) { context in
            let team = try context.make("Team", ["name": "Äpfel"])
            try context.make("Member", ["name": "m", "team": .object(team)])
        }
        do {
            try PersistentContainer(model: nil, at: store.path).renewViews()
            try store.run(
                """
                CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept');
                CREATE INDEX noteIndex ON notes (text); CREATE VIEW mine AS SELECT * FROM notes;
                """)
        }
        #expect(try store.lines("SELECT name FROM Member") == ["m"])
        let result = try store.manager.migrate()
        #expect(result.plan.notes == [])
        #expect(try store.objects("Team", "size", "lower") == ["size=1 lower=äpfel"])
        #expect(try store.lines("SELECT title FROM Member") == ["m"])
        #expect(try store.lines("SELECT * FROM mine") == ["kept"])
        #expect(try PersistentContainer.verify(at: store.path, .full).problems == [])
        let context = try PersistentContainer(model: nil, at: store.path).newContext()
        let found = try context.fetch(
            FetchRequest(
                entityName: "Team", predicate: GraphPredicate(format: "name CONTAINS[cd] 'apf'")))
        #expect(found.count == 1)
    }
}
