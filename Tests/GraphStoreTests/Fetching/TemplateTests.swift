import GraphModel
import Testing

@testable import GraphStore

@Suite("Fetch request templates") struct TemplateTests {
    private func withNotes(_ body: (ManagedObjectContext) throws -> Void) throws {
        let note = EntityDescription(
            name: "Note",
            ownAttributes: [
                AttributeDescription(name: "title", type: .string),
                AttributeDescription(name: "stars", type: .integer32),
            ],
            ownRelationships: [
                RelationshipDescription(
                    name: "folder", destinationEntityName: "Folder", inverseName: "notes")
            ],
            fetchedProperties: [
                FetchedPropertyDescription(
                    name: "siblings",
                    request: FetchRequestTemplate(
                        name: FetchedPropertyDescription.requestName, entityName: "Note",
                        predicate: "folder == $FETCH_SOURCE.folder AND SELF != $FETCH_SOURCE"
                            + " AND folder.name == $FETCH_SOURCE.folder.name")),
                FetchedPropertyDescription(
                    name: "wrong",
                    request: FetchRequestTemplate(
                        name: FetchedPropertyDescription.requestName, entityName: "Note",
                        predicate: "title == $FETCH_SOURCE.title.x")),
            ])
        let folder = EntityDescription(
            name: "Folder", ownAttributes: [AttributeDescription(name: "name", type: .string)],
            ownRelationships: [
                RelationshipDescription(
                    name: "notes", destinationEntityName: "Note", inverseName: "folder",
                    isToMany: true)
            ])
        let model = try ManagedObjectModel(
            entities: [note, folder],
            fetchRequestTemplates: [
                FetchRequestTemplate(
                    name: "starred", entityName: "Note",
                    predicate: "stars >= $LEAST AND folder.name IN $FOLDERS", fetchLimit: 2,
                    extras: ["fetchBatchSize": "20", "returnObjectsAsFaults": "NO"]),
                FetchRequestTemplate(name: "all", entityName: "Note"),
                FetchRequestTemplate(
                    name: "broken", entityName: "Note", predicate: "nothing == 1"),
            ])
        try withStore(model) { store in
            let context = store.context()
            for (name, titles) in [("a", ["p", "q", "r"]), ("b", ["s"])] {
                let folder = try context.insert("Folder")
                folder[.string("name")] = name
                for (number, title) in titles.enumerated() {
                    let note = try context.insert("Note")
                    note[.string("title")] = title
                    note[.integer("stars")] = number
                    note[.toOne("folder")] = folder
                }
            }
            try context.save()
            try body(store.context())
        }
    }

    private func titles(_ objects: [ManagedObject]) -> [String] {
        objects.map { $0[.string("title")] ?? "-" }
    }

    @Test("row 78b: a fetch request template substitutes values for its variables")
    func substituting() throws {
        try withNotes { context in
            let model = context.container.model
            let request = try model.fetchRequest(
                named: "starred", substituting: ["LEAST": 1, "FOLDERS": ["a", "b"]])
            #expect(request.fetchLimit == 2 && request.fetchBatchSize == 20)
            #expect(request.materialize == .rows)
            #expect(try titles(context.fetch(request)) == ["q", "r"])
            #expect(try context.fetch(model.fetchRequest(named: "all")).count == 4)
        }
    }

    @Test("row 78b: a missing template, a missing value, and an invalid predicate are errors")
    func wrongTemplates() throws {
        try withNotes { context in
            let model = context.container.model
            let missing = storeError { _ = try model.fetchRequest(named: "nothing") }
            #expect(missing?.message == "The model has no fetch request 'nothing'")
            let unbound = storeError {
                _ = try model.fetchRequest(named: "starred", substituting: ["LEAST": 1])
            }
            #expect(unbound?.message.contains("'$FOLDERS' has no value") == true)
            let broken = storeError { _ = try model.fetchRequest(named: "broken") }
            #expect(broken?.code == .invalidRequest)
        }
    }

    @Test("a fetched property that is read without a context ends the process with the reason")
    func fetchedPropertyWithoutContext() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent])
        {
            var note: ManagedObject?
            try TemplateTests().withNotes { context in
                note = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note")).first
            }
            _ = note?[.fetched("siblings")]
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("The context of an object of 'Note' no longer exists"), "\(text)")
    }

    @Test("row 78b: a fetched property is fetched once until its object is refreshed")
    func fetchedProperty() throws {
        try withNotes { context in
            let notes = try context.fetch(
                FetchRequest<ManagedObject>(entityName: "Note").sort("title"))
            #expect(titles(notes[0][.fetched("siblings")]) == ["q", "r"])
            #expect(titles(notes[3][.fetched("siblings")]) == [])
            let fetches = context.statistics.fetches
            // Pending changes count, but only after a refresh.
            notes[3][.toOne("folder")] = notes[0][.toOne("folder")]
            #expect(titles(notes[0][.fetched("siblings")]) == ["q", "r"])
            #expect(context.statistics.fetches == fetches)
            try context.refresh(notes[0], mergeChanges: true)
            guard case .objects(let found) = try notes[0].value(forKey: "siblings") else {
                Issue.record("A fetched property gives objects")
                return
            }
            #expect(titles(found) == ["q", "r", "s"])
            #expect(storeError { _ = try notes[0].fetchedObjects(for: "wrong") } != nil)
            #expect(
                storeError { try notes[0].setValue(.objects([]), forKey: "siblings") }?.code
                    == .unknownKey)
        }
    }
}
