import GraphModel
import SQLite

/// A cursor over the objects of a request, which keeps at most one chunk of them.
///
/// The cursor reads a snapshot of the store from when it was opened, plus the pending changes of
/// its context at that time. An object that is already in memory is returned with its values there.
/// An object that the context has since deleted is skipped. While the cursor is open, SQLite cannot
/// checkpoint later parts of the write-ahead log (WAL). After a reset of the context, the cursor
/// throws an error.
///
/// The cursor reads rows as you ask for them. In these cases, it first reads all IDs, which takes
/// 16 bytes per object:
///
/// - The store is a binary or JSON store.
/// - A unit of work with batch requests is open.
/// - The request refers to changed objects of other entities.
public final class FetchCursor<Object: ManagedObject> {
    /// The source of saved objects.
    private enum Source {
        case rows(Statement, plan: RowPlan?)
        case ids([ManagedObjectID])
        case nothing
    }

    /// The number of objects in a chunk, unless the request sets `fetchBatchSize`.
    public static var chunkSize: Int { 1000 }

    private let context: ManagedObjectContext
    private let link: ContextLink
    private let request: FetchRequest<Object>
    private let connection: Connection
    private var source = Source.nothing
    private var position = 0
    private var evaluation: ObjectEvaluation?
    private var changed: Set<ManagedObjectID> = []
    /// New objects, whose IDs may later belong to other rows.
    private var held: [ManagedObjectID: ManagedObject] = [:]
    /// Changed objects that meet the request, in its order, and the index of the next one.
    private var pending: [ManagedObject] = []
    private var nextPending = 0
    /// The remaining objects to skip for the offset, and to return for the limit.
    private var skips = 0
    private var remaining = Int.max
    /// A saved object that follows the next pending one.
    private var heldSaved: ManagedObject?

    init(_ request: FetchRequest<Object>, in context: ManagedObjectContext) throws(StoreError) {
        self.context = context
        self.request = request
        link = context.link
        let plan = try context.begin(request)
        // The rows of all objects pending now are skipped, whatever changes later.
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
        let readsRows = request.materialize != .ids || !overlay.isEmpty
        let rowPlan = context.container.objects.rowPlan(plan.layout.number)
        let select = try plan.select(
            readsRows ? rowPlan.columns : "t.Z_PK, t.Z_ENT",
            limit: overlay.isEmpty && plan.limit > 0 ? plan.limit : nil,
            offset: overlay.isEmpty ? plan.offset : 0)
        // One snapshot for all rows.
        if !isShared {
            connection.watch(context.interruptFlag)
            try connection.execute("BEGIN")
        }
        let rows = try select.prepare(on: connection)
        source = .rows(rows, plan: readsRows ? rowPlan : nil)
    }

    /// A handle that interrupts a running read from any thread.
    var interrupter: InterruptHandle { connection.interrupter }

    /// Returns the next chunk of objects; `nil` after the last.
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
        if request.materialize != .ids { try context.fault(objects) }
        if request.materialize == .rows {
            for object in objects { try context.fire(object) }
        }
        try context.prefetch(request.relationshipKeyPathsForPrefetching, of: objects)
        return try context.typed(objects)
    }

    // MARK: Merging

    private func nextObject() throws(StoreError) -> ManagedObject? {
        if heldSaved == nil { heldSaved = try nextSaved() }
        while nextPending < pending.count {
            let candidate = pending[nextPending]
            guard isThere(candidate) else {
                nextPending += 1
                continue
            }
            if let saved = heldSaved, let evaluation, try evaluation.precedes(saved, candidate) {
                break
            }
            nextPending += 1
            return candidate
        }
        defer { heldSaved = nil }
        return heldSaved
    }

    private func isThere(_ object: ManagedObject) -> Bool {
        !request.includesPendingChanges || !(object.isDeleted || object.hasNoRow)
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
            while try rows.step() {
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

    /// Returns the objects of a request in chunks.
    ///
    /// ```swift
    /// for try await chunk in context.stream(Todo.request.sort("title")) {
    ///     process(chunk)
    /// }
    /// ```
    ///
    /// The stream runs in the context's isolation. If the task is canceled, the stream interrupts a
    /// running read and throws `CancellationError`.
    public func stream<Object>(_ request: FetchRequest<Object>) -> FetchStream<Object> {
        FetchStream(context: self, request: request)
    }
}

/// An asynchronous sequence of a request's objects, in chunks.
public struct FetchStream<Object: ManagedObject>: AsyncSequence {
    let context: ManagedObjectContext
    let request: FetchRequest<Object>

    /// Creates an iterator, which starts a new read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(context: context, request: request)
    }

    /// An iterator over chunks.
    public struct Iterator: AsyncIteratorProtocol {
        private let context: ManagedObjectContext
        private let request: FetchRequest<Object>
        private var cursor: FetchCursor<Object>?

        init(context: ManagedObjectContext, request: FetchRequest<Object>) {
            self.context = context
            self.request = request
        }

        /// Returns the next chunk; `nil` after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [Object]? {
            try Task.checkCancellation()
            let cursor = try self.cursor ?? context.cursor(request)
            self.cursor = cursor
            return try await cursor.interrupter.interrupting { try cursor.nextChunk() }
        }
    }
}

@available(*, unavailable, message: "A stream stays in its context's region")
extension FetchStream: Sendable {}
