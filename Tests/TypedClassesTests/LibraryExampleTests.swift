import Foundation
import GraphModel
import GraphStore
import Testing

@Suite("Example of the library") struct LibraryExampleTests {
    @Test func documentationShowsTheCompiledExample() throws {
        let page = try String(
            contentsOfFile: ExampleFolder.root + "/docs/explanation/library.md", encoding: .utf8)
        let blocks = page.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "\n```")[0] + "\n" }
        let example = try String(
            contentsOfFile: ExampleFolder.root + "/Tests/TypedClassesTests/LibraryExample.swift",
            encoding: .utf8)
        #expect(blocks == [example])
    }

    @Test func exampleTidiesAStore() throws {
        let folder = try ExampleFolder()
        let path = folder.path("tasks.sqlite")
        do {
            let container = try PersistentContainer(
                model: .example("tasks"), at: path, opening: .create)
            container.register(TasksClasses.all)
            let context = container.newContext()
            for (title, isCompleted, due) in [
                ("late", false, Date(timeIntervalSince1970: 0)),
                ("done", true, Date(timeIntervalSince1970: 0)),
                ("early", false, Date(timeIntervalSinceNow: 1_000_000)),
            ] {
                context.insert(Task.self) {
                    $0.id = UUID()
                    $0.title = title
                    $0.isCompleted = isCompleted
                    $0.dueOn = due
                }
            }
            try context.save()
        }
        let change = try tidy(storeAt: path, modelAt: ExampleFolder.model("tasks"))
        #expect(change.inserted.count == 1 && change.updated.count == 1 && change.deleted.isEmpty)
        let container = try PersistentContainer(model: .example("tasks"), at: path)
        container.register(TasksClasses.all)
        let context = container.newContext()
        let late = try context.fetch(Task.request.where(\.category.name == "Inbox"))
        #expect(late.map(\.title) == ["late"] && late.map(\.priority) == [1])
    }
}
