import Testing

@testable import Pipelines

/// The effect of earlier imports of a spec on later ones.
extension PreviewTests {
    private static let things = """
        model: 1
        entities:
          Thing:
            attributes:
              id: { type: String, optional: false }
              code: String
              size: { type: Integer 16, optional: false }
              words: { type: Integer 16, derived: "notes.@count" }
            relationships:
              owner: { to: Person, optional: false, inverse: things }
              notes: { to: Note, many: true, inverse: thing }
            unique: [[id], [code], [code, size]]
            validate:
              - { rule: "owner != nil", message: it has no owner }
          Item: { parent: Thing, attributes: { y: String } }
          Special: { parent: Thing, attributes: { x: String } }
          Person:
            attributes: { email: { type: String, optional: false } }
            relationships: { things: { to: Thing, many: true, inverse: owner, delete: cascade } }
            unique: [[email]]
          Note:
            attributes: { text: String }
            relationships: { thing: { to: Thing, inverse: notes } }
        """
    private static let owner = "link: { owner: { by: { email: owner } } }"
    private static let taken = "warning: Rejected if earlier records make new objects as shown:"

    private func fill() throws {
        try folder.write("model.yaml", Self.things)
        try folder.write(
            "items.ndjson",
            """
            {"id":"1","code":"a","size":1,"owner":"x"}
            {"id":"2","code":"b","size":2,"owner":"x"}
            {"id":"3","size":3}
            """)
        try folder.write(
            "specials.ndjson",
            """
            {"id":"7","code":"c","size":1,"owner":"x"}
            {"id":"8","code":"a","size":1,"owner":"y"}
            {"id":"2","code":"d","size":1,"owner":"y"}
            {"id":"7","code":"b"}
            {"id":"9","code":"c","size":5,"owner":"y"}
            """)
    }

    @Test("warns with a condition about a unique value or key of an earlier import's record")
    func takenByEarlier() throws {
        try fill()
        let seen = try preview(
            """
            - { import: items.ndjson, into: Item, key: id, \(Self.owner) }
            - { import: specials.ndjson, into: Special, key: id, \(Self.owner) }
            """)
        #expect(
            seen.words == [
                "items.ndjson:3:1: warning: Rejected: 'owner' is required and the record lacks it"
                    + " [required]",
                "specials.ndjson:2:19: \(Self.taken) Another Item has code 'a' and size 1; also: Another"
                    + " Item has code 'a' [unique]",
                "specials.ndjson:3:8: \(Self.taken) The key belongs to an object of Item [unique]",
                "specials.ndjson:4:19: \(Self.taken) Another Item has code 'b' [unique]",
                // The previous record, if rejected, leaves the code with the first one.
                "specials.ndjson:5:19: \(Self.taken) Another Special has code 'c' [unique]",
            ])
        #expect(seen.outcome.stages.map(\.mapped) == [2, 5])
    }

    @Test(
        "does not warn about records of another stage if a stage between them may change them",
        arguments: [
            "- { delete: Item, where: ALL }",
            "- { update: u, entity: Item, where: ALL, set: { y: 'x' } }",
            "- { import: e, read: { files: e.ndjson }, into: Item, key: id, mirror: { where: ALL } }",
        ])
    func changedBetween(_ between: String) throws {
        try fill()
        try folder.write("e.ndjson", "")
        let others = ["import: items.ndjson, into: Item", "import: specials.ndjson, into: Special"]
        let stages = others.map { "- { \($0), key: id, \(Self.owner) }" }
        let seen = try preview("\(stages[0])\n\(between)\n\(stages[1])")
        #expect(seen.words.filter { $0.contains(Self.taken) } == [])
        // The same holds if only this import is shown.
        let alone = try preview(stages.joined(separator: "\n"), only: "import-specials")
        #expect(alone.words.filter { $0.contains(Self.taken) } == [])
    }

    @Test("when-found: reject finds objects of earlier imports among the first records")
    func foundFromEarlier() throws {
        try fill()
        try folder.write(
            "more.ndjson",
            """
            {"id":"1","code":"z","size":9,"owner":"x"}
            {"id":"6","code":"a","size":9,"owner":"x"}
            """)
        let stages = """
            - { import: items.ndjson, into: Item, key: id, \(Self.owner) }
            - { import: more.ndjson, into: Item, key: id, when-found: reject, \(Self.owner) }
            """
        let seen = try preview(stages)
        #expect(
            seen.words.filter { $0.contains(Self.taken) } == [
                "more.ndjson:1:8: \(Self.taken) An object with this key already exists [found]",
                "more.ndjson:2:19: \(Self.taken) Another Item has code 'a' [unique]",
            ])
        #expect(try preview(stages, triedMax: 1).words.filter { $0.contains(Self.taken) } == [])
    }
}
