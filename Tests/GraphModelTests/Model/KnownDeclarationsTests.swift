import Testing

@testable import GraphModel

/// The valid parts of a model with errors, which can still be used.
@Suite("Declarations that are known despite errors in a model") struct KnownDeclarationsTests {
    private func reading(_ text: String) -> ModelReading {
        ModelFile.reading(text: "model: 1\n" + text, file: "m.yaml")
    }

    /// Returns lines such as `Task: title String, owner ?, tags → Tag (tasks)`.
    private func lines(_ model: ManagedObjectModel) -> [String] {
        model.entities.map { entity in
            let attributes = entity.ownAttributes.map {
                $0.isDoubtful ? "\($0.name) ?" : "\($0.name) \($0.type.rawValue)"
            }
            let relationships = entity.ownRelationships.map {
                "\($0.name) → \($0.destinationEntityName) (\($0.inverseName ?? "none"))"
            }
            return "\(entity.name): " + (attributes + relationships).joined(separator: ", ")
        }
    }

    @Test func keepsDeclarationsThatOtherErrorsDoNotAffect() throws {
        let reading = reading(
            """
            entities:
              Item: { attributes: { at: Date } }
              Task:
                parent: Item
                attributes: { id: UID, title: String, at: Double }
                relationships:
                  owner: { to: Persn, inverse: tasks }
                  tags: { to: Tag, many: true, inverse: tasks }
                  notes: { to: Note, many: true }
                  next: Task
              Person: { relationships: { tasks: { to: Task, many: true, inverse: owner } } }
              Tag: { relationships: { tasks: { to: Task, many: true, inverse: tags } } }
              Note: { parent: Nothing }
              SubNote: { parent: Note }
              One: { parent: Two }
              Two: { parent: One }
              Text: just text
              List: { attributes: [a, b] }
            """)
        #expect(reading.model == nil)
        #expect(
            lines(try #require(reading.known)) == [
                "Item: at Date",
                "Task: id ?, title String, owner ?, notes ?, next ?, tags → Tag (tasks)",
                "Person: tasks → Task (none)",
                "Tag: tasks → Task (tags)",
            ])
        #expect(
            reading.unknownEntities.sorted()
                == ["List", "Note", "One", "SubNote", "Text", "Two"])
    }

    @Test func equalsTheModelIfThereAreNoErrors() throws {
        let reading = reading("entities: { Task: { attributes: { id: UUID } } }")
        #expect(reading.model == reading.known)
        #expect(reading.unknownEntities == [])
        #expect(lines(try #require(reading.model)) == ["Task: id UUID"])
    }
}
