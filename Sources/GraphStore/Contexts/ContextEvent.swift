import GraphModel

/// What a context tells those who watch it.
///
/// All sets hold IDs, so an event may be kept and sent anywhere.
public enum ContextEvent: Sendable, Hashable {
    /// A save begins: these are about to be saved, unless hooks change that.
    case willSave(ContextChange)
    /// These were saved; into the parent, where the context has one.
    case didSave(ContextChange)
    /// These have changed in memory since the last event of this kind.
    ///
    /// Told once for all of them when changes are processed: at the end of `perform`, and before
    /// each fetch and save.
    case didChange(ContextChange)
}

/// Objects of one context, by what became of them.
public struct ContextChange: Sendable, Hashable {
    /// Objects that are new in the context.
    public internal(set) var inserted = ManagedObjectIDSet()
    /// Objects that were changed.
    public internal(set) var updated = ManagedObjectIDSet()
    /// Objects that were deleted, here or by others.
    public internal(set) var deleted = ManagedObjectIDSet()
    /// Objects that were read anew or became faults, such as after others' saves.
    public internal(set) var refreshed = ManagedObjectIDSet()
    /// The context was reset: no object of it is valid any more.
    public internal(set) var isInvalidatedAll = false

    /// Whether nothing happened.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && !isInvalidatedAll
    }

    init() {}

    init(_ pending: PendingObjects) {
        for object in pending.inserted { inserted.insert(object.objectID) }
        for object in pending.updated { updated.insert(object.objectID) }
        for object in pending.deleted { deleted.insert(object.objectID) }
    }

    mutating func noteInserted(_ id: ManagedObjectID) {
        deleted.remove(id)
        inserted.insert(id)
    }

    mutating func noteUpdated(_ id: ManagedObjectID) {
        if !inserted.contains(id) { updated.insert(id) }
    }

    mutating func noteDeleted(_ id: ManagedObjectID) {
        updated.remove(id)
        refreshed.remove(id)
        guard !inserted.contains(id) else { return inserted.remove(id) }
        deleted.insert(id)
    }

    mutating func noteRefreshed(_ id: ManagedObjectID) {
        if !inserted.contains(id), !deleted.contains(id) { refreshed.insert(id) }
    }
}

/// Who watches a context, and what it has not told them yet.
struct EventObservers {
    var next = 0
    var bodies: [Int: (ContextEvent) -> Void] = [:]
    var change = ContextChange()

    /// Changes the sets where they are, since a copy of them would take time for each object.
    mutating func note(_ body: (inout ContextChange) -> Void) { body(&change) }
}

extension ManagedObjectContext {
    /// Calls the body with each event of this context, on the context's own thread, until it is
    /// stopped.
    ///
    /// The body may read and change objects; what it changes comes with the next event.
    ///
    /// - Returns: a token for `stopObservingEvents(_:)`.
    @discardableResult
    public func observeEvents(_ body: @escaping (ContextEvent) -> Void) -> Int {
        var observers = eventObservers ?? EventObservers()
        observers.next += 1
        observers.bodies[observers.next] = body
        eventObservers = observers
        return observers.next
    }

    /// Ends what `observeEvents(_:)` began.
    public func stopObservingEvents(_ token: Int) {
        eventObservers?.bodies[token] = nil
    }

    /// Notes a change for the next event; costs nothing where nobody watches.
    func noteForEvent(_ change: (inout ContextChange) -> Void) {
        eventObservers?.note(change)
    }

    /// Tells what has changed in memory since the last time.
    func tellDidChange() {
        guard let change = eventObservers?.change, !change.isEmpty else { return }
        eventObservers?.change = ContextChange()
        tell(.didChange(change))
    }

    func tell(_ event: @autoclosure () -> ContextEvent) {
        guard let bodies = eventObservers?.bodies, !bodies.isEmpty else { return }
        let event = event()
        for (_, body) in bodies.sorted(by: { $0.key < $1.key }) { body(event) }
    }
}
