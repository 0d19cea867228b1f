import GraphModel
import SQLite

/// Creates the objects of links if no object has their key.
extension BulkWriter {
    /// Writes a row whose links create objects.
    ///
    /// The objects are created once no other fault of the row is known. They are removed if the row
    /// is rejected after all: a rejected record has no effect.
    func writeMakingTargets(
        _ batch: RowBatch, _ place: Int, token: Int64, hash: UInt64
    ) throws(StoreError) -> Disposition {
        let firstHash = rowHash(hash)
        var owner: Int64?
        switch try find(batch, place, hash: firstHash) {
        case .row(let found):
            owner = found.integer(0)
            let mayUpdate = mayUpdate(found, token: token)
            release(found)
            guard mayUpdate else {
                omittedLinks.removeAll(keepingCapacity: true)
                return .written
            }
        case .several(let keys):
            rejectShared(keys, batch, place, token: token)
            return .rejected
        case .none where plan.plan.absent == .reject:
            rejectAbsent(batch, place, token: token)
            return .rejected
        case .none:
            if let property = missingRequirement() {
                rejectMissing(property, token: token)
                return .rejected
            }
        }
        try flushRows()
        newTargets.removeAll(keepingCapacity: true)
        let rejected = tally.rejected
        var undo = nestedWriters.isEmpty ? nil : try beginRecord()
        for link in plan.plan.links.indices
        where plan.plan.links[link].missing == .create || plan.plan.links[link].nested != nil {
            let cell = batch[place, plan.plan.attributes.count + link]
            let outcome = try resolve(
                batch, cell, link, token, .decide, creating: true, owner: owner)
            guard case .obstacle(let obstacle) = outcome else { continue }
            try takeBackTargets(&undo)
            return obstacle
        }
        // The target of a relationship in the key is known only now.
        let madeHash = rowHash(hash)
        switch try find(batch, place, hash: madeHash) {
        case .row(let found): try update(found, token: token)
        case .none: try insert(hash: madeHash, token: token, alone: true)
        case .several(let keys): rejectShared(keys, batch, place, token: token)
        }
        if tally.rejected > rejected {
            try takeBackTargets(&undo)
        } else {
            try keepRecord(&undo)
            keepMissedLinks()
        }
        return .written
    }

    func takeBackTargets(_ undo: inout RecordUndo?) throws(StoreError) {
        if let undone = undo.take() { return try undoRecord(undone) }
        for (link, id, hash) in newTargets {
            let delete = try session.connection.cached(
                "DELETE FROM \(plan.destinations[link].table) WHERE Z_PK = ?")
            delete.bind(id.primaryKey, at: 1)
            try delete.run()
            session.change.delete(id)
            if plan.links[link].isOwnKey { keyFinder.noteRejected(hash, id.primaryKey) }
            tally.createdTargets -= 1
        }
        guard !newTargets.isEmpty else { return }
        newTargets.removeAll(keepingCapacity: true)
        for resolver in resolvers { resolver.forgetAll() }
    }

    func create(
        _ key: LinkKey, _ link: Int, _ token: Int64
    ) throws(StoreError) -> ManagedObjectID? {
        if let problem = resolvers[link].problem(with: key) {
            rejectTarget(key, link, token, problem)
            return nil
        }
        do {
            let id = try resolvers[link].create(key, in: session)
            let hash = key.hash
            if plan.links[link].isOwnKey { keyFinder.noteInserted(hash, id.primaryKey) }
            newTargets.append((link, id, hash))
            tally.createdTargets += 1
            return id
        } catch  where error.isConstraint {
            if let damage = error.ofUsedKey(in: session.schema) { throw damage }
            rejectTarget(key, link, token, error.message)
            return nil
        }
    }

    func rejectTarget(_ key: LinkKey, _ link: Int, _ token: Int64, _ problem: String) {
        let description = plan.plan.links[link]
        reject(
            token, "link", description.relationship,
            "No \(description.destination) has \(resolvers[link].text(key)),"
                + " and none can be made: \(problem)",
            value: resolvers[link].plainText(key),
            hinge: description.makesStandIns ? .missingTarget : nil)
    }
}
