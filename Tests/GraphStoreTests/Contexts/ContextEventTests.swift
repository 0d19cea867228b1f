import GraphModel
import Testing

@testable import GraphStore

@Suite("Context events") struct ContextEventTests {
    /// Records events as `kind +inserted ~updated -deleted *refreshed`, by key.
    private final class Log {
        var lines: [String] = []

        func add(_ event: ContextEvent) {
            switch event {
            case .willSave(let change): add("will", change)
            case .didSave(let change): add("did", change)
            case .didChange(let change): add("changed", change)
            }
        }

        private func add(_ kind: String, _ change: ContextChange) {
            func keys(_ mark: String, _ set: ManagedObjectIDSet) -> String {
                set.ids.map { " \(mark)\($0.primaryKey)" }.joined()
            }
            lines.append(
                kind + keys("+", change.inserted) + keys("~", change.updated)
                    + keys("-", change.deleted) + keys("*", change.refreshed)
                    + (change.isInvalidatedAll ? " all" : ""))
        }
    }

    @Test("rows 41, 102: will-save, did-save, and did-change events list the changed objects")
    func events() throws {
        try withObjects { store in
            let context = store.context()
            let log = Log()
            let token = context.observeEvents { log.add($0) }
            let one = context.insert(Category.self) { $0.name = "one" }
            let two = context.insert(Category.self) { $0.name = "two" }
            try context.processPendingChanges()
            try context.processPendingChanges()
            try context.save()
            one.name = "uno"
            one.name = "ein"
            context.delete(two)
            try context.save()
            context.rollback()
            one.name = "eins"
            context.rollback()
            try context.refresh(one, mergeChanges: false)
            try context.processPendingChanges()
            context.reset()
            #expect(
                log.lines == [
                    "changed +1 +2", "will +1 +2", "did +1 +2", "changed ~1 -2", "will ~1 -2",
                    "did ~1 -2", "changed ~1 *1", "changed *1", "changed all",
                ])
            context.stopObservingEvents(token)
            context.insert(Category.self)
            try context.save()
            #expect(log.lines.count == 9)
        }
    }

    @Test("row 102: a merge sends one event with inserted, refreshed, and deleted objects")
    func merges() throws {
        try withObjects { store in
            let others = store.context()
            let kept = others.insert(Category.self) { $0.name = "kept" }
            let gone = others.insert(Category.self) { $0.name = "gone" }
            try others.save()
            let context = store.context()
            context.automaticallyMergesChangesFromParent = true
            let held = try context.fetch(FetchRequest<Category>())
            let log = Log()
            context.observeEvents { log.add($0) }
            kept.name = "changed"
            others.delete(gone)
            others.insert(Category.self) { $0.name = "new" }
            try others.save()
            try context.processPendingChanges()
            #expect(held.map(\.isDeleted) == [false, true])
            #expect(log.lines == ["changed +3 -2 *1"])
        }
    }

    @Test("row 102: a child's save sends save events in the child and a change in its parent")
    func children() throws {
        try withObjects { store in
            let parent = store.context()
            let child = parent.makeChild()
            let log = Log()
            parent.observeEvents { log.add($0) }
            child.observeEvents { log.add($0) }
            child.insert(Category.self) { $0.name = "one" }
            try child.save()
            try parent.processPendingChanges()
            #expect(log.lines == ["changed +1", "will +1", "did +1", "changed +1"])
            try parent.save()
        }
    }
}
