/// The main actor's context, and work on contexts of its own.
extension PersistentContainer {
    /// The context for what people see; it merges what others save by itself.
    ///
    /// It keeps the container, and the container keeps it, until `releaseViewContext()`.
    @MainActor public var viewContext: ManagedObjectContext {
        if let context = viewContexts.context { return context }
        let context = ManagedObjectContext(container: self)
        context.name = "view"
        context.setMergesAutomatically(true) { [weak self] in
            Task { @MainActor in self?.mergeIntoViewContext() }
        }
        if ConcurrencyDebug.isOn { context.link.check = { MainActor.preconditionIsolated() } }
        viewContexts.context = context
        return context
    }

    /// Lets go of the view context; the next use makes another one.
    @MainActor public func releaseViewContext() {
        viewContexts.context = nil
    }

    @MainActor private func mergeIntoViewContext() {
        guard let context = viewContexts.context else { return }
        do throws(StoreError) {
            try context.processPendingChanges()
        } catch {
            context.note(error)
        }
    }

    /// Runs the body on a new background context, which is gone afterwards with what it did not
    /// save.
    public func background<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) async rethrows -> R {
        try await newBackgroundContext().perform(body)
    }

    /// Takes in elsewhere-saved changes in several contexts.
    public func merge(
        _ change: StoreChange, into contexts: [BackgroundContext]
    ) async throws {
        for context in contexts {
            try await context.perform { try $0.merge(change) }
        }
    }

    /// Saves a child, its parent and so on up to the store: one write, all or nothing.
    ///
    /// - Parameter contexts: each the parent of the one before it; the last one writes.
    @discardableResult
    public static func saveChain(
        _ contexts: [ManagedObjectContext]
    ) throws(StoreError) -> SaveResult {
        for (child, parent) in zip(contexts, contexts.dropFirst()) where child.parent !== parent {
            throw StoreError(
                .invalidRequest, "A chain of saves goes from each context to its parent")
        }
        var result = SaveResult(change: StoreChange())
        for context in contexts { result = try context.save() }
        return result
    }
}

/// Holds a container's view context.
@MainActor final class ViewContextHolder {
    var context: ManagedObjectContext?

    nonisolated init() {}
}
