import Testing

/// Programs that confine objects correctly, which must compile, and programs that do not, which the
/// compiler must reject with a reason.
struct ConfinementFixture: Sendable, CustomTestStringConvertible {
    let name: String
    let body: String
    /// The expected diagnostic; `nil` if the program must compile.
    let diagnostic: String?

    var testDescription: String { name }

    var source: String {
        """
        import GraphModel
        import GraphStore

        final class Batch { var titles: [String] = [] }
        final class Holder { var object: ManagedObject? }

        func program(_ container: PersistentContainer) async throws {
            let background = container.newBackgroundContext()
        \(body)
            _ = background
        }
        """
    }

    static let accepted: [ConfinementFixture] = [
        .init("an ID comes back from perform") {
            """
            let id = try await background.perform { try $0.insert("Task").objectID }
            print(id)
            """
        },
        .init("a context of one's own is used straight") {
            """
            let context = container.newContext()
            let object = try context.insert("Task")
            try object.setValue("x", forKey: "title")
            try context.save()
            """
        },
        .init("a whole context moves into a task") {
            """
            let context = container.newContext()
            _ = try context.insert("Task")
            Task { try context.save() }
            """
        },
        .init("a parsed batch moves into perform") {
            """
            let batch = Batch()
            batch.titles.append("x")
            try await background.perform { context in
                for title in batch.titles {
                    try context.insert("Task").setValue(
                        .attribute(.text(title)), forKey: "title")
                }
                try context.save()
            }
            """
        },
        .init("the view context is used on the main actor") {
            """
            Task { @MainActor in
                let object = try container.viewContext.insert("Task")
                try object.setValue("x", forKey: "title")
            }
            """
        },
    ]

    static let refused: [ConfinementFixture] = [
        .init("an object comes back from perform", "conformance of 'ManagedObject' to 'Sendable'") {
            """
            let object = try await background.perform { try $0.insert("Task") }
            print(object)
            """
        },
        .init("an object is used after it was sent to a task", "sending") {
            """
            let context = container.newContext()
            let object = try context.insert("Task")
            Task { try object.setValue("x", forKey: "title") }
            try object.setValue("y", forKey: "title")
            """
        },
        .init("a context is used after it was sent to a task", "sending") {
            """
            let context = container.newContext()
            Task { try context.save() }
            try context.save()
            """
        },
        .init("an object is sent while its context is still used", "sending") {
            """
            let context = container.newContext()
            let object = try context.insert("Task")
            Task { try object.setValue("x", forKey: "title") }
            try context.save()
            """
        },
        .init("an object of another context is captured in perform", "sending") {
            """
            let context = container.newContext()
            let object = try context.insert("Task")
            try await background.perform { _ = $0.object(with: object.objectID) }
            try context.save()
            """
        },
        .init("a batch that was moved in is used again", "sending") {
            """
            let batch = Batch()
            await background.perform { _ in batch.titles.append("x") }
            batch.titles.append("y")
            """
        },
        .init("a context is stored in a variable outside", "sending") {
            """
            var stolen: ManagedObjectContext?
            await background.perform { stolen = $0 }
            try stolen?.save()
            """
        },
        .init("an object is stored in a holder outside", "sending") {
            """
            let holder = Holder()
            try await background.perform { holder.object = try $0.insert("Task") }
            print(holder.object as Any)
            """
        },
        .init("a context is stored outside by performAndWait", "sending") {
            """
            var stolen: ManagedObjectContext?
            background.performAndWait { stolen = $0 }
            try stolen?.save()
            """
        },
        .init("an object is stored outside by performAndWait", "sending") {
            """
            let holder = Holder()
            try background.performAndWait { holder.object = try $0.insert("Task") }
            print(holder.object as Any)
            """
        },
        .init("the view context is used off the main actor", "main actor") {
            """
            let context = container.viewContext
            try context.save()
            """
        },
    ]

    private init(_ name: String, _ diagnostic: String? = nil, _ body: () -> String) {
        self.name = name
        self.diagnostic = diagnostic
        self.body = body()
    }
}
