import GraphModel

/// The results of a request in sections, updated as its context changes.
///
/// ```swift
/// let controller = FetchedResultsController(
///     Todo.request.sort("category.name").sort("title"), in: context,
///     sectionNameKeyPath: "category.name")
/// controller.delegate = list
/// try controller.performFetch()
/// ```
/// If it has a delegate, the controller follows changes, saves, and merges in its context. It
/// updates in `processPendingChanges()`, which every fetch, save, and `perform` calls. The
/// request's limit always applies. After a reset of the context, the delegate gets no calls until
/// you fetch again.
public final class FetchedResultsController<Object: ManagedObject> {
    /// One section of the results.
    public struct SectionInfo {
        /// The value that the section's objects share.
        public let name: String
        /// The objects, in order.
        public let objects: [Object]
        /// The number of objects.
        public var numberOfObjects: Int { objects.count }
    }

    /// The request of the controller.
    public let fetchRequest: FetchRequest<Object>
    /// The context of the controller.
    public let managedObjectContext: ManagedObjectContext
    /// The property or key path that names an object's section; `nil` creates one section.
    public let sectionNameKeyPath: String?
    /// The delegate; without one, the controller does not follow changes.
    public weak var delegate: (any FetchedResultsControllerDelegate<Object>)? {
        didSet { seen = changeCounts() }
    }
    private var results: SectionedObjects<Object>?
    /// The change counts of the objects with pending changes at the last update.
    private var seen: [ManagedObjectID: UInt32] = [:]

    /// Creates a controller without fetching.
    public init(
        _ fetchRequest: FetchRequest<Object>, in context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) {
        self.fetchRequest = fetchRequest
        self.sectionNameKeyPath = sectionNameKeyPath
        managedObjectContext = context
    }

    /// Fetches and replaces the results without notifying the delegate.
    public func performFetch() throws(StoreError) {
        guard !fetchRequest.sortDescriptors.isEmpty else {
            throw StoreError(.invalidRequest, "Results that are followed need a sort descriptor")
        }
        managedObjectContext.observers.remove(self)
        results = try managedObjectContext.sections(fetchRequest, by: sectionNameKeyPath)
        seen = changeCounts()
        managedObjectContext.observers.add(self)
    }

    // MARK: Results

    /// All objects, in order; `nil` before the first fetch and after a reset.
    public var fetchedObjects: [Object]? { results?.sections.flatMap(\.objects) }

    /// The sections; `nil` before the first fetch and after a reset.
    public var sections: [SectionInfo]? {
        results?.sections.map { SectionInfo(name: $0.name, objects: $0.objects) }
    }

    /// The object IDs of the results; `nil` before the first fetch and after a reset.
    public var snapshot: ResultSnapshot? { results?.snapshot }

    /// Returns the object at an index path; `nil` if the path is out of range.
    public func object(at place: ResultIndexPath) -> Object? {
        guard let results, results.sections.indices.contains(place.section) else { return nil }
        let objects = results.sections[place.section].objects
        return objects.indices.contains(place.row) ? objects[place.row] : nil
    }

    /// Returns the index path of an object; `nil` if it is not among the results.
    public func indexPath(for object: Object) -> ResultIndexPath? {
        for (number, section) in (results?.sections ?? []).enumerated() {
            if let row = section.objects.firstIndex(where: { $0 === object }) {
                return ResultIndexPath(section: number, row: row)
            }
        }
        return nil
    }

    // MARK: Following

    private func changeCounts() -> [ManagedObjectID: UInt32] {
        var counts: [ManagedObjectID: UInt32] = [:]
        for object in managedObjectContext.listed where object.pending != .none {
            counts[object.objectID] = object.changeCount
        }
        return counts
    }

    /// Returns a test for objects that changed since the last call; `nil` if nothing happened.
    private func changes(_ event: FollowedEvent) -> ((ManagedObjectID) -> Bool)? {
        let before = seen
        seen = changeCounts()
        var changed: Set<ManagedObjectID> = []
        for (id, count) in seen where before[id] != count { changed.insert(id) }
        for (id, count) in before where seen[id] == nil {
            // A save leaves an object as last reported, unless a hook changed it.
            if case .saved = event,
                managedObjectContext.registeredObject(for: id)?.changeCount == count
            {
                continue
            }
            changed.insert(id)
        }
        if case .merged(let change) = event {
            return { changed.contains($0) || change.updated.contains($0) }
        }
        guard !changed.isEmpty || before.count != seen.count else { return nil }
        return { changed.contains($0) }
    }

    private func follow(_ event: FollowedEvent) throws(StoreError) {
        guard let old = results, let delegate, let isChanged = changes(event) else { return }
        let new = try managedObjectContext.sections(fetchRequest, by: sectionNameKeyPath)
        let diff = ResultDiff(from: old.snapshot, to: new.snapshot, isChanged: isChanged)
        guard !diff.isEmpty else {
            results = new
            return
        }
        delegate.controllerWillChangeContent(self)
        results = new
        emit(delegate, diff, old, new)
        delegate.controller(self, didChangeContentWith: diff)
        delegate.controllerDidChangeContent(self)
    }

    /// Reports sections first, then objects.
    private func emit(
        _ delegate: any FetchedResultsControllerDelegate<Object>, _ diff: ResultDiff,
        _ old: SectionedObjects<Object>, _ new: SectionedObjects<Object>
    ) {
        func info(_ section: (name: String, objects: [Object])) -> SectionInfo {
            SectionInfo(name: section.name, objects: section.objects)
        }
        for number in diff.deletedSections {
            delegate.controller(
                self, didChange: info(old.sections[number]), atSectionIndex: number, for: .delete)
        }
        for number in diff.insertedSections {
            delegate.controller(
                self, didChange: info(new.sections[number]), atSectionIndex: number, for: .insert)
        }
        for place in diff.deletes {
            delegate.controller(
                self, didChange: old.sections[place.section].objects[place.row], at: place,
                for: .delete, newIndexPath: nil)
        }
        for place in diff.inserts {
            delegate.controller(
                self, didChange: new.sections[place.section].objects[place.row], at: nil,
                for: .insert, newIndexPath: place)
        }
        for (type, steps) in [(FetchedResultsChange.move, diff.moves), (.update, diff.updates)] {
            for step in steps {
                delegate.controller(
                    self, didChange: new.sections[step.to.section].objects[step.to.row],
                    at: step.from, for: type, newIndexPath: step.to)
            }
        }
    }
}

@available(*, unavailable, message: "A controller stays in its context's region")
extension FetchedResultsController: Sendable {}

extension FetchedResultsController: ContextObserver {
    func contextDidChange(_ event: FollowedEvent) {
        if case .reset = event {
            results = nil
            seen = [:]
            managedObjectContext.observers.remove(self)
            return
        }
        managedObjectContext.noting { () throws(StoreError) in try follow(event) }
    }
}

/// The kind of a change to an object or a section.
public enum FetchedResultsChange: Sendable, Hashable {
    /// It was added to the results.
    case insert
    /// It was removed from the results.
    case delete
    /// It moved among the results, and may have changed.
    case move
    /// It changed without moving.
    case update
}

/// A delegate that receives the changes of a controller's results.
///
/// Between `controllerWillChangeContent` and `controllerDidChangeContent`, the controller reports
/// sections, then objects, with their old and new index paths as in `ResultDiff`.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the objects.
    associatedtype Object: ManagedObject

    /// Announces changes; the controller still has the old results.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Reports an inserted or deleted section.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsController<Object>.SectionInfo,
        atSectionIndex index: Int, for type: FetchedResultsChange)

    /// Reports an inserted, deleted, moved, or updated object.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: ResultIndexPath?, for type: FetchedResultsChange,
        newIndexPath: ResultIndexPath?)

    /// Reports all changes as one value.
    func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith diff: ResultDiff)

    /// Reports that all changes have been reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsController<Object>.SectionInfo,
        atSectionIndex index: Int, for type: FetchedResultsChange
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: ResultIndexPath?, for type: FetchedResultsChange,
        newIndexPath: ResultIndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChangeContentWith diff: ResultDiff
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}
