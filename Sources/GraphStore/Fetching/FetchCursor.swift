import GraphModel
import SQLite

/// Walks over the objects of a request, chunk by chunk, and keeps no more than one of them.
///
/// What it walks over is the store as it was when the cursor was opened, whoever saves meanwhile,
/// under the changes that were pending in its context then. An object that is in memory already
/// is given as it is there, and one that was deleted there meanwhile is left out. While it is open the store's log cannot
/// be folded in beyond it. A reset of the context ends it with an error.
///
/// A binary or JSON store, a unit of work with batch requests, and a request that looks at changed
/// objects elsewhere cost sixteen bytes an object.
public final class FetchCursor<Object: ManagedObject> {
    /// Where saved objects come from.
    private enum Source {
        case rows(Statement, plan: RowPlan?)
        case ids([ManagedObjectID])
        case nothing
    }

    /// So many objects a chunk, unless the request has a `fetchBatchSize`.
    public static var chunkSize: Int { 1000 }

    private let context: ManagedObjectContext
    private let link: ContextLink
    private let request: FetchRequest<Object>
    private let connection: Connection
    private var source = Source.nothing
    private var position = 0
    private var evaluation: ObjectEvaluation?
    private var changed: Set<ManagedObjectID> = []
    /// New objects, whose IDs may become those of other rows.
    private var held: [ManagedObjectID: ManagedObject] = [:]
    /// Changed objects that meet the request, in its order, and the first not given yet.
    private var pending: [ManagedObject] = []
    private var nextPending = 0
    /// Objects that the window still leaves out, and still lets through.
    private var skips = 0
    private var remaining = Int.max
    /// A saved object that comes after a pending one.
    private var waiting: ManagedObject?

    init(_ request: FetchRequest<Object>, in context: ManagedObjectContext) throws(StoreError) {
        self.context = context
        self.request = request
        link = context.link
        let plan = try context.begin(request)
        // The rows of all pending objects are left out as they are now, whatever changes meanwhile.
        let overlay = context.overlay(plan, request, isSelective: false)
        let isAtomic = context.container.storeDescription.kind.isAtomic
        let isShared =
            context.isPinned || context.readsOpenTransaction || isAtomic
        let connection =
            isShared
            ? try context.objectReader().connection : try context.container.newReader()
        self.connection = connection
        guard !isAtomic, !context.readsOpenTransaction, !overlay.isWhole else {
            let ids = try context.results(plan, request, readsRows: false)
            held = context.held(ids)
            source = .ids(ids)
            return
        }
        if !overlay.isEmpty {
            let evaluation = try ObjectEvaluation(plan, context.container.model)
            changed = Set(overlay.candidates.filter(\.isStored).map(\.objectID))
            pending = try evaluation.sorted(
                try context.matching(overlay.candidates, evaluation))
            skips = plan.offset
            if plan.limit > 0 { remaining = plan.limit }
            self.evaluation = evaluation
        }
        let readsRows = request.materialise != .ids || !overlay.isEmpty
        let rowPlan = context.container.objects.rowPlan(plan.layout.number)
        let select = try plan.select(
            readsRows ? rowPlan.columns : "t.Z_PK, t.Z_ENT",
            limit: overlay.isEmpty && plan.limit > 0 ? plan.limit : nil,
            offset: overlay.isEmpty ? plan.offset : 0)
        // One snapshot for all rows, from the first on.
        if !isShared {
            connection.watch(context.interruptFlag)
            try connection.execute("BEGIN")
        }
        let rows = try select.prepare(on: connection)
        source = .rows(rows, plan: readsRows ? rowPlan : nil)
    }

    /// Stops a running read from any thread.
    var interrupter: InterruptHandle { connection.interrupter }

    /// The next objects, at most a chunk of them; nil after the last.
    public func nextChunk() throws(StoreError) -> [Object]? {
        guard link.context != nil else {
            source = .nothing
            throw StoreError(.invalidated, "The cursor's context was reset")
        }
        let size = request.fetchBatchSize > 0 ? request.fetchBatchSize : Self.chunkSize
        var objects: [ManagedObject] = []
        objects.reserveCapacity(min(size, 1000))
        while objects.count < size, remaining > 0, let object = try nextObject() {
            if skips > 0 {
                skips -= 1
            } else {
                remaining -= 1
                objects.append(object)
            }
        }
        guard !objects.isEmpty else {
            source = .nothing
            return nil
        }
        if request.materialise != .ids { try context.fault(objects) }
        if request.materialise == .rows {
            for object in objects { try context.fire(object) }
        }
        try context.prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
        return try context.typed(objects)
    }

    // MARK: Merging

    private func nextObject() throws(StoreError) -> ManagedObject? {
        if waiting == nil { waiting = try nextSaved() }
        while nextPending < pending.count {
            let candidate = pending[nextPending]
            guard isThere(candidate) else {
                nextPending += 1
                continue
            }
            if let saved = waiting, let evaluation, try evaluation.precedes(saved, candidate) {
                break
            }
            nextPending += 1
            return candidate
        }
        defer { waiting = nil }
        return waiting
    }

    private func isThere(_ object: ManagedObject) -> Bool {
        !request.includesPendingChanges || !(object.isDeleted || object.isGone)
    }

    private func nextSaved() throws(StoreError) -> ManagedObject? {
        switch source {
        case .nothing: return nil
        case .ids(let ids):
            while position < ids.count {
                position += 1
                let id = ids[position - 1]
                let object = held[id] ?? context.object(with: id)
                if isThere(object) { return object }
            }
            return nil
        case .rows(let rows, let plan):
            while try step(rows) {
                let id = ManagedObjectID(
                    entityNumber: rows.integer(1), primaryKey: rows.integer(0))
                context.rows.unwritten.meet(id)
                guard !changed.contains(id) else { continue }
                let object = context.object(with: id)
                guard isThere(object) else { continue }
                if let plan { try context.take(rows, plan, into: object) }
                return object
            }
            source = .nothing
            return nil
        }
    }

    private func step(_ rows: Statement) throws(StoreError) -> Bool {
        try rows.step()
    }
}

@available(*, unavailable, message: "A cursor stays in its context's region")
extension FetchCursor: Sendable {}

extension ManagedObjectContext {
    /// Opens a cursor over the objects of a request: `while let chunk = try cursor.nextChunk()`.
    public func cursor<Object>(
        _ request: FetchRequest<Object>
    ) throws(StoreError) -> FetchCursor<Object> {
        try FetchCursor(request, in: self)
    }

    /// The objects of a request, chunk by chunk.
    ///
    /// ```swift
    /// for try await chunk in context.stream(Todo.request.sort("title")) {
    ///     process(chunk)
    /// }
    /// ```
    ///
    /// Runs where the context is. When the task is cancelled, a read that is going on is stopped
    /// and `CancellationError` thrown.
    public func stream<Object>(_ request: FetchRequest<Object>) -> FetchStream<Object> {
        FetchStream(context: self, request: request)
    }
}

/// The objects of a request as an asynchronous sequence of chunks.
public struct FetchStream<Object: ManagedObject>: AsyncSequence {
    let context: ManagedObjectContext
    let request: FetchRequest<Object>

    /// Begins to read; each iterator reads anew.
    public func makeAsyncIterator() -> Iterator {
        Iterator(context: context, request: request)
    }

    /// Reads chunk after chunk.
    public struct Iterator: AsyncIteratorProtocol {
        private let context: ManagedObjectContext
        private let request: FetchRequest<Object>
        private var cursor: FetchCursor<Object>?

        init(context: ManagedObjectContext, request: FetchRequest<Object>) {
            self.context = context
            self.request = request
        }

        /// The next chunk; nil after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [Object]? {
            try Task.checkCancellation()
            let cursor = try self.cursor ?? context.cursor(request)
            self.cursor = cursor
            let interrupter = cursor.interrupter
            do {
                return try await withTaskCancellationHandler {
                    try cursor.nextChunk()
                } onCancel: {
                    interrupter.interrupt()
                }
            } catch {
                try Task.checkCancellation()
                throw error
            }
        }
    }
}

@available(*, unavailable, message: "A stream stays in its context's region")
extension FetchStream: Sendable {}
