import Foundation
import GraphStore
import Testing

/// The samples of the article "History and sync", compiled and run.
@Suite("Articles: history and sync") struct HistorySamples {
    private let folder: ExampleFolder
    private let model: ManagedObjectModel

    init() throws {
        folder = try ExampleFolder()
        model = try .example("tasks")
    }

    @Test func keepsReadsAndPurges() async throws {
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

        let token = try await container.background { context in
            context.insert(Category.self) { $0.name = "Home" }
            context.transactionAuthor = "import"
            let token = try context.save().historyToken
            return token
        }
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

    @Test func otherProcesses() async throws {
        var options = StoreOptions()
        options.history = HistoryOptions()
        let description = StoreDescription.sqlite(
            at: folder.path("shared.sqlite"), opening: .create, options: options)
        let container = try PersistentContainer(model: model, description)
        let theirs = try PersistentContainer(model: model, description)
        for container in [container, theirs] { container.register(TasksClasses.all) }
        try await container.background { context in
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

    @Test func sync() async throws {
        let container = try PersistentContainer.ephemeral(
            model: model, history: HistoryOptions(keeping: .untilPurged))
        container.register(TasksClasses.all)
        let context = container.newContext()
        context.insert(Category.self) { $0.name = "Garden" }
        try context.save()
        let engine = SyncEngine(container, name: "server")
        var incoming = BatchInsertRequest(
            entityName: "Category", objects: [["name": "Home"], ["name": "Work"]])
        incoming.key = ["name"]
        incoming.policy = .objectTrump
        let pulled = try engine.pull(incoming)
        let outgoing = try engine.push()
        let sent = try await container.background { context in
            try outgoing.change.inserted.ids.compactMap { id in
                (try context.existingObject(with: id) as? Category).map(Category.Row.init)
            }
        }
        try engine.acknowledge(outgoing.token)
        #expect(pulled.inserted == 2 && sent.map(\.name) == ["Garden"])
        #expect(try engine.push().isEmpty)
    }
}
