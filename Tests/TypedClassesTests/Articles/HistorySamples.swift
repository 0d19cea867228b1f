import Foundation
import GraphModel
import GraphStore
import Synchronization
import Testing

/// What the article "History" shows, as it is compiled and run.
@Suite("Article: history") struct HistorySamples {
    @Test func keepsReadsAndPurges() throws {
        let folder = try ExampleFolder()
        let model = try ManagedObjectModel.example("tasks")
        let storePath = folder.path("history.sqlite")
        var options = StoreOptions()
        options.history = HistoryOptions(keeping: .days(30))
        let container = try PersistentContainer(
            model: model, .sqlite(at: storePath, opening: .create, options: options))
        container.register(TasksClasses.all)
        var lastToken: HistoryToken?
        for author in ["import", "app"] {
            let context = container.newContext()
            context.transactionAuthor = author
            context.insert(Task.self) {
                $0.id = UUID()
                $0.title = author
            }
            try context.save()
        }
        var changed: [(HistoryChange.Kind, ManagedObjectID)] = []
        var filter = HistoryFilter()
        filter.excludedAuthors = ["import"]
        filter.entityNames = ["Task"]
        let reader = try container.historyReader(after: lastToken, matching: filter)
        while let transaction = try reader.next() {
            for change in transaction.changes { changed.append((change.kind, change.objectID)) }
            lastToken = transaction.token
        }
        #expect(changed.map(\.0) == [.insert])
        #expect(changed.map(\.1.primaryKey) == [2])

        let old = HistoryToken(storeUUID: container.storeUUID, sequence: 0)
        if let lastToken { try container.purgeHistory(upTo: lastToken) }

        let context = container.newContext()
        context.insert(Category.self) { $0.name = "Home" }
        context.transactionAuthor = "import"
        let token = try context.save().historyToken
        #expect(token?.sequence == 3)

        var isReadWhole = false
        func read(after token: HistoryToken?) throws { _ = try container.history(after: token) }
        func readEverything() { isReadWhole = true }
        lastToken = old
        do {
            try read(after: lastToken)
        } catch HistoryError.expired {
            readEverything()
            lastToken = try container.currentHistoryToken()
        }
        #expect(isReadWhole && lastToken == token)
    }

    @Test func otherProcesses() throws {
        let folder = try ExampleFolder()
        let model = try ManagedObjectModel.example("tasks")
        var options = StoreOptions()
        options.history = HistoryOptions()
        let description = StoreDescription.sqlite(
            at: folder.path("shared.sqlite"), opening: .create, options: options)
        let container = try PersistentContainer(model: model, description)
        let theirs = try PersistentContainer(model: model, description)
        for container in [container, theirs] { container.register(TasksClasses.all) }
        let context = container.newContext()
        let home = context.insert(Category.self) { $0.name = "Home" }
        try context.save()
        _ = try container.pollRemoteChange()
        let other = theirs.newContext()
        try #require(other.existingObject(with: home.objectID) as? Category).name = "House"
        try other.save()
        if let remote = try container.pollRemoteChange(), let change = remote.change {
            try context.merge(change)
        }
        #expect(home.name == "House")
    }
}
