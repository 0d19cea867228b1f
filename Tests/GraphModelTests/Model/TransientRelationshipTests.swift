import Foundation
import Testing

@testable import GraphModel

@Suite("Transient relationships") struct TransientRelationshipTests {
    private let text = """
        model: 1
        entities:
          A:
            relationships:
              bs: { to: B, many: true, inverse: a, transient: true }
              b: { to: B }
          B:
            relationships:
              a: { to: A, inverse: bs }
        """

    @Test("transient relationships are declared, but are not among the stored ones")
    func stored() throws {
        let model = try #require(ModelFile.read(text: text).model)
        let entity = try #require(model.entity(named: "A"))
        #expect(entity.ownRelationships.filter(\.isTransient).map(\.name) == ["bs"])
        #expect(model.relationships(of: "A").map(\.name) == ["b"])
        // The stored side has no inverse in the store.
        #expect(model.relationship("a", of: "B")?.inverseName == nil)
        #expect(model.entity(named: "B")?.ownRelationships[0].inverseName == "bs")
    }

    @Test("transient relationships do not affect the version hash")
    func hashes() throws {
        let model = try #require(ModelFile.read(text: text).model)
        let without = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "A",
                ownRelationships: [RelationshipDescription(name: "b", destinationEntityName: "B")]),
            EntityDescription(name: "B"),
        ])
        #expect(model.versionHashes["A"] == without.versionHashes["A"])
    }

    @Test("transient relationships survive YAML and JSON, and JSON omits the key for others")
    func roundTrips() throws {
        let model = try #require(ModelFile.read(text: text).model)
        #expect(ModelFile.read(text: ModelYAMLWriter.text(of: model).text).model == model)
        let data = try JSONEncoder().encode(model)
        #expect(try JSONDecoder().decode(ManagedObjectModel.self, from: data) == model)
        let plain = try JSONEncoder().encode(
            RelationshipDescription(name: "b", destinationEntityName: "B"))
        #expect(!String(decoding: plain, as: UTF8.self).contains("transient"))
    }

    @Test("a predicate on a transient relationship fails with the reason")
    func predicate() throws {
        let model = try #require(ModelFile.read(text: text).model)
        let found = FormatCheck(entityName: "A", model: model).predicate("bs.@count > 0")
        #expect(
            found.mistakes.map(\.description).joined().contains(
                "'bs' of 'A' is transient, so its values are not stored"))
    }

    @Test("a maximum count of -1 means no limit and has a different hash")
    func noLimit() throws {
        func model(_ count: String) throws -> ManagedObjectModel {
            try #require(
                ModelFile.read(
                    text: """
                        model: 1
                        entities: { A: { relationships: { bs: { to: A, many: true\(count) } } } }
                        """
                ).model)
        }
        let unlimited = try model(", count: 0..-1")
        #expect(unlimited.relationship("bs", of: "A")?.maximumCount == -1)
        #expect(try unlimited.versionHashes != model("").versionHashes)
        #expect(ModelFile.read(text: ModelYAMLWriter.text(of: unlimited).text).model == unlimited)
    }
}
