/// The main actor's context, and work on new background contexts.
extension PersistentContainer {
    /// The context for the user interface, which automatically merges changes saved elsewhere.
    ///
    /// The context and the container keep each other alive until `releaseViewContext()`.
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

    /// Releases the view context; the next use creates another one.
    @MainActor public func releaseViewContext() {
        viewContexts.context = nil
    }

    @MainActor private func mergeIntoViewContext() {
        viewContexts.context?.endEvent()
    }

    /// Runs the body on a new background context, which is discarded afterward.
    ///
    /// Changes that the body did not save are lost.
    public func background<R: Sendable>(
        _ body: sending (ManagedObjectContext) throws -> R
    ) async rethrows -> R {
        try await newBackgroundContext().perform(body)
    }

    /// Merges changes saved elsewhere into several contexts.
    public func merge(
        _ change: StoreChange, into contexts: [BackgroundContext]
    ) async throws {
        for context in contexts {
            try await context.perform { try $0.merge(change) }
        }
    }

    /// Saves a child context, its parent, and so on up to the store, in one atomic write.
    ///
    /// - Parameter contexts: the contexts, each followed by its parent; the last one writes to the
    ///   store.
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

/// The holder of a container's view context.
@MainActor final class ViewContextHolder {
    var context: ManagedObjectContext?

    nonisolated init() {}
}
