import GraphModel

/// Imports a long run of rows in parts, each of which is durable by itself.
///
/// Where an import is known by a name, the store remembers how far it came, in the same
/// transaction as the rows: after a kill the same import, over the same rows, goes on there.
/// ```swift
/// var importer = Importer(container, entityName: "Task", properties: ["code", "title"])
/// importer.key = ["code"]
/// let result = try importer.run(rows, name: "tasks-2025")
/// ```
public struct Importer: Sendable {
    /// How far an import has come.
    public struct Progress: Sendable, Hashable {
        /// Rows read, those of an earlier run too.
        public var rows = 0
        /// Rows that are new objects.
        public var inserted = 0
        /// Rows whose objects were there, and were not so already.
        public var updated = 0
        /// Rows whose objects stayed as they were.
        public var unchanged = 0
        /// Rows that were refused.
        public var rejected = 0
    }

    /// What an import did.
    public struct Result: Sendable, Hashable {
        /// What this run did; its `rows` count those of an earlier run, too.
        public var progress = Progress()
        /// Rows that an earlier run had done.
        public var resumedAfter = 0
        /// The first thousand rows that were refused, counted from the first of all.
        public var rejects: [BatchInsertReject] = []
    }

    private let container: PersistentContainer
    /// The entity of all rows.
    public let entityName: String
    /// The properties that rows may name.
    public let properties: [String]
    /// The attributes by which an object is found again; without, every row is a new object.
    public var key: [String] = []
    /// What a row does whose key an object has.
    public var policy: BatchInsertRequest.Policy?
    /// How relationships find what they lead to.
    public var links: [String: BatchInsertRequest.Link] = [:]
    /// So many rows are saved together.
    public var chunkSize = 10_000
    /// Who imports, for the history.
    public var author: String?

    /// Makes an importer for an entity.
    public init(_ container: PersistentContainer, entityName: String, properties: [String]) {
        self.container = container
        self.entityName = entityName
        self.properties = properties
    }

    /// Imports the rows.
    ///
    /// - Parameters:
    ///   - rows: the rows, which are read once, one after the other.
    ///   - name: under which the store remembers how far it came; nil remembers nothing.
    ///   - progress: called after each part that is durable; what it throws ends the import there.
    public func run(
        _ rows: some Sequence<[String: BatchValue]>, name: String? = nil,
        progress: (Progress) throws -> Void = { _ in }
    ) throws -> Result {
        var result = Result()
        let checkpoint = name.map { Self.checkpoint($0) }
        if let checkpoint, case .integer(let done)? = container.metadata[checkpoint] {
            result.resumedAfter = Int(done)
        }
        var iterator = rows.makeIterator()
        while result.progress.rows < result.resumedAfter, iterator.next() != nil {
            result.progress.rows += 1
        }
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            let chunk = try next(&iterator, &isDone)
            guard !chunk.isEmpty else { break }
            try apply(chunk, checkpoint, &result)
            try progress(result.progress)
        }
        if let checkpoint {
            try container.setMetadata(nil, forKey: checkpoint)
            try container.saveMetadata()
        }
        return result
    }

    /// Forgets how far an import came, so that it begins anew.
    public func forget(_ name: String) throws(StoreError) {
        try container.setMetadata(nil, forKey: Self.checkpoint(name))
        try container.saveMetadata()
    }

    private static func checkpoint(_ name: String) -> String { "ETLImport.\(name)" }

    private func next(
        _ iterator: inout some IteratorProtocol<[String: BatchValue]>, _ isDone: inout Bool
    ) throws -> [[String: BatchValue]] {
        var chunk: [[String: BatchValue]] = []
        while chunk.count < max(1, chunkSize) {
            guard let row = iterator.next() else {
                isDone = true
                break
            }
            chunk.append(row)
        }
        return chunk
    }

    private func apply(
        _ chunk: [[String: BatchValue]], _ checkpoint: String?, _ result: inout Result
    ) throws {
        var rest = chunk.makeIterator()
        var request = BatchInsertRequest(entityName: entityName, properties: properties) { row in
            guard let next = rest.next() else { return true }
            row = next
            return false
        }
        request.key = key
        request.policy = policy ?? (key.isEmpty ? .error : .objectTrump)
        request.links = links
        let context = container.newContext()
        context.transactionAuthor = author
        // The mark in the metadata is committed with the rows.
        let done = try context.write(request)
        let rows = result.progress.rows + chunk.count
        if let checkpoint {
            try container.setMetadata(.integer(Int64(rows)), forKey: checkpoint)
        }
        do {
            try context.save()
        } catch {
            // No later save may say that these rows are in.
            if let checkpoint {
                let before = result.progress.rows
                try container.setMetadata(
                    before > 0 ? .integer(Int64(before)) : nil, forKey: checkpoint)
            }
            throw error
        }
        for var reject in done.rejects where result.rejects.count < 1_000 {
            reject.row += result.progress.rows
            result.rejects.append(reject)
        }
        result.progress.rows = rows
        result.progress.inserted += done.inserted
        result.progress.updated += done.updated
        result.progress.unchanged += done.unchanged
        result.progress.rejected += done.rejected
    }
}
