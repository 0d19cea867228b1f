import GraphModel

/// An event that a context reports to its observers.
///
/// All sets contain IDs, so an event can be kept and sent to any thread.
public enum ContextEvent: Sendable, Hashable {
    /// A save begins, with the changes to save, which hooks may still alter.
    case willSave(ContextChange)
    /// The changes were saved, to the parent if the context has one.
    case didSave(ContextChange)
    /// Objects have changed in memory since the last event of this kind.
    ///
    /// The context reports all changes at once when it processes them: at the end of `perform`, and
    /// before each fetch and save.
    case didChange(ContextChange)
}

/// The changed objects of one context, by kind of change.
public struct ContextChange: Sendable, Hashable {
    /// Objects that were inserted.
    public internal(set) var inserted = ManagedObjectIDSet()
    /// Objects that were updated.
    public internal(set) var updated = ManagedObjectIDSet()
    /// Objects that were deleted, in this context or elsewhere.
    public internal(set) var deleted = ManagedObjectIDSet()
    /// Objects that were refreshed or became faults, for example after saves elsewhere.
    public internal(set) var refreshed = ManagedObjectIDSet()
    /// Whether the context was reset, so that all its objects are invalid.
    public internal(set) var isInvalidatedAll = false

    /// Whether there are no changes.
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

/// The observers of a context, and the changes not yet reported to them.
struct EventObservers {
    var next = 0
    var bodies: [Int: (ContextEvent) -> Void] = [:]
    var change = ContextChange()

    /// Changes the sets in place; copying them would take time for each object.
    mutating func note(_ body: (inout ContextChange) -> Void) { body(&change) }
}

extension ManagedObjectContext {
    /// Calls the body with each event of this context, on the context's thread, until stopped.
    ///
    /// The body may read and change objects; its changes are part of the next event.
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

    /// Stops the observation that `observeEvents(_:)` started.
    public func stopObservingEvents(_ token: Int) {
        eventObservers?.bodies[token] = nil
    }

    /// Records a change for the next event; free without observers.
    func noteForEvent(_ change: (inout ContextChange) -> Void) {
        eventObservers?.note(change)
    }

    /// Reports the changes in memory since the last report.
    func notifyDidChange() {
        guard let change = eventObservers?.change, !change.isEmpty else { return }
        eventObservers?.change = ContextChange()
        emit(.didChange(change))
    }

    func emit(_ event: @autoclosure () -> ContextEvent) {
        guard let bodies = eventObservers?.bodies, !bodies.isEmpty else { return }
        let event = event()
        for (_, body) in bodies.sorted(by: { $0.key < $1.key }) { body(event) }
    }
}
