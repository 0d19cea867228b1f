import SQLite

/// Applies one record.
extension BulkWriter {
    func apply(_ batch: RowBatch, _ place: Int, token: Int64) throws(StoreError) {
        guard let hash = keyHash(batch, place) else {
            rejectNullKey(batch, place, token: token)
            return try noteOtherFaults(batch, place, token: token)
        }
        if deferredRows.mayWait(key: hash) {
            return try park(batch, place, token: token, key: hash, until: hash)
        }
        let (writes, rejected) = (writesWithNested, tally.rejected)
        switch try write(batch, place, token: token, hash: hash) {
        case .deferred(_, let awaited):
            try park(batch, place, token: token, key: hash, until: awaited)
        case .written where writesWithNested == writes && tally.rejected == rejected:
            idleRecords += 1
        case .written, .rejected: break
        }
        if tally.rejected > rejected { try noteOtherFaults(batch, place, token: token) }
    }

    private func park(
        _ batch: RowBatch, _ place: Int, token: Int64, key: UInt64, until awaited: UInt64
    ) throws(StoreError) {
        deferredRows.add(batch, place, token: token, key: key, until: awaited)
        deferredTokens.append(token)
        times?.keep()
        if deferredRows.isOverMemory { try spillDeferredRows() }
    }

    func keyHash(_ batch: RowBatch, _ place: Int) -> UInt64? {
        var hash = KeyHash()
        if plan.plan.key.isEmpty {
            // Every row is a separate object.
            appended += 1
            hash.combine(appended)
            return hash.value
        }
        for cell in plan.keyCells {
            let value = batch[place, cell]
            guard value.kind != .null, value.kind != .absent else { return nil }
            if value.kind == .list {
                // These values identify the target of a relationship in the key.
                for item in value.listStart..<(value.listStart + value.listCount) {
                    hash.combine(batch.item(item))
                }
            } else {
                hash.combine(value)
            }
        }
        return hash.value
    }

    /// Rejects a record that has no value for a part of the key.
    func rejectNullKey(_ batch: RowBatch, _ place: Int, token: Int64) {
        for cell in plan.keyCells where [.null, .absent].contains(batch[place, cell].kind) {
            return rejectNullKey(plan.plan.property(ofCell: cell), token: token)
        }
    }

    /// Rejects a record if a relationship of its key has no target.
    ///
    /// - Returns: Whether the record was rejected.
    func rejectIfKeyIsNull(token: Int64) -> Bool {
        guard plan.hasRelationshipInKey else { return false }
        for column in plan.keyPlaces where column != plan.ownerColumn {
            guard [.null, .absent].contains(row.cells[column].kind) else { continue }
            rejectNullKey(plan.columns[column].property, token: token)
            return true
        }
        return false
    }

    private func rejectNullKey(_ property: String, token: Int64) {
        reject(token, "key", property, "'\(property)' is part of the key and null here")
    }

    /// Returns the first required property that the resolved row sets to null.
    func nullRequirement() -> String? {
        for column in plan.requiredColumns where row.cells[column].kind == .null {
            return plan.columns[column].property
        }
        return nil
    }

    /// Writes the row, unless a target of its links must be written first.
    func write(
        _ batch: RowBatch, _ place: Int, token: Int64, hash: UInt64,
        unresolved: UnresolvedPolicy = .wait
    ) throws(StoreError) -> Disposition {
        if let times, times.isKept { times.begin(token) }
        for column in plan.columns.indices {
            if case .attribute(let cell) = plan.columns[column].source {
                row.cells[column] = batch[place, cell]
            }
        }
        let needsTargets: Bool
        switch try resolveLinks(batch, place, token: token, unresolved) {
        case .done: needsTargets = false
        case .mustCreate: needsTargets = true
        case .obstacle(let obstacle): return obstacle
        }
        // A null part of the key is also a null requirement, if its property is required.
        if rejectIfKeyIsNull(token: token) { return .rejected }
        if let property = nullRequirement() {
            reject(token, "required", property, "'\(property)' is required and null here")
            return .rejected
        }
        if needsTargets { return try writeMakingTargets(batch, place, token: token, hash: hash) }
        let rowHash = rowHash(hash)
        switch try find(batch, place, hash: rowHash) {
        case .row(let found): try update(found, token: token)
        case .none where plan.plan.absent == .reject:
            rejectAbsent(batch, place, token: token)
            return .rejected
        case .none: try insert(hash: rowHash, token: token)
        case .several(let keys):
            rejectShared(keys, batch, place, token: token)
            return .rejected
        }
        keepMissedLinks()
        return .written
    }

    /// Rejects a row, or adds another fault to the last reject if it is for the same row.
    func reject(
        _ token: Int64, _ code: String, _ property: String?, _ message: String,
        value: String? = nil, hinge: BulkReject.Hinge? = nil
    ) {
        let other = BulkReject.Other(
            code: code, property: property, value: value, message: message)
        if gathering?.token == token {
            if gathering?.others.contains(other) == false { gathering?.others.add(other) }
            return
        }
        if let last = rejects.indices.last, rejects[last].token == token {
            rejects[last].otherFaults.add(other)
            return
        }
        tally.rejected += 1
        rejects.append(
            BulkReject(
                token: token, code: code, property: property, value: value, message: message,
                hinge: hinge))
    }
}
