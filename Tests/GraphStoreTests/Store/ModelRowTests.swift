import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// The rows on models, as tests of stores.
@Suite("Models in stores") struct ModelRowTests {
    private let first = "Note: { attributes: { text: String } }"
    private let second = "Note: { attributes: { text: String, stars: Integer 16 } }"

    @Test("row 2: a model history finds a store's version; a store opens without a model file")
    func history() throws {
        try withStore(first) { store in
            let context = store.context()
            try context.insert("Note")[.string("text")] = "old"
            try context.save()
            let history = ModelHistory([try model(first), try model(second)])
            #expect(try history.versionIndex(ofStoreAt: store.path) == 0)
            #expect(try !history.isCurrent(storeAt: store.path))
            #expect(try history.model(ofStoreAt: store.path) == history.versions[0])
            #expect(
                storeError {
                    _ = try PersistentContainer(model: history.current, at: store.path)
                }?.code == .modelMismatch)
            // The first version is no longer available.
            let later = ModelHistory([try model(second)])
            #expect(try later.versionIndex(ofStoreAt: store.path) == nil)
            #expect(try later.model(ofStoreAt: store.path) == model(first))
            let opened = try PersistentContainer(model: nil, at: store.path)
            let notes = try opened.newContext().fetch(
                FetchRequest<ManagedObject>(entityName: "Note"))
            #expect(notes.count == 1 && opened.model == history.versions[0])
        }
    }

    @Test(
        "row 1: indexes, defaults, and user info keep the version; types and constraints change it",
        arguments: [
            ("Note: { attributes: { text: { type: String, default: x } } }", true),
            ("Note: { attributes: { text: String }, indexes: { byText: [text] } }", true),
            ("Note: { attributes: { text: { type: String, info: { a: b } } } }", true),
            ("Note: { attributes: { text: Integer 16 } }", false),
            ("Note: { attributes: { text: { type: String, optional: false } } }", false),
            ("Note: { attributes: { text: String }, unique: [[text]] }", false),
        ])
    func hashes(_ words: String, isSame: Bool) throws {
        try withStore(first) { store in
            let history = ModelHistory([try model(words)])
            #expect(try (history.versionIndex(ofStoreAt: store.path) == 0) == isSame)
        }
    }

    @Test("row 1: delete rules do not change the version hashes")
    func deleteRules() throws {
        let models = try ["cascade", "deny", "nullify"].map { rule in
            try model(
                """
                A: { relationships: { bs: { to: B, many: true, inverse: a, delete: \(rule) } } }
                B: { relationships: { a: { to: A, inverse: bs } } }
                """)
        }
        #expect(Set(models.map(\.versionHashes)).count == 1)
        #expect(models[0].versionHashes["A"]?.count == 32)
    }

    @Test("row 3: a hierarchy shares one table; a fetch includes subentities unless excluded")
    func hierarchies() throws {
        try withObjects { store in
            let context = store.context()
            context.insert(Todo.self) { $0.title = "task" }
            context.insert(Bug.self) { $0.title = "bug" }
            try context.save()
            try store.expect("SELECT Z_ENT, ZTITLE FROM ZTASK ORDER BY Z_PK", ["6|task", "7|bug"])
            var request = FetchRequest<Todo>()
            #expect(try context.fetch(request).map(\.entityName) == ["Task", "Bug"])
            request.includesSubentities = false
            #expect(try context.fetch(request).map(\.entityName) == ["Task"])
        }
    }

    @Test(
        "rows 5, 6: defaults are set before awakeFromInsert; saves reject missing required values")
    func defaultsAndRequirements() throws {
        try withObjects { store in
            let context = store.context()
            let task = context.insert(Todo.self)
            #expect(task.calls == ["insert untitled"])
            task.title = nil
            #expect(task.title == nil)
            let failures = storeError { try context.save() }?.validationError?.failures
            #expect(failures?.map(\.code) == [.missingValue])
            #expect(failures?.map(\.key) == ["title"])
            // A batch request rejects the row, not the batch.
            let result = try context.write(
                BatchInsertRequest(
                    entityName: "Task", objects: [["title": nil], ["number": 3]]))
            #expect((result.inserted, result.rejected) == (1, 1))
            context.rollback()
        }
    }

    @Test("row 13: a renaming identifier does not change the version; a hash modifier does")
    func renaming() throws {
        try withStore(first) { store in
            for (words, isSame) in [
                ("Note: { attributes: { text: { type: String, renamed-from: old } } }", true),
                ("Note: { attributes: { text: { type: String, hash-modifier: v2 } } }", false),
            ] {
                let history = ModelHistory([try model(words)])
                #expect(
                    try (history.versionIndex(ofStoreAt: store.path) == 0) == isSame, "\(words)")
            }
        }
    }
}
