import Foundation
import GraphModel
import GraphStore
import Testing

/// An app whose class is written by hand, over generated properties (`Entry+Properties.swift`).
@Suite("A journal over generated properties") struct JournalTests {
    private let container: PersistentContainer

    init() throws {
        container = try PersistentContainer.ephemeral(model: .example("journal"))
        container.register(JournalClasses.all)
    }

    @Test("row 15: a handwritten class has its hooks, and its properties are generated")
    func ownClass() throws {
        let context = container.newContext()
        let entry = context.insert(Entry.self) { $0.text = "It rained. We stayed in." }
        #expect(entry.title == "Untitled")
        #expect(entry.writtenAt == Date(timeIntervalSince1970: 1_700_000_000))
        try context.save()
        #expect(entry.words == 5)
        entry.text = "lorem ipsum"
        #expect(codeOfFailure { try context.save() } == .validation)
    }

    @Test("entries are found by their tags, and tags lead back to their entries")
    func tags() throws {
        let context = container.newContext()
        let rain = context.insert(Tag.self) { $0.name = "rain" }
        let home = context.insert(Tag.self) { $0.name = "home" }
        context.insert(Entry.self) {
            $0.title = "Monday"
            $0.tags = [rain, home]
        }
        context.insert(Entry.self) {
            $0.title = "Tuesday"
            $0.addToTags(rain)
        }
        context.insert(Entry.self) { $0.title = "Wednesday" }
        try context.save()

        let other = container.newContext()
        func titles(_ request: FetchRequest<Entry>) throws -> [String] {
            try other.fetch(request.sort(\.title)).map(\.title)
        }
        #expect(try titles(Entry.request.where { $0.tags.any.name == "home" }) == ["Monday"])
        #expect(
            try titles(Entry.request.where(\.tags.any.name == "rain")) == ["Monday", "Tuesday"])
        #expect(try titles(Entry.request.where { $0.tags.isEmpty }) == ["Wednesday"])
        #expect(try titles(Entry.request.where { $0.tags.count == 2 }) == ["Monday"])
        let again = try #require(other.fetch(Tag.request.where(\.name == "rain")).first)
        #expect(again.entries.map(\.title).sorted() == ["Monday", "Tuesday"])
        #expect(
            try titles(Entry.request.where { $0.tags.contains(again) }) == ["Monday", "Tuesday"])
    }
}
