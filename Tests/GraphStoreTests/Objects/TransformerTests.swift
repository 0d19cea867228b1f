import Foundation
import GraphModel
import Testing

@testable import GraphStore

private let entities = """
    Place:
      attributes:
        name: String
        position: { type: Transformable, transformer: Point }
        notes: { type: Transformable, transformer: Notes }
        raw: Transformable
    """

private struct Point: Codable, Hashable {
    var x: Int
    var y: Int
}

/// A transformer as an app would write it to hide stored values; a real one would use AES-GCM.
private struct HiddenNotes: AttributeTransformer {
    struct Damaged: Error {}

    func encode(_ value: [String]) throws -> [UInt8] {
        [0x4E] + value.joined(separator: "\n").utf8.map { $0 ^ 0x5A }
    }

    func decode(_ bytes: [UInt8]) throws -> [String] {
        guard bytes.first == 0x4E else { throw Damaged() }
        return String(decoding: bytes.dropFirst().map { $0 ^ 0x5A }, as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }
}

@Suite("Transformable attributes") struct TransformerTests {
    private let position = TransformableKey<Point>("position")
    private let notes = TransformableKey<[String]>("notes")

    private func withPlaces(_ body: (TestStore, ManagedObject) throws -> Void) throws {
        try withStore(entities) { store in
            store.container.register(JSONTransformer(Point.self), named: "Point")
            store.container.register(HiddenNotes(), named: "Notes")
            let context = store.context()
            try body(store, try context.insert("Place"))
            withExtendedLifetime(context) {}
        }
    }

    @Test("row 8: the model's transformer converts values on write and on read")
    func bothWays() throws {
        try withPlaces { store, place in
            place[position] = Point(x: 1, y: 2)
            place[notes] = ["one", "two"]
            try #require(place.managedObjectContext).save()
            try store.expect(
                "SELECT CAST(ZPOSITION AS TEXT), ZNOTES FROM ZPLACE",
                ["{\"x\":1,\"y\":2}|x4e35343f502e2d35"])
            let reader = store.context()
            let other = try reader.existingObject(with: place.objectID)
            #expect(other[position] == Point(x: 1, y: 2))
            #expect(try other.transformedValue(forKey: "notes") == ["one", "two"])
            other[position] = nil
            try reader.save()
            try store.expect("SELECT ZPOSITION FROM ZPLACE", ["-"])
        }
    }

    @Test("row 8: a transformable value can be read after the context is freed")
    func readWithoutContext() throws {
        try withPlaces { store, place in
            place[position] = Point(x: 1, y: 2)
            try #require(place.managedObjectContext).save()
            func places() throws -> [ManagedObject] {
                let context = store.context()
                return try context.fetch(FetchRequest<ManagedObject>(entityName: "Place"))
            }
            let other = try #require(try places().first)
            #expect(other.managedObjectContext == nil)
            #expect(other[position] == Point(x: 1, y: 2))
            #expect(
                storeError { try other.setTransformedValue(["x"], forKey: "notes") }?.code
                    == .invalidated)
        }
    }

    @Test("row 8: a change inside a transformable value changes the object")
    func changeInside() throws {
        try withPlaces { store, place in
            let context = try #require(place.managedObjectContext)
            place[position] = Point(x: 1, y: 2)
            try context.save()
            place[position]?.y = 9
            #expect(place.hasPersistentChangedValues)
            try context.save()
            try store.expect(
                "SELECT CAST(ZPOSITION AS TEXT) FROM ZPLACE", ["{\"x\":1,\"y\":9}"])
        }
    }

    @Test("row 8: a missing transformer, a wrong type, and damaged bytes are errors")
    func errors() throws {
        try withPlaces { store, place in
            #expect(
                storeError { try place.setTransformedValue(Point(x: 1, y: 1), forKey: "raw") }?
                    .code == .invalidRequest)
            #expect(
                storeError { try place.setTransformedValue(5, forKey: "position") }?.code
                    == .invalidRequest)
            #expect(
                storeError { try place.setTransformedValue("x", forKey: "name") }?.code
                    == .unknownKey)
            try place.setValue(.attribute(.blob([1, 2])), forKey: "notes")
            let error = storeError {
                _ = try place.transformedValue(forKey: "notes", as: [String].self)
            }
            #expect(error?.code == .corrupt && error?.cause is HiddenNotes.Damaged)
            // An accessor cannot throw, so the next save throws.
            #expect(place[notes] == nil)
            #expect(storeError { try place.managedObjectContext?.save() }?.code == .corrupt)
        }
    }
}
