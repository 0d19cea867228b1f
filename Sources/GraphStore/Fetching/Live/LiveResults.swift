import GraphModel

/// An asynchronous sequence of the changes that each save makes to a request's results.
///
/// ```swift
/// for try await diff in container.liveResults(Todo.request.sort("title").limit(20)) {
///     rows = diff.apply(to: rows) { diff.results[$0] }
/// }
/// ```
/// The first element inserts all results. Each later one follows a save of this container, from any
/// context, that changes the results. Elements contain IDs of saved objects and are `Sendable`. The
/// request's limit always applies. The sequence ends if its task is canceled.
public struct LiveResults<Object: ManagedObject>: AsyncSequence, Sendable {
    let container: PersistentContainer
    let request: FetchRequest<Object>
    let sectionNameKeyPath: String?

    /// Creates an iterator, which starts following the results.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// An iterator over the changes of the results.
    public struct Iterator: AsyncIteratorProtocol {
        private let live: LiveResults
        private var changes: AsyncStream<StoreChange>.Iterator
        private let context: BackgroundContext
        private var last = ResultSnapshot()
        private var roots: Set<Int64>?

        init(_ live: LiveResults) {
            self.live = live
            // From here on, no save is missed.
            changes = live.container.changes.makeAsyncIterator()
            context = live.container.newBackgroundContext()
        }

        /// Returns the next change of the results.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> ResultDiff? {
            guard let roots else {
                roots = try live.roots()
                let results = try await snapshot()
                let diff = ResultDiff(from: last, to: results) { _ in false }
                last = results
                return diff
            }
            while let change = await changes.next(isolation: actor) {
                guard live.container.objects.touches(change, roots) else { continue }
                let results = try await snapshot()
                let diff = ResultDiff(from: last, to: results) { change.updated.contains($0) }
                last = results
                if !diff.isEmpty { return diff }
            }
            return nil
        }

        private func snapshot() async throws -> ResultSnapshot {
            let live = live
            return try await context.perform { context in
                context.reset()
                if live.sectionNameKeyPath == nil {
                    let ids = try context.fetchIDs(live.request)
                    return ResultSnapshot(sections: [.init(name: "", objectIDs: ids)])
                }
                return try context.sections(live.request, by: live.sectionNameKeyPath).snapshot
            }
        }
    }

    /// Returns the root entities whose objects can affect the results.
    private func roots() throws(StoreError) -> Set<Int64> {
        guard !request.sortDescriptors.isEmpty else {
            throw StoreError(.invalidRequest, "Results that are followed need a sort descriptor")
        }
        let plan = try FetchPlan(request, container.objects)
        let path = sectionNameKeyPath?.keyPath ?? []
        return plan.roots(alsoAt: path)
    }
}

extension PersistentContainer {
    /// Returns the results of a request and the changes that each save makes to them.
    ///
    /// - Parameters:
    ///   - request: the request, which must have a sort order.
    ///   - sectionNameKeyPath: the property or key path that names an object's section; `nil`
    ///     creates one section.
    public func liveResults<Object>(
        _ request: FetchRequest<Object>, sectionNameKeyPath: String? = nil
    ) -> LiveResults<Object> {
        LiveResults(
            container: self, request: request, sectionNameKeyPath: sectionNameKeyPath)
    }
}

extension ObjectSupport {
    /// Returns whether a save changed objects of any of these hierarchies.
    func touches(_ change: StoreChange, _ roots: Set<Int64>) -> Bool {
        [change.inserted, change.updated, change.deleted].contains { set in
            set.entityNumbers.contains { number in
                layout(number).map { roots.contains($0.entity.rootNumber) } ?? false
            }
        }
    }
}
