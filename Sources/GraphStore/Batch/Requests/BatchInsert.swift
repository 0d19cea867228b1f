import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Writes the rows of the request.
    ///
    /// The request is committed before this method returns, unless it runs inside a unit of work.
    /// Its changes are merged into this context. The handler must not write to the store in any
    /// other way.
    ///
    /// - Throws: An error of the handler, or `StoreError`; then no row of the request is written.
    public func execute(_ request: BatchInsertRequest) throws -> BatchInsertResult {
        try committing { try $0.write(request) }
    }

    /// Writes the rows in the open transaction, which `save()` commits.
    func write(_ request: BatchInsertRequest) throws -> BatchInsertResult {
        let insert = try BatchInsert(request, container)
        return try whole { session in
            session.beginPart()
            var result = try insert.run(in: self)
            let change = session.endPart()
            if request.resultType == .objectIDs {
                var ids = ManagedObjectIDSet()
                for id in change.inserted.ids + change.updated.ids
                where insert.numbers.contains(id.entityNumber) { ids.insert(id) }
                result.objectIDs = ids
            }
            return result
        }
    }
}

/// One batch insert, resolved against the model.
///
/// It passes the dictionaries to a `BulkWriter`.
private struct BatchInsert {
    private static let batchSize = 1_000
    private static let rejectsKept = 1_000

    private let request: BatchInsertRequest
    private let plan: BulkPlan
    private let layout: EntityLayout
    /// The cell of each property, and the attribute that its values must match.
    private let cells: [String: (cell: Int, attribute: EntityLayout.Attribute)]
    /// The validators of the attributes that rows set, by cell.
    private let validators: [AttributeValidator]

    var numbers: [Int64] { [layout.number] }

    init(
        _ request: BatchInsertRequest, _ container: PersistentContainer
    ) throws(StoreError) {
        self.request = request
        let layout = try container.objects.requiredLayout(named: request.entityName)
        self.layout = layout
        // A request for an empty list of objects has no properties, and nothing to insert.
        let properties = request.properties.isEmpty ? request.key : request.properties
        if let name = request.key.first(where: { !properties.contains($0) }) {
            throw StoreError(
                .invalidRequest, "The key '\(name)' is not one of the properties of the rows")
        }
        var cells: [String: (Int, EntityLayout.Attribute)] = [:]
        var attributes: [String] = []
        var links: [BulkPlan.Link] = []
        for name in properties {
            guard case .attribute(let slot)? = layout.properties[name] else { continue }
            guard !layout.attributes[slot].isExternal else {
                throw StoreError(
                    .invalidRequest,
                    "'\(layout.name).\(name)' may be in files, which a batch insert does not write")
            }
            cells[name] = (attributes.count, layout.attributes[slot])
            attributes.append(name)
        }
        for name in properties where cells[name] == nil {
            let (link, attribute) = try Self.link(name, request, layout, container)
            cells[name] = (attributes.count + links.count, attribute)
            links.append(link)
        }
        self.cells = cells
        validators = attributes.compactMap { name in
            cells[name].map { AttributeValidator($0.1.description) }
        }
        var plan = BulkPlan(
            entity: request.entityName, key: request.key, attributes: attributes, links: links,
            duplicates: request.policy == .error ? .reject : .last)
        switch request.policy {
        case .error: plan.found = request.key.isEmpty ? .append : .reject
        case .objectTrump: plan.found = .update
        case .storeTrump: plan.found = .skip
        }
        guard !request.key.isEmpty || plan.found == .append else {
            throw StoreError(
                .invalidRequest, "The policy '\(request.policy.rawValue)' needs a key")
        }
        self.plan = plan
    }

    private static func link(
        _ name: String, _ request: BatchInsertRequest, _ layout: EntityLayout,
        _ container: PersistentContainer
    ) throws(StoreError) -> (BulkPlan.Link, EntityLayout.Attribute) {
        let relationship: RelationshipDescription
        switch layout.properties[name] {
        case .toOne(let slot): relationship = layout.toOnes[slot].relationship
        case .toMany(let slot): relationship = layout.toManys[slot].relationship
        default:
            throw StoreError(.unknownKey, "'\(layout.name)' has no property '\(name)'")
        }
        guard let link = request.links[name] else {
            throw StoreError(
                .invalidRequest, "How does '\(name)' find its objects? Set it in `links`")
        }
        let destination = relationship.destinationEntityName
        let attribute: EntityLayout.Attribute
        var key = link.attribute
        if let there = container.objects.layout(named: destination),
            case .attribute(let slot)? = there.properties[key]
        {
            attribute = there.attributes[slot]
        } else if container.model.isObjectNumber(key, of: destination) {
            attribute = EntityLayout.Attribute(description: ObjectNumber.attribute)
            key = ObjectNumber.explicitKey
            guard link.missing != .create else {
                throw StoreError(
                    .invalidRequest,
                    "'\(name)' cannot create a '\(destination)' of a given number, since the store "
                        + "assigns the numbers. Use `missing: .reject` or `.null`")
            }
        } else {
            throw StoreError(
                .unknownKey, "'\(destination)' has no attribute '\(key)'")
        }
        let missing: BulkPlan.MissingPolicy =
            switch link.missing {
            case .reject: .reject
            case .create: .create
            case .null: .null
            }
        return (
            BulkPlan.Link(
                relationship: name, destination: destination, attribute: key, missing: missing),
            attribute
        )
    }

    func run(in context: ManagedObjectContext) throws -> BatchInsertResult {
        let writer = try context.bulkWriter(for: plan)
        let batch = RowBatch(width: plan.width)
        let fill = request.makeHandler()
        var result = BatchInsertResult()
        var row = 0
        var tokens: [Int64] = []
        var isDone = false
        while !isDone {
            batch.removeAll()
            tokens.removeAll()
            while batch.count < Self.batchSize {
                try context.checkInterrupt()
                var values: [String: BatchValue] = [:]
                if try fill(&values) {
                    isDone = true
                    break
                }
                row += 1
                if let reject = add(values, to: batch, row: row) {
                    note(reject, in: &result)
                } else {
                    tokens.append(Int64(row))
                }
            }
            try apply(batch, tokens, writer)
        }
        try writer.finish()
        // A first load defers the join rows, but reads after the save must find them.
        let session = try context.session()
        try session.completeLoad()
        for reject in writer.takeRejects() {
            note(
                BatchInsertReject(
                    row: Int(reject.token), code: reject.code, property: reject.property,
                    message: reject.message), in: &result)
        }
        let tally = writer.tally
        result.rejects.sort { $0.row < $1.row }
        result.inserted = tally.inserted
        result.updated = tally.updated
        result.unchanged = tally.unchanged + tally.skipped + tally.superseded
        return result
    }

    /// Applies a batch.
    ///
    /// The writer numbers tokens consecutively, but rejected rows leave gaps.
    private func apply(
        _ batch: RowBatch, _ tokens: [Int64], _ writer: BulkWriter
    ) throws(StoreError) {
        guard let first = tokens.first else { return }
        if Int64(tokens.count) == (tokens.last ?? first) - first + 1 {
            return try writer.apply(batch, firstToken: first)
        }
        let one = RowBatch(width: plan.width)
        for (place, token) in tokens.enumerated() {
            one.removeAll()
            one.addCopy(of: place, from: batch)
            try writer.apply(one, firstToken: token)
        }
    }

    private func note(_ reject: BatchInsertReject, in result: inout BatchInsertResult) {
        result.rejected += 1
        if result.rejects.count < Self.rejectsKept { result.rejects.append(reject) }
    }

    /// Writes a row's values to cells; rejects the row if a value is invalid.
    private func add(
        _ values: [String: BatchValue], to batch: RowBatch, row: Int
    ) -> BatchInsertReject? {
        let place = batch.addRow()
        for (name, value) in values {
            guard let (cell, attribute) = cells[name] else {
                batch.removeLastRow()
                return BatchInsertReject(
                    row: row, code: "kind", property: name,
                    message: "'\(name)' is not among the request's properties")
            }
            do throws(StoreError) {
                switch value {
                case .value(let value):
                    let fitting = try attribute.fitting(value, of: layout.name)
                    batch[place, cell] = batch.arena.cell(fitting)
                    if cell < validators.count,
                        let problem = validators[cell].problem(with: batch[place, cell])
                    {
                        batch.removeLastRow()
                        return BatchInsertReject(
                            row: row, code: "validate", property: name, message: problem)
                    }
                case .keys(let keys):
                    let start = batch.beginList()
                    for key in keys {
                        let fitting = try attribute.fitting(key, of: layout.name)
                        batch.addItem(batch.arena.cell(fitting))
                    }
                    batch[place, cell] = batch.list(from: start)
                }
            } catch {
                batch.removeLastRow()
                return BatchInsertReject(
                    row: row, code: "kind", property: name, message: error.message)
            }
        }
        return nil
    }
}
