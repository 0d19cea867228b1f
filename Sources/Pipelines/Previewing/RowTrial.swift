import GraphModel
import GraphStore

/// Writes mapped rows to a temporary in-memory store to find the rows that the model rejects.
///
/// The reasons are required properties, the model's rules, and uniqueness constraints. Objects that
/// links refer to are assumed to exist, because only the real store shows that.
struct RowTrial {
    private let context: ManagedObjectContext
    private let writer: BulkWriter
    private var nextToken: Int64 = 0
    private var byteCount = 0
    /// Whether the trial skipped rows that the store might accept, because it lacks linked objects.
    private(set) var leavesOut = false

    /// The maximum size of texts and binary values in bytes; all of them are kept in memory.
    static let bytesMax = 16 << 20

    init(_ plan: BulkPlan, _ model: ManagedObjectModel) throws {
        context = try PersistentContainer.ephemeral(model: model).newContext()
        let own = Self.entities(plan).map { model.rootName(of: $0) }
        writer = try context.bulkWriter(
            for: Self.makingTargets(plan, besides: Set(own), model),
            memory: BulkMemory(keys: 0, links: 4 << 20, deferredRows: 4 << 20, changes: 4 << 20))
    }

    /// The number of rows that were tried.
    var rowCount: Int { Int(nextToken) }

    /// Returns whether no more rows can be tried.
    ///
    /// - Parameter rowsMax: the maximum number of rows.
    func isFull(_ rowsMax: Int) -> Bool { rowCount >= rowsMax || byteCount >= Self.bytesMax }

    /// Writes the rows of a batch.
    ///
    /// - Returns: the rejected rows, each with the reason.
    mutating func apply(_ batch: RowBatch) throws -> [Int: BulkReject] {
        let first = nextToken
        nextToken += Int64(batch.count)
        byteCount += Self.byteCount(batch)
        try writer.apply(batch, firstToken: first)
        // The missing targets may be in the real store; here, the deferred links are left out.
        _ = writer.takeDeferredTokens()
        try writer.finish()
        var refused: [Int: BulkReject] = [:]
        // The only problem of some rows is that a linked object cannot be created here.
        for reject in writer.takeRejects() {
            if reject.hinge == .missingTarget {
                leavesOut = true
            } else {
                refused[Int(reject.token - first)] = reject
            }
        }
        return refused
    }

    static func byteCount(_ batch: RowBatch) -> Int {
        func count(_ cell: BulkCell) -> Int {
            switch cell.kind {
            case .text, .blob: cell.bytes.count
            case .list:
                (cell.listStart..<(cell.listStart + cell.listCount))
                    .reduce(0) { $0 + count(batch.item($1)) }
            default: 0
            }
        }
        var total = 0
        for row in 0..<batch.count {
            for column in 0..<batch.width { total += count(batch[row, column]) }
        }
        return total
    }

    /// Returns the entities of the objects that the plan writes from records.
    private static func entities(_ plan: BulkPlan) -> [String] {
        [plan.entity] + plan.links.compactMap(\.nested).flatMap(entities)
    }

    /// Returns an entity of which objects can be created: the given one, or its first concrete
    /// sub-entity.
    private static func concrete(_ entity: String, _ model: ManagedObjectModel) -> String? {
        model.family(of: entity).first { !$0.isAbstract }?.name
    }

    /// Returns the key with relationships whose objects can be created; `nil` if one leads to `own`
    /// tables.
    private static func makingTargets(
        _ key: [BulkPlan.KeyPart], besides own: Set<String>, _ model: ManagedObjectModel
    ) -> [BulkPlan.KeyPart]? {
        var made: [BulkPlan.KeyPart] = []
        for part in key {
            guard let entity = part.entity else {
                made.append(part)
                continue
            }
            guard !own.contains(model.rootName(of: entity)),
                let concrete = concrete(entity, model),
                let inner = makingTargets(part.key, besides: own, model)
            else { return nil }
            made.append(BulkPlan.KeyPart(part.property, to: concrete, by: inner))
        }
        return made
    }

    /// Returns the plan with links that create missing objects.
    ///
    /// Links to `own` tables are left out if they are optional: a created object would be mistaken
    /// for one of a record.
    private static func makingTargets(
        _ plan: BulkPlan, besides own: Set<String>, _ model: ManagedObjectModel
    ) -> BulkPlan {
        var plan = plan
        // The objects of the real store are not here.
        plan.absent = .create
        for place in plan.links.indices {
            if let nested = plan.links[place].nested {
                plan.links[place].nested = makingTargets(nested, besides: own, model)
            }
            let destination = plan.links[place].destination
            guard plan.links[place].nested == nil else { continue }
            if !own.contains(model.rootName(of: destination)),
                let key = makingTargets(plan.links[place].key, besides: own, model)
            {
                guard let concrete = concrete(destination, model) else { continue }
                plan.links[place].makesStandIns = plan.links[place].missing != .create
                plan.links[place].destination = concrete
                plan.links[place].key = key
                plan.links[place].missing = .create
            } else if plan.links[place].missing != .create,
                let relationship = model.relationship(
                    plan.links[place].relationship, of: plan.entity),
                relationship.isOptional, relationship.minimumCount <= 1
            {
                plan.links[place].missing = .null
            }
        }
        return plan
    }
}
