import Dispatch
import GraphModel
import TestSeeds
import Testing

@testable import GraphStore

@Suite("Object registry")
struct ObjectRegistryTests {
    private let entities = """
        Item:
          attributes:
            name: String
        Other:
          attributes:
            name: String
        """

    @Test func findsAnObjectWhileItIsRetained() throws {
        let store = try TestStore(entities)
        let context = store.context()
        let id = ManagedObjectID(entityNumber: 1, primaryKey: 7)
        var object: ManagedObject? = context.object(with: id)
        #expect(context.registeredObject(for: id) === object)
        #expect(context.registeredObjects.map(\.objectID) == [id])
        object = nil
        #expect(context.registeredObject(for: id) == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test("a context retains a new object until the save or rollback, and not after")
    func newObjects() throws {
        let store = try TestStore(entities)
        let context = store.context()
        var kept: ManagedObject? = try context.insert("Item")
        weak var dropped = try context.insert("Item")
        #expect(context.registeredObjects.count == 2)
        #expect(dropped != nil)
        try context.save()
        #expect(dropped == nil)
        let id = try #require(kept?.objectID)
        #expect(context.registeredObject(for: id) === kept)
        kept = nil
        #expect(context.registeredObjects.isEmpty)

        dropped = try context.insert("Item")
        context.rollback()
        #expect(dropped == nil)
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func unregistersAnObjectWhenItsIDChanges() throws {
        let store = try TestStore(entities)
        let context = store.context()
        let old = ManagedObjectID(entityNumber: 1, primaryKey: 7)
        let new = ManagedObjectID(entityNumber: 1, primaryKey: 8)
        var object: ManagedObject? = context.object(with: old)
        object?.objectID = new
        #expect(context.registeredObjects.isEmpty)
        object.map(context.register)
        #expect(context.registeredObject(for: new) === object)
        object = nil
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func objectThatOutlivesItsContextIsFreed() throws {
        let store = try TestStore(entities)
        var context: ManagedObjectContext? = store.context()
        var object = context?.object(with: ManagedObjectID(entityNumber: 1, primaryKey: 1))
        weak let watched = object
        context = nil
        #expect(object?.managedObjectContext == nil)
        object = nil
        #expect(watched == nil)
    }

    @Test func freeingAnOldObjectAfterAResetKeepsTheNewOne() throws {
        let store = try TestStore(entities)
        let context = store.context()
        let id = ManagedObjectID(entityNumber: 1, primaryKey: 1)
        var old: ManagedObject? = context.object(with: id)
        context.reset()
        let new = context.object(with: id)
        #expect(old !== new)
        old = nil
        #expect(context.registeredObject(for: id) === new)
    }

    /// Compares the registry with a dictionary, for keys that are dense, far apart, or apart by
    /// powers of two.
    @Test(arguments: [1, 16, 1024, 1 << 40, 7919])
    func agreesWithADictionary(stride: Int64) throws {
        let seed = TestSeed.ofThisRun
        print("registry: stride \(stride), seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let store = try TestStore(entities)
        let context = store.context()
        var held: [ManagedObjectID: ManagedObject] = [:]
        for step in 0..<20_000 {
            let id = ManagedObjectID(
                entityNumber: Int64.random(in: 1...2, using: &random),
                primaryKey: Int64.random(in: 1...700, using: &random) &* stride)
            // Alternates between growth and shrinkage.
            if Int.random(in: 0..<10, using: &random) < (step / 5000 % 2 == 0 ? 7 : 2) {
                let object = context.object(with: id)
                if let known = held[id] { try #require(object === known) }
                held[id] = object
            } else {
                held[id] = nil
            }
            let asked = ManagedObjectID(
                entityNumber: 1, primaryKey: Int64.random(in: 1...700, using: &random) &* stride)
            try #require(context.registeredObject(for: asked) === held[asked])
        }
        #expect(Set(context.registeredObjects.map(\.objectID)) == Set(held.keys))
        held = [:]
        #expect(context.registeredObjects.isEmpty)
    }

    @Test func reusesCapacityIfOneObjectIsHeldAtATime() throws {
        let store = try TestStore(entities)
        let context = store.context()
        for key in 1...10_000 {
            _ = context.object(with: ManagedObjectID(entityNumber: 1, primaryKey: Int64(key)))
        }
        #expect(context.registry.capacity == 64)
    }

    @Test func shrinksAfterObjectsAreFreedAndTheOthersAreRead() throws {
        let store = try TestStore(entities)
        let context = store.context()
        let ids = (1...10_000).map { ManagedObjectID(entityNumber: 1, primaryKey: Int64($0)) }
        var objects = ids.map { context.object(with: $0) }
        #expect(context.registry.capacity == 16_384 && context.registeredObjects.count == 10_000)
        objects.removeFirst(9_900)
        #expect(Set(context.registeredObjects) == Set(objects))
        #expect(context.registry.capacity == 512)
        #expect(objects.allSatisfy { context.registeredObject(for: $0.objectID) === $0 })
    }

    /// A thread that sends a context away may release its objects while the other thread already
    /// looks them up.
    @Test func neverReturnsAnObjectThatAnotherThreadFrees() throws {
        let store = try TestStore(entities)
        nonisolated(unsafe) let context = store.context()
        let ids = (1...64).map { ManagedObjectID(entityNumber: 1, primaryKey: Int64($0)) }
        let released = DispatchSemaphore(value: 0)
        for _ in 0..<500 {
            nonisolated(unsafe) var objects = ids.map { context.object(with: $0) }
            DispatchQueue.global().async {
                objects.removeAll()
                released.signal()
            }
            let found = ids.compactMap { context.registeredObject(for: $0) }
            released.wait()
            // The found objects are retained, so their IDs still resolve to them.
            for object in found {
                #expect(context.registeredObject(for: object.objectID) === object)
            }
        }
        #expect(context.registeredObjects.isEmpty)
    }
}
