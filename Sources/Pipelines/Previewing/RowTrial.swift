import GraphModel
import GraphStore

/// Writes mapped rows to a store in memory that nobody keeps, to see which of them are refused:
/// by properties that are required, by the model's rules, and by what must be unique.
///
/// Objects that links name are taken to be there, for that is what only the store can tell.
struct RowTrial {
    private let context: ManagedObjectContext
    private let writer: BulkWriter
    private var nextToken: Int64 = 0
    private var byteCount = 0
    /// Rows were left out that a store with the objects that they name may take.
    private(set) var leavesOut = false

    /// Bytes of texts and binary values; nothing of what was tried leaves the memory.
    static let bytesMax = 16 << 20

    init(_ plan: BulkPlan, _ model: ManagedObjectModel) throws {
        context = try PersistentContainer.ephemeral(model: model).newContext()
        let own = Self.entities(plan).map { model.rootName(of: $0) }
        writer = try context.bulkWriter(
            for: Self.makingTargets(plan, besides: Set(own), model),
            memory: BulkMemory(keys: 0, links: 4 << 20, waiting: 4 << 20, changes: 4 << 20))
    }

    /// Rows that were tried.
    var rowCount: Int { Int(nextToken) }

    /// Whether no more rows are to be tried.
    ///
    /// - Parameter rowsMax: so many are enough.
    func isFull(_ rowsMax: Int) -> Bool { rowCount >= rowsMax || byteCount >= Self.bytesMax }

    /// Writes a batch's rows.
    ///
    /// - Returns: those that are refused, each with the reason.
    mutating func apply(_ batch: RowBatch) throws -> [Int: BulkReject] {
        let first = nextToken
        nextToken += Int64(batch.count)
        byteCount += Self.byteCount(batch)
        try writer.apply(batch, firstToken: first)
        // What they wait for may be in the store; for now their links are left out.
        _ = writer.takeParkedTokens()
        try writer.finish()
        var refused: [Int: BulkReject] = [:]
        // All that stands against some is that an object could not be made here.
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

    /// The entities of which the plan writes objects that records describe.
    private static func entities(_ plan: BulkPlan) -> [String] {
        [plan.entity] + plan.links.compactMap(\.nested).flatMap(entities)
    }

    /// An entity of which objects can be made: that one, or the first of its sub-entities.
    private static func concrete(_ entity: String, _ model: ManagedObjectModel) -> String? {
        model.family(of: entity).first { !$0.isAbstract }?.name
    }

    /// The key with relationships to objects that can be made; `nil` if one leads to `own` tables.
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

    /// The plan with links whose objects are made where they are missing.
    ///
    /// Those of `own` tables are left out instead, where they may be: an object that was made would
    /// pass for one of a record.
    private static func makingTargets(
        _ plan: BulkPlan, besides own: Set<String>, _ model: ManagedObjectModel
    ) -> BulkPlan {
        var plan = plan
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
