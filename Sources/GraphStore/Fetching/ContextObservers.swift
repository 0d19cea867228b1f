/// What happened to a context's objects.
enum FollowedEvent {
    /// Changes were processed.
    case processed
    /// They were saved.
    case saved
    /// They were dropped.
    case rolledBack
    /// What others saved was taken in.
    case merged(StoreChange)
    /// All objects were forgotten.
    case reset
}

/// Who wants to know what happens to a context's objects.
protocol ContextObserver: AnyObject {
    func contextDidChange(_ event: FollowedEvent)
}

/// The observers of a context, which holds none of them.
struct ContextObservers {
    private struct Entry {
        weak var observer: (any ContextObserver)?
    }

    private var entries: [Entry] = []
    private var isTelling = false

    mutating func add(_ observer: any ContextObserver) {
        entries.removeAll { $0.observer == nil }
        entries.append(Entry(observer: observer))
    }

    mutating func remove(_ observer: any ContextObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
    }

    /// Those to be told; none while others are, since they fetch.
    mutating func begin() -> [any ContextObserver] {
        guard !isTelling, !entries.isEmpty else { return [] }
        isTelling = true
        return entries.compactMap(\.observer)
    }

    mutating func end() {
        isTelling = false
    }
}

extension ManagedObjectContext {
    /// Tells those who follow results what happened.
    func tellFollowers(_ event: FollowedEvent) {
        let told = observers.begin()
        guard !told.isEmpty else { return }
        for observer in told { observer.contextDidChange(event) }
        observers.end()
    }
}
