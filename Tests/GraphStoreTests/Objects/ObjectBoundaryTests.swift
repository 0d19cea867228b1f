import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// Objects with unregistered classes, objects whose rows are deleted, and objects whose context is
/// released.
@Suite("Objects at their boundaries") struct ObjectBoundaryTests {
    private final class Person: ManagedObject {
        static let name = AttributeKey<String>("name", slot: 0)
        static let pets = ToManyKey<Pet>("pets", slot: 0)
    }

    private final class Pet: ManagedObject {
        static let name = AttributeKey<String>("name", slot: 0)
        static let owner = ToOneKey<Person>("owner", slot: 0)
    }

    private static let entities = """
        Person:
          attributes:
            name: { type: String, optional: false }
            height: Double
            weight: Float
            born: Date
            wealth: Decimal
          relationships: { pets: { to: Pet, many: true, inverse: owner } }
        Pet:
          attributes: { name: String }
          relationships: { owner: { to: Person, inverse: pets } }
        """

    /// Returns a store with Ann and her cat, in which no class is registered.
    private static func store() throws -> TestStore {
        let store = try TestStore(entities)
        let context = store.context()
        let person = try context.insert("Person")
        try person.setValue(.attribute(.text("Ann")), forKey: "name")
        let pet = try context.insert("Pet")
        try pet.setValue(.attribute(.text("Tom")), forKey: "name")
        try pet.setValue(.object(person), forKey: "owner")
        try context.save()
        return store
    }

    private static func ann(_ context: ManagedObjectContext) throws -> ManagedObject {
        try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).first)
    }

    // MARK: Classes

    @Test("the first request for an unregistered class registers it")
    func registeredByUse() throws {
        let store = try Self.store()
        let context = store.context()
        let people = try context.fetch(Person.request)
        #expect(people.map { $0[Person.name] } == ["Ann"])
        #expect(try context.fetchPage(Pet.request).map { $0[Pet.name] } == ["Tom"])
        let reference = Ref(people[0])
        #expect(context[reference] === people[0])
    }

    @Test("a request fails if its objects are already registered with another class")
    func otherClass() throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try Self.ann(context)
        let error = storeError { _ = try context.fetch(Person.request) }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message
                == "'Person' p1 was read as 'ManagedObject', not as 'Person'; register the class "
                + "before its objects are read: `container.register(Person.self)`")
        withExtendedLifetime(ann) {}
    }

    @Test("a typed relationship registers the class of its objects")
    func registeredByLinks() throws {
        let store = try Self.store()
        var context = store.context()
        let person = try #require(try context.fetch(Person.request).first)
        #expect(person[Person.pets].map { $0[Pet.name] } == ["Tom"])
        let other = try Self.store()
        context = other.context()
        let pet = try #require(try context.fetch(Pet.request).first)
        #expect(pet[Pet.owner]?[Person.name] == "Ann")
        #expect(context.takeNotedErrors().isEmpty)
    }

    /// The reason why Tom cannot be returned by a typed accessor.
    private static let tomIsNoPet =
        "'Pet' p1 was read as 'ManagedObject', not as 'Pet'; register the class before its objects "
        + "are read: `container.register(Pet.self)`"

    /// Returns what a process prints when it ends.
    private static func lastWords(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("a to-many link to an object that was read with another class ends the process")
    func toManyOfOtherClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let store = try ObjectBoundaryTests.store()
            let context = store.context()
            let pets = try context.fetch(FetchRequest<ManagedObject>(entityName: "Pet"))
            let person = try context.fetch(Person.request).first
            _ = person?[Person.pets]
            withExtendedLifetime(pets) {}
        }
        let text = Self.lastWords(result)
        #expect(
            text.contains("'Person.pets' of p1 cannot be used: \(Self.tomIsNoPet)"), "\(text)")
    }

    @Test("a to-one link to an object that was read with another class ends the process")
    func toOneOfOtherClass() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let store = try ObjectBoundaryTests.store()
            let context = store.context()
            let ann = try ObjectBoundaryTests.ann(context)
            let pet = try context.fetch(Pet.request).first
            _ = pet?[Pet.owner]
            withExtendedLifetime(ann) {}
        }
        let text = Self.lastWords(result)
        #expect(
            text.contains(
                "'Pet.owner' of p1 cannot be used: 'Person' p1 was read as 'ManagedObject', not as "
                    + "'Person'; register the class before its objects are read: "
                    + "`container.register(Person.self)`"), "\(text)")
    }

    @Test("untyped links and references report an object that was read with another class")
    func untypedLinksOfOtherClass() throws {
        let store = try Self.store()
        let context = store.context()
        let pets = try context.fetch(FetchRequest<ManagedObject>(entityName: "Pet"))
        let person = try #require(try context.fetch(Person.request).first)
        #expect(person[ToManyKey<ManagedObject>("pets")] == pets)
        #expect(try person.value(forKey: "pets").objects == pets)
        let reference = Ref<Pet>(id: pets[0].objectID)
        #expect(
            storeError { _ = try context.existingObject(reference) }?.message == Self.tomIsNoPet)
        #expect(context.takeNotedErrors().isEmpty)
        #expect(context[reference] == nil)
        #expect(context.takeNotedErrors().map(\.message) == [Self.tomIsNoPet])
    }

    // MARK: Numbers

    @Test(
        "NaN and infinities fail validation", arguments: ["height", "weight", "born", "wealth"],
        [Double.nan, .infinity, -.infinity])
    func notFinite(name: String, number: Double) throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try Self.ann(context)
        for error in [
            storeError { try ann.setValue(.attribute(.real(number)), forKey: name) },
            storeError { try ann.setPrimitiveValue(.real(number), forKey: name) },
        ] {
            #expect(error?.code == .validation)
            #expect(
                error?.message
                    == "'Person.\(name)' cannot hold \(number), because it is not finite")
        }
        let request = BatchInsertRequest(
            entityName: "Person", objects: [["name": "Bob", name: .value(.real(number))]])
        let result = try context.execute(request)
        #expect(result.inserted == 0 && result.rejects.map(\.property) == [name])
    }

    @Test(
        "a batch update with NaN or an infinity fails and changes nothing",
        arguments: ["height", "weight", "born", "wealth"], [Double.nan, .infinity, -.infinity])
    func notFiniteInBatches(name: String, number: Double) throws {
        let store = try Self.store()
        let context = store.context()
        // Dates have no arithmetic.
        let expressions: [GraphExpression] =
            name == "born"
            ? [.constant(.date(secondsSinceReference: number))]
            : [
                .constant(.double(number)),
                .arithmetic(.add, .keyPath([name]), .constant(.double(number))),
            ]
        for expression in expressions {
            let request = BatchUpdateRequest(
                entityName: "Person", propertiesToUpdate: [name: expression])
            let error = storeError { _ = try context.execute(request) }
            #expect(error?.code == .validation)
            #expect(
                error?.message == "'Person.\(name)' cannot hold \(number), because it is not finite"
            )
        }
        try store.expect("SELECT count(*) FROM ZPERSON WHERE Z_OPT > 1", ["0"])
    }

    @Test(
        "a batch update whose result is too large fails and changes nothing",
        arguments: [
            ("height", 1e308, "The result of the arithmetic is too large"),
            ("weight", 1e38, "'weight' of 1 object would be too large for Float"),
            ("wealth", 1e308, "The result of the arithmetic is too large"),
        ])
    func tooLargeInBatches(name: String, number: Double, message: String) throws {
        let store = try Self.store()
        let context = store.context()
        try Self.ann(context).setValue(.attribute(.real(number)), forKey: name)
        try context.save()
        let request = BatchUpdateRequest(
            entityName: "Person",
            propertiesToUpdate: [
                name: .arithmetic(.multiply, .keyPath([name]), .constant(.integer(10)))
            ])
        let error = storeError { _ = try context.execute(request) }
        #expect(error?.message == message)
        try store.expect("SELECT Z_OPT FROM ZPERSON", ["2"])
    }

    @Test("a Double that does not fit into a Float attribute fails")
    func tooLargeForFloat() throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try Self.ann(context)
        let error = storeError { try ann.setValue(.attribute(.real(1e300)), forKey: "weight") }
        #expect(error?.message == "1e+300 does not fit into 'Person.weight' (Float)")
    }

    // MARK: Freed contexts

    @Test("attributes of an object can be read after its context is freed")
    func readWithoutContext() throws {
        let store = try Self.store()
        func people() throws -> [ManagedObject] {
            let context = store.context()
            return try context.fetchIDs(FetchRequest<ManagedObject>(entityName: "Person"))
                .map { context.object(with: $0) }
        }
        let ann = try #require(try people().first)
        #expect(ann.managedObjectContext == nil)
        #expect(ann.isFault)
        guard case .attribute(.text("Ann")) = try ann.value(forKey: "name") else {
            Issue.record("the name cannot be read")
            return
        }
        #expect(try ann.objectIDs(for: "pets").count == 1)
        let message =
            "The context of an object of 'Person' no longer exists: the object can be read, but "
            + "its links cannot be followed and it cannot be changed"
        #expect(storeError { _ = try ann.value(forKey: "pets") }?.message == message)
        #expect(
            storeError { try ann.setValue(.attribute(.text("Bob")), forKey: "name") }?.message
                == message)
    }

    @Test("an object can be read after its context and its container are freed")
    func readWithoutContainer() throws {
        let store = try Self.store()
        func people() throws -> [Person] {
            let container = try PersistentContainer(model: nil, at: store.path)
            let context = container.newContext()
            let people = try context.fetch(Person.request)
            for person in people { try context.refresh(person, mergeChanges: false) }
            return people
        }
        let ann = try #require(try people().first)
        #expect(ann.managedObjectContext == nil && ann.isFault)
        #expect(ann[required: Person.name] == "Ann")
        #expect(try ann.objectIDs(for: "pets").count == 1)
    }

    @Test("following a typed link after the context is freed ends the process with the reason")
    func linkWithoutContext() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let store = try ObjectBoundaryTests.store()
            func people() throws -> [Person] { try store.context().fetch(Person.request) }
            _ = try people().first?[Person.pets]
        }
        let text = Self.lastWords(result)
        #expect(
            text.contains(
                "of p1 cannot be used: The context of an object of 'Person' no longer "
                    + "exists"), "\(text)")
    }

    @Test("a retained object keeps neither its context nor the context's other changes alive")
    func pendingChangesOfAFreedContext() throws {
        let store = try Self.store()
        weak var context: ManagedObjectContext?
        weak var pet: ManagedObject?
        func edited() throws -> ManagedObject {
            let own = store.context()
            context = own
            let ann = try Self.ann(own)
            try ann.setValue(.attribute(.real(1.8)), forKey: "height")
            pet = try own.insert("Pet")
            return ann
        }
        let ann = try edited()
        #expect(context == nil && pet == nil)
        #expect(try ann.value(forKey: "height").value(as: Double.self) == 1.8)
        try store.expect("SELECT ZHEIGHT FROM ZPERSON", ["-"])
    }

    @Test("a reference can be read after the context is freed")
    func referenceWithoutContext() throws {
        let store = try Self.store()
        let pet = try #require(
            try store.context().fetch(FetchRequest<ManagedObject>(entityName: "Pet")).first)
        #expect(pet.managedObjectContext == nil)
        let owner = try #require(pet[reference: Pet.owner])
        #expect(owner.id == (try Self.ann(store.context()).objectID))
    }

    #if os(Linux)
        @Test("a context with unsaved changes is freed and closes its connections")
        func descriptors() throws {
            let store = try Self.store()
            func count() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                    let path = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\($0)")
                    return path?.hasPrefix(store.path) == true
                }.count
            }
            let before = try count()
            for _ in 0..<10 {
                weak var watched: ManagedObjectContext?
                do {
                    let context = store.context()
                    let ann = try Self.ann(context)
                    try ann.setValue(.attribute(.text("Bob")), forKey: "name")
                    _ = try context.insert("Pet")
                    watched = context
                }
                #expect(watched == nil)
            }
            // One reader may be cached for the next context.
            #expect(try count() <= before + 3)
        }
    #endif

    // MARK: Deleted rows

    @Test("reading a required attribute of a deleted row ends the process with the reason")
    func required() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            let store = try ObjectBoundaryTests.store()
            let context = store.context()
            guard let person = try context.fetch(Person.request).first else { return }
            try context.refresh(person, mergeChanges: false)
            let other = store.context()
            other.delete(try ObjectBoundaryTests.ann(other))
            try other.save()
            _ = person[required: Person.name]
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "'Person.name' of p1 cannot be used: The row of 'Person' p1 no longer exists (133000)"
            ),
            "\(text)")
    }

    @Test("row 31: with the debug variable, using an object outside its context ends the process")
    func confinement() async {
        await #expect(processExitsWith: .failure) {
            setenv("GRAPHSTORE_CONCURRENCY_DEBUG", "1", 1)
            try await ObjectBoundaryTests.readOutside()
        }
        await #expect(processExitsWith: .success) {
            unsetenv("GRAPHSTORE_CONCURRENCY_DEBUG")
            try await ObjectBoundaryTests.readOutside()
        }
    }

    /// Uses an object outside its context in a way that the compiler does not check.
    private static func readOutside() async throws {
        let store = try store()
        let background = store.container.newBackgroundContext()
        try await background.perform { leaked = try ann($0) }
        _ = try leaked?.value(forKey: "name")
        withExtendedLifetime(background) {}
    }

    nonisolated(unsafe) private static var leaked: ManagedObject?

    @Test("a link to an object whose deletion is saved fails")
    func linkToDeleted() throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try #require(try context.fetch(Person.request).first)
        let tom = try #require(try context.fetch(Pet.request).first)
        context.delete(ann)
        try context.save()
        let error = storeError { try tom.setValue(.object(ann), forKey: "owner") }
        #expect(error?.message == "'owner' cannot lead to a deleted object")
        #expect(tom[Pet.owner] == nil && !context.hasChanges)
    }

    @Test("the deletion of another context's object, or of one before a reset, fails with the save")
    func foreignDeletion() throws {
        let store = try Self.store()
        let context = store.context()
        let other = store.context()
        let ann = try Self.ann(other)
        context.delete(ann)
        #expect(storeError { try context.save() }?.code == .foreignContext)
        other.reset()
        other.delete(ann)
        #expect(storeError { try other.save() }?.code == .invalidated)
        #expect(try context.count(for: Person.request) == 1)
    }

    @Test("a request with the class of another entity fails and names both")
    func classOfOtherEntity() throws {
        let store = try Self.store()
        let context = store.context()
        let error = storeError { _ = try context.fetch(FetchRequest<Pet>(entityName: "Person")) }
        #expect(
            error?.message
                == "Objects of 'Person' are 'ManagedObject' here, not 'Pet'; 'Pet' is the class of "
                + "'Pet'")
    }

    @Test("a Decimal that is not a number fails validation")
    func decimalNaN() throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try Self.ann(context)
        let error = storeError { try ann.setValue(PropertyValue(Decimal.nan), forKey: "wealth") }
        #expect(error?.message == "'Person.wealth' cannot hold nan, because it is not finite")
    }

    @Test("after its deletion is saved, an object has no context and isDeleted is false")
    func deleted() throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try Self.ann(context)
        context.delete(ann)
        #expect(ann.isDeleted)
        #expect(ann.managedObjectContext === context)
        try context.save()
        #expect(!ann.isDeleted)
        #expect(ann.managedObjectContext == nil)
    }

    @Test("an object whose deletion was saved or merged cannot change", arguments: [true, false])
    func deletedForChanges(_ isOwn: Bool) throws {
        let store = try Self.store()
        let context = store.context()
        let ann = try #require(try context.fetch(Person.request).first)
        let tom = try #require(try context.fetch(Pet.request).first)
        if isOwn {
            context.delete(ann)
            try context.save()
        } else {
            let other = store.context()
            other.delete(other.object(with: ann.objectID))
            try context.merge(try other.save().change)
        }
        let changes: [() throws -> Void] = [
            { try ann.setValue("Bob", forKey: "name") },
            { try ann.setValue(.objects([tom]), forKey: "pets") },
            { ann[Person.name] = "Bob" }, { ann.add(tom, to: Person.pets) },
            { ann.remove(tom, from: Person.pets) },
        ]
        for change in changes {
            let error = storeError {
                try change()
                // It throws the errors of accessors that cannot throw.
                try context.save()
            }
            #expect(error?.message == "The row of 'Person' p1 no longer exists (133000)")
        }
        #expect(!ann.hasChanges && !context.hasChanges)
        #expect(ann[Person.name] == "Ann")
        try store.expect("SELECT count(*) FROM ZPERSON", ["0"])
    }

    @Test("a merge marks an object with unsaved changes as deleted if its row is deleted")
    func merged() throws {
        let store = try Self.store()
        let (context, other) = (store.context(), store.context())
        let ann = try Self.ann(context)
        try ann.setValue(.attribute(.real(1.8)), forKey: "height")
        other.delete(try Self.ann(other))
        try context.merge(try other.save().change)
        #expect(ann.isDeleted)
        #expect(storeError { try context.save() } != nil)
    }
}
