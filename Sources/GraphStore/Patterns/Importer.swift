import GraphModel

/// An import of many rows in chunks, each of which is committed separately.
///
/// If an import has a name, the store records its progress in the same transaction as the rows.
/// After an interruption, a new import with the same name and rows resumes after the last commit.
/// ```swift
/// var importer = Importer(container, entityName: "Task", properties: ["code", "title"])
/// importer.key = ["code"]
/// let result = try importer.run(rows, name: "tasks-2025")
/// ```
public struct Importer: Sendable {
    /// The progress of an import.
    public struct Progress: Sendable, Hashable {
        /// The number of rows read, including the rows of an earlier run.
        public var rows = 0
        /// The number of rows that created objects.
        public var inserted = 0
        /// The number of rows that changed existing objects.
        public var updated = 0
        /// The number of rows whose objects were unchanged.
        public var unchanged = 0
        /// The number of rejected rows.
        public var rejected = 0
    }

    /// The result of an import.
    public struct Result: Sendable, Hashable {
        /// The progress of this run; its `rows` include the rows of an earlier run.
        public var progress = Progress()
        /// The number of rows that an earlier run committed.
        public var resumedAfter = 0
        /// The first 1,000 rejected rows, numbered from the start of the input.
        public var rejects: [BatchInsertReject] = []
    }

    private let container: PersistentContainer
    /// The entity of all rows.
    public let entityName: String
    /// The properties that rows may name.
    public let properties: [String]
    /// The attributes that identify an object; if empty, every row creates an object.
    public var key: [String] = []
    /// The policy for rows whose key an object already has.
    public var policy: BatchInsertRequest.Policy?
    /// The rules for finding the destinations of relationships.
    public var links: [String: BatchInsertRequest.Link] = [:]
    /// The number of rows per save.
    public var chunkSize = 10_000
    /// The author of the changes, for the history.
    public var author: String?

    /// Creates an importer for an entity.
    public init(_ container: PersistentContainer, entityName: String, properties: [String]) {
        self.container = container
        self.entityName = entityName
        self.properties = properties
    }

    /// Imports the rows.
    ///
    /// - Parameters:
    ///   - rows: The rows, which are read once and in order.
    ///   - name: The name under which the store records the progress; `nil` records nothing.
    ///   - progress: Called after each commit; an error that it throws stops the import.
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

    /// Deletes the progress of an import, so that the next run starts from scratch.
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
        // The progress in the metadata is committed together with the rows.
        let done = try context.write(request)
        let rows = result.progress.rows + chunk.count
        if let checkpoint {
            try container.setMetadata(.integer(Int64(rows)), forKey: checkpoint)
        }
        do {
            try context.save()
        } catch {
            // No later save may record these rows as imported.
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
