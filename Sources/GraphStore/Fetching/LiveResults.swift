import GraphModel

/// What a request's results become with each save, as differences.
///
/// ```swift
/// for try await diff in container.liveResults(Todo.request.sort("title").limit(20)) {
///     rows = diff.apply(to: rows) { diff.results[$0] }
/// }
/// ```
/// The first difference makes the results of nothing; each one after it follows a save of this
/// container, from whatever context, that changes them. They are of what is saved, by ID, and
/// may be sent anywhere. The request's limit holds at all times. Ends when its task is cancelled.
public struct LiveResults<Object: ManagedObject>: AsyncSequence, Sendable {
    let container: PersistentContainer
    let request: FetchRequest<Object>
    let sectionNameKeyPath: String?

    /// Begins to follow.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Follows the results.
    public struct Iterator: AsyncIteratorProtocol {
        private let live: LiveResults
        private var changes: AsyncStream<StoreChange>.Iterator
        private let context: BackgroundContext
        private var last = ResultSnapshot()
        private var roots: Set<Int64>?

        init(_ live: LiveResults) {
            self.live = live
            // From here on no save is missed.
            changes = live.container.changes.makeAsyncIterator()
            context = live.container.newBackgroundContext()
        }

        /// The next difference.
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

    /// The root entities whose objects have a say in the results.
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
    /// A request's results, and what each save makes of them.
    ///
    /// - Parameters:
    ///   - request: which objects, with a sort order.
    ///   - sectionNameKeyPath: the property, or path to one, that names an object's section; nil is
    ///     one section.
    public func liveResults<Object>(
        _ request: FetchRequest<Object>, sectionNameKeyPath: String? = nil
    ) -> LiveResults<Object> {
        LiveResults(
            container: self, request: request, sectionNameKeyPath: sectionNameKeyPath)
    }
}

extension ObjectSupport {
    /// Whether a save changed objects of some hierarchies.
    func touches(_ change: StoreChange, _ roots: Set<Int64>) -> Bool {
        [change.inserted, change.updated, change.deleted].contains { set in
            set.ranges.keys.contains { number in
                layout(number).map { roots.contains($0.entity.rootNumber) } ?? false
            }
        }
    }
}
