import GraphModel
import SQLite

extension BulkWriter {
    /// Resolves the links of a row into `row`, without creating objects.
    func resolveLinks(
        _ batch: RowBatch, _ place: Int, token: Int64, _ unresolved: UnresolvedPolicy
    ) throws(StoreError) -> LinkOutcome {
        let first = plan.plan.attributes.count
        missedOfRow.removeAll(keepingCapacity: true)
        var mustCreate = false
        var refusal: LinkOutcome?
        for link in plan.plan.links.indices where refusal == nil || canOnlyReject(link, unresolved)
        {
            let cell = batch[place, first + link]
            let found = try resolve(batch, cell, link, token, unresolved, creating: false)
            switch found {
            case .done: continue
            case .mustCreate: mustCreate = true
            case .obstacle(.rejected) where rejects.last?.token == token:
                refusal = refusal ?? found
            case .obstacle: return found
            }
        }
        return refusal ?? (mustCreate ? .mustCreate : .done)
    }

    /// Returns whether a key that no object has can only cause a rejection.
    private func canOnlyReject(_ link: Int, _ unresolved: UnresolvedPolicy) -> Bool {
        guard !plan.links[link].isNested, plan.links[link].missing == .reject else {
            return false
        }
        if case .decide = unresolved { return true }
        return !plan.links[link].mayComeLater
    }

    /// Resolves one link when no more records follow.
    ///
    /// - Returns: Whether the row can have the link.
    func setLink(
        _ link: Int, _ batch: RowBatch, _ place: Int, token: Int64
    ) throws(StoreError) -> Bool {
        let cell = batch[place, plan.plan.attributes.count + link]
        missedOfRow.removeAll(keepingCapacity: true)
        if case .obstacle = try resolve(batch, cell, link, token, .decide, creating: false) {
            return false
        }
        keepMissedLinks()
        return true
    }

    /// Keeps the missed links of the current row, which is written without them.
    func keepMissedLinks() {
        guard !missedOfRow.isEmpty else { return }
        missedLinks += missedOfRow
        missedOfRow.removeAll(keepingCapacity: true)
    }

    enum LinkOutcome {
        case done
        case mustCreate
        case obstacle(Disposition)
    }

    /// Resolves one link into `row`, or writes its objects.
    ///
    /// - Parameter owner: The primary key of the row's object, if it is known to exist.
    func resolve(
        _ batch: RowBatch, _ cell: BulkCell, _ link: Int, _ token: Int64,
        _ unresolved: UnresolvedPolicy, creating: Bool, owner: Int64? = nil
    ) throws(StoreError) -> LinkOutcome {
        if !nestedWriters.isEmpty, let writer = nestedWriters[link] {
            return try resolveNested(
                writer, batch, cell, link, token, creating: creating, owner: owner)
        }
        if let many = plan.manyOfLink[link] {
            return try resolveMany(batch, cell, link, many, token, unresolved, creating)
        }
        guard cell.kind != .absent, cell.kind != .null else {
            setToOne(link, cell.kind == .null ? .null : .absent, entity: nil)
            return .done
        }
        let key =
            cell.kind == .list
            ? LinkKey(batch, items: cell.listStart..<(cell.listStart + cell.listCount))
            : LinkKey(cell)
        switch try find(key, link) {
        case .one(let id):
            if plan.links[link].sparesTargets { spare(id.primaryKey) }
            setToOne(link, .integer(id.primaryKey), entity: id.entityNumber)
            return .done
        case .several(let keys):
            return rejectShared(resolvers[link].sharedMessage(key, keys), key, link, token)
        case .severalInside(let message): return rejectShared(message, key, link, token)
        case .none: break
        }
        switch try decide(key, link, token, unresolved, creating: creating) {
        case .object(let id):
            setToOne(link, .integer(id.primaryKey), entity: id.entityNumber)
            return .done
        case .nothing:
            setToOne(link, .null, entity: nil)
            return .done
        case .mustCreate:
            // A placeholder until the object is created.
            setToOne(link, .integer(0), entity: 0)
            return .mustCreate
        case .obstacle(let obstacle): return .obstacle(obstacle)
        }
    }

    private func resolveMany(
        _ batch: RowBatch, _ cell: BulkCell, _ link: Int, _ many: Int, _ token: Int64,
        _ unresolved: UnresolvedPolicy, _ creating: Bool
    ) throws(StoreError) -> LinkOutcome {
        guard cell.kind != .absent else {
            row.destinations[many] = nil
            return .done
        }
        var destinations = row.destinations[many] ?? []
        row.destinations[many] = nil
        destinations.removeAll(keepingCapacity: true)
        var mustCreate = false
        var known: Set<Int64> = []
        var refusal: LinkOutcome?
        if cell.kind == .list {
            let width = plan.links[link].keyWidth
            let end = cell.listStart + cell.listCount
            for index in stride(from: cell.listStart, to: end, by: width) {
                let key =
                    width == 1
                    ? LinkKey(batch.item(index)) : LinkKey(batch, items: index..<(index + width))
                guard key.first.kind != .null else { continue }
                var found: ManagedObjectID?
                switch try find(key, link) {
                case .one(let id):
                    if plan.links[link].sparesTargets { spare(id.primaryKey) }
                    found = id
                case .several(let keys):
                    return rejectShared(
                        resolvers[link].sharedMessage(key, keys), key, link, token)
                case .severalInside(let message): return rejectShared(message, key, link, token)
                case .none: break
                }
                if found == nil {
                    switch try decide(key, link, token, unresolved, creating: creating) {
                    case .object(let id): found = id
                    case .nothing: continue
                    case .mustCreate:
                        mustCreate = true
                        continue
                    case .obstacle(let obstacle)
                    where canOnlyReject(link, unresolved) && rejects.last?.token == token:
                        refusal = .obstacle(obstacle)
                        continue
                    case .obstacle(let obstacle): return .obstacle(obstacle)
                    }
                }
                if let key = found?.primaryKey, isNew(key, among: destinations, &known) {
                    destinations.append(key)
                }
            }
        }
        if let refusal { return refusal }
        if !mustCreate, !plan.toManys[many].isUnlimited, plan.links[link].many == .replace {
            let relationship = plan.toManys[many].place.relationship
            if let problem = Self.countProblem(destinations.count, relationship) {
                reject(token, "validate", relationship.name, problem)
                return .obstacle(.rejected)
            }
        }
        row.destinations[many] = destinations
        return mustCreate ? .mustCreate : .done
    }

    /// Returns whether a list of keys does not contain the key.
    ///
    /// - Parameter known: A set with the same keys, which is filled if the list is long.
    private func isNew(_ key: Int64, among keys: [Int64], _ known: inout Set<Int64>) -> Bool {
        guard keys.count >= 32 else { return !keys.contains(key) }
        if known.isEmpty { known.formUnion(keys) }
        return known.insert(key).inserted
    }

    private enum Decision {
        case object(ManagedObjectID)
        case nothing
        case mustCreate
        case obstacle(Disposition)
    }

    private func decide(
        _ key: LinkKey, _ link: Int, _ token: Int64, _ unresolved: UnresolvedPolicy,
        creating: Bool
    ) throws(StoreError) -> Decision {
        // The description is copied only where it is needed.
        if plan.links[link].missing == .create {
            guard creating else { return .mustCreate }
            guard let id = try create(key, link, token) else { return .obstacle(.rejected) }
            return .object(id)
        }
        switch unresolved {
        case .wait where plan.links[link].mayComeLater:
            return .obstacle(
                .deferred(link: link, key: deferredRows.names.awaited(key, link: link)))
        case .decideUnlessDeferred(let place) where plan.links[link].mayComeLater:
            let awaited = deferredRows.names.awaited(key, link: link)
            if try deferredRows.dependencies.mayCome(awaited, for: place) {
                return .obstacle(.deferred(link: link, key: awaited))
            }
        case .breakCycle(let place) where plan.links[link].mayComeLater:
            let awaited = deferredRows.names.awaited(key, link: link)
            if try deferredRows.dependencies.mayCome(awaited, for: place) {
                if omittedLinks.last != link { omittedLinks.append(link) }
                deferredRows.omittedKeys.append(awaited)
                return .nothing
            }
        default:
            break
        }
        let description = plan.plan.links[link]
        if description.missing == .skip {
            tally.skipped += 1
            return .obstacle(.rejected)
        }
        guard description.missing == .reject else {
            if description.notesMissed {
                missedOfRow.append(
                    MissedLink(
                        token: token, relationship: description.relationship,
                        key: resolvers[link].plainText(key)))
            }
            return .nothing
        }
        reject(
            token, "link", description.relationship,
            "No \(description.destination) has " + resolvers[link].text(key),
            value: resolvers[link].plainText(key), hinge: .missingTarget)
        return .obstacle(.rejected)
    }

    /// Rejects a record with a link key that several objects share.
    private func rejectShared(
        _ message: String, _ key: LinkKey, _ link: Int, _ token: Int64
    ) -> LinkOutcome {
        reject(
            token, "key", plan.plan.links[link].relationship, message,
            value: resolvers[link].plainText(key), hinge: .storedValues)
        return .obstacle(.rejected)
    }

    /// Notes that a record names an object by a link, so that `hasTouched(_:)` is true for it.
    private func spare(_ key: Int64) {
        if spared.insert(key) { journal?.noteSpared(key) }
    }

    private func find(_ key: LinkKey, _ link: Int) throws(StoreError) -> KeyMatch {
        if plan.links[link].namesOwnByNumber, key.first.integerValue >= pending.firstKey {
            try flushRows()
        }
        if plan.links[link].leadsThroughOwn { try flushRows() }
        guard plan.links[link].mayComeLater else { return try resolvers[link].find(key) }
        guard plan.links[link].isOwnKey, keyFinder.usesMap else {
            try flushRows()
            return try resolvers[link].find(key)
        }
        let places = statements.keyPlaces
        guard plan.isKeyUnique else {
            return
                switch try findInMap(
                    key.hash, where: { key.equals(columns: places, of: $0) })
            {
            case .none: .none
            case .several(let keys): .several(keys)
            case .row(let found): .one(take(found))
            }
        }
        let family = plan.destinations[link].familyNumbers
        let found = try firstInMap(key.hash) {
            key.equals(columns: places, of: $0) && family.contains($0.integer(1))
        }
        return found.map { .one(take($0)) } ?? .none
    }

    /// Returns the object of a found row, and releases the row.
    private func take(_ found: Statement) -> ManagedObjectID {
        defer { release(found) }
        return ManagedObjectID(entityNumber: found.integer(1), primaryKey: found.integer(0))
    }

    func setToOne(_ link: Int, _ key: BulkCell, entity: Int64?) {
        let facts = plan.links[link]
        if let column = facts.keyColumn { row.cells[column] = key }
        if let column = facts.entityColumn {
            row.cells[column] = entity.map { .integer($0) } ?? key
        }
        // The position is assigned once it is known whether the row keeps its owner.
        if let column = facts.orderColumn { row.cells[column] = key }
    }

    static func countProblem(
        _ count: Int, _ relationship: RelationshipDescription
    ) -> String? {
        guard let (problem, limit) = relationship.problem(withCount: count) else { return nil }
        let wanted = problem == .tooFew ? "needs at least" : "holds at most"
        return "'\(relationship.name)' \(wanted) \(limit) objects and gets \(count)"
    }
}
