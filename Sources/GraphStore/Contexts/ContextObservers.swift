/// An event in a context that affects its objects.
enum FollowedEvent {
    /// Pending changes were processed.
    case processed
    /// Changes were saved.
    case saved
    /// Changes were discarded.
    case rolledBack
    /// Changes saved elsewhere were merged.
    case merged(StoreChange)
    /// The context was reset.
    case reset
}

/// An observer of a context's objects.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ event: FollowedEvent)
}

/// The observers of a context, as weak references.
struct ContextObservers {
    private struct Entry {
        weak var observer: (any ContextObserver)?
    }

    private var entries: [Entry] = []
    private var isNotifying = false

    mutating func add(_ observer: any ContextObserver) {
        entries.removeAll { $0.observer == nil }
        entries.append(Entry(observer: observer))
    }

    mutating func remove(_ observer: any ContextObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Returns the observers to notify; none during a notification, since observers fetch.
    mutating func begin() -> [any ContextObserver] {
        guard !isNotifying, !entries.isEmpty else { return [] }
        isNotifying = true
        return entries.compactMap(\.observer)
    }

    mutating func end() {
        isNotifying = false
    }
}

extension ManagedObjectContext {
    /// Notifies the observers of an event.
    func notifyFollowers(_ event: FollowedEvent) {
        let told = observers.begin()
        guard !told.isEmpty else { return }
        for observer in told { observer.contextDidChange(event) }
        observers.end()
    }
}
