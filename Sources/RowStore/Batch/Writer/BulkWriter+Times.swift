import SQLite

/// Applies links in the order of the records, although some records are written late.
extension BulkWriter {
    /// Notes in `times` which links the current record sets.
    ///
    /// If the record was deferred and is written late, also removes from the row the links that
    /// later records have set.
    ///
    /// Call it right before the object is written.
    func keepTimes(of owner: Int64) throws(StoreError) {
        guard let times, let timed, times.isKept else { return }
        if times.isResolving { row.leaveNothingOut() }
        for oneToOne in timed.oneToOnes { try keepTimes(of: owner, oneToOne, times) }
        for own in timed.columns { try keepTimes(of: owner, own, times) }
        for many in timed.manys { try keepTimes(of: owner, many, times) }
    }

    /// Returns whether several records may set the link, so that `times` tracks it.
    func isTimed(link: Int) -> Bool {
        guard let timed else { return false }
        return timed.oneToOnes.contains { $0.link == link }
            || timed.columns.contains { $0.link == link }
            || timed.manys.contains { plan.toManys[$0.position].link == link }
    }

    /// Clears the list of links that rows must leave unchanged, here and in the writers of nested
    /// objects.
    func leaveNothingOut() {
        row.leaveNothingOut()
        for case let writer? in nestedWriters { writer.leaveNothingOut() }
    }

    /// Records in `times` that the current record is written, so that its links count as set.
    func endTimes() throws(StoreError) {
        guard let times, times.isKept, !isNested else { return }
        try times.endRecord()
    }

    /// Whether each record must be written at once instead of with a group of rows, because `times`
    /// must know whether it was rejected.
    var mustStandAtOnce: Bool { times?.isKept == true }

    /// Resolves a one-to-one link: each end belongs to the last record that set it.
    private func keepTimes(
        of owner: Int64, _ timed: TimedLinks.OneToOne, _ times: LinkVersions
    ) throws(StoreError) {
        let cell = row.cells[timed.column]
        guard cell.kind != .absent else { return }
        let own = LinkVersions.Matter(kind: timed.own, object: owner)
        times.say(own)
        let destination = cell.kind == .integer ? cell.integerValue : nil
        let inverse = destination.map { LinkVersions.Matter(kind: timed.inverse, object: $0) }
        if let inverse { times.say(inverse) }
        guard times.isResolving else { return }
        let isOwnLater = try times.isLater(own)
        let isInverseLater = if let inverse { try times.isLater(inverse) } else { false }
        if isOwnLater {
            set(timed.link, .absent)
            // This record still freed the target from its previous owner.
            if let destination, !isInverseLater {
                row.freed.append((timed.writer, destination))
            }
        } else if isInverseLater {
            set(timed.link, .null)
        }
    }

    private func keepTimes(
        of owner: Int64, _ timed: TimedLinks.Own, _ times: LinkVersions
    ) throws(StoreError) {
        let cell = row.cells[timed.column]
        guard cell.kind != .absent else { return }
        let own = LinkVersions.Matter(kind: timed.kind, object: owner)
        times.say(own)
        guard times.isResolving else { return }
        if try times.isLater(own) {
            if let link = timed.link {
                set(link, .absent)
            } else {
                row.cells[timed.column] = .absent
            }
        } else if let link = timed.link, cell.kind == .integer {
            // The owner has removed the object since then.
            let members = LinkVersions.Matter(kind: timed.members, object: cell.integerValue)
            let pair = LinkVersions.Matter(
                kind: timed.pair, object: cell.integerValue, other: owner)
            let hasNoRow = try times.isLater(members)
            if hasNoRow { set(link, .null) } else if try times.isLater(pair) { set(link, .null) }
        }
    }

    /// Removes a link from the current row, so that the stored link stays unchanged.
    func leaveOut(_ link: Int) {
        if let many = plan.manyOfLink[link] {
            row.destinations[many] = nil
        } else {
            set(link, .absent)
        }
    }

    private func set(_ link: Int, _ cell: BulkCell) {
        for column in plan.columns.indices {
            switch plan.columns[column].source {
            case .linkKey(link), .linkEntity(link), .linkOrder(link): row.cells[column] = cell
            default: continue
            }
        }
    }

    private func keepTimes(
        of owner: Int64, _ timed: TimedLinks.Many, _ times: LinkVersions
    ) throws(StoreError) {
        guard let destinations = row.destinations[timed.position] else { return }
        let members = LinkVersions.Matter(kind: timed.members, object: owner)
        if timed.policy == .replace { times.say(members) }
        for destination in destinations {
            if let matter = timed.matter(owner, destination) { times.say(matter) }
        }
        guard times.isResolving else { return }
        // Only a nested object has other records that write it, and a link that was left out to
        // break a cycle is set after them.
        if timed.policy == .replace, try times.isLater(members) {
            row.destinations[timed.position] = nil
            guard case .foreignKey(let column) = timed.place else { return }
            for destination in destinations
            where try !times.isLater(LinkVersions.Matter(kind: column, object: destination)) {
                row.freedOfManys.append((timed.position, destination))
            }
            return
        }
        let writer = toManyWriters[timed.position]
        let existing = timed.policy == .replace ? try writer.destinations(of: owner) : []
        for destination in Set(existing + destinations) {
            for matter in timed.deciding(owner, destination) where try times.isLater(matter) {
                row.left[timed.position].insert(destination)
            }
        }
    }
}

extension TimedLinks.Many {
    /// Returns what a record sets by naming this destination, for the comparison with later
    /// records.
    ///
    /// It is `nil` if the record sets all objects of the owner at once, which is a subject of its
    /// own.
    fileprivate func matter(_ owner: Int64, _ destination: Int64) -> LinkVersions.Matter? {
        switch place {
        case .foreignKey(let column):
            policy == .remove
                ? LinkVersions.Matter(kind: pair, object: owner, other: destination)
                : LinkVersions.Matter(kind: column, object: destination)
        case .join(_, let ownerIsFirst, let isReflexive):
            policy == .replace
                ? nil
                : joinRowMatter(
                    owner, destination,
                    isTurned: isReflexive ? owner > destination : !ownerIsFirst)
        }
    }

    /// Returns the subjects that must not be overruled by a later record if this record is to
    /// decide whether the owner has the destination.
    fileprivate func deciding(_ owner: Int64, _ destination: Int64) -> [LinkVersions.Matter] {
        switch place {
        case .foreignKey(let column): [LinkVersions.Matter(kind: column, object: destination)]
        case .join(let otherMembers, let ownerIsFirst, let isReflexive):
            [
                LinkVersions.Matter(kind: otherMembers, object: destination),
                joinRowMatter(
                    owner, destination,
                    isTurned: isReflexive ? owner > destination : !ownerIsFirst),
            ]
        }
    }

    /// Returns the subject of a join row, which is the same from both ends.
    private func joinRowMatter(
        _ owner: Int64, _ destination: Int64, isTurned: Bool
    ) -> LinkVersions.Matter {
        isTurned
            ? LinkVersions.Matter(kind: pair, object: destination, other: owner)
            : LinkVersions.Matter(kind: pair, object: owner, other: destination)
    }
}
