import Files
import FoundationEssentials
import GraphModel
import SQLite

/// Repairs of relationships after the objects were saved one by one.
extension SalvageWriter {
    private func keys(_ select: SelectSQL) throws(StoreError) -> [Int64] {
        let rows = try select.prepare(on: target)
        var keys: [Int64] = []
        while try rows.step() { keys.append(rows.integer(0)) }
        return keys
    }

    // MARK: Links

    /// Repairs the entity's own to-one relationships: removes links without a destination and makes
    /// both ends consistent.
    mutating func repairLinks(of entity: StoreLayout.Entity) throws(StoreError) {
        let own = schema.model.ownRelationshipNames(of: entity.name)
        for (name, place) in entity.toOnes.sorted(by: { $0.key < $1.key })
        where own.contains(name) {
            // Columns in the destination's table are corrected with the destination.
            guard let columns = place.columns,
                let destination = schema.entity(
                    named: columns.relationship.destinationEntityName)
            else { continue }
            let link = ToOneLink(entity, name, place, destination)
            let gone = try keys(link.dangling)
            try target.execute(link.removal(columns, where: link.isDangling))
            lose(
                .dangling, entity.name, name, count: gone.count, keys: gone,
                "\(entity.name).\(name): \(gone.count.counting("link", "links")) had no destination object, and"
                    + " \(gone.count == 1 ? "was" : "were") removed")
            if let column = columns.entityColumn {
                try target.execute(
                    "UPDATE \(entity.table) AS t SET \(column) = (SELECT d.Z_ENT FROM"
                        + " \(destination.table) d WHERE d.Z_PK = t.\(columns.column))"
                        + " WHERE t.\(columns.column) IS NOT NULL\(link.family)")
            }
            try repairInverse(of: link, columns)
            try repairOrder(of: link, columns)
            try separatePositions(of: link, columns)
        }
    }

    /// Sets a missing inverse link; if two objects claim the same one, the first keeps it.
    private mutating func repairInverse(
        of link: ToOneLink, _ columns: StoreLayout.ToOneColumns
    ) throws(StoreError) {
        guard let back = link.back else { return }
        let (table, column) = (link.entity.table, columns.column)
        if let back = back.column {
            try target.execute(
                "UPDATE \(link.destination.table) AS d SET \(back) = (SELECT min(t.Z_PK) FROM \(table)"
                    + " t WHERE t.\(column) = d.Z_PK\(link.family)) WHERE d.\(back) IS NULL")
        }
        let wrong = try keys(link.oneSided(back))
        guard !wrong.isEmpty else { return }
        let keys = wrong.map(String.init).joined(separator: ",")
        try target.execute(link.removal(columns, where: "t.Z_PK IN (\(keys))\(link.family)"))
        lose(
            .inverse, link.entity.name, link.name, count: wrong.count, keys: wrong,
            "\(link.entity.name).\(link.name): "
                + wrong.count.counting(
                    "link did not match the other end, and is removed",
                    "links did not match the other end, and are removed"))
    }

    /// Appends objects without a position to the order, sorted by their keys.
    private mutating func repairOrder(
        of link: ToOneLink, _ columns: StoreLayout.ToOneColumns
    ) throws(StoreError) {
        guard let order = columns.orderColumn else { return }
        let (table, column) = (link.entity.table, columns.column)
        let unordered = link.unordered(column, order)
        let found = try keys(unordered)
        guard !found.isEmpty else { return }
        let step = OrderPositions.step
        let largest = try SQLFragment("SELECT max(\(order)) FROM \(table)").integer(on: target)
        let last = OrderPositions.position(after: 0, count: Int64(max(0, largest)) / step + 1)
        // They get positions by their keys, unless one would exceed the largest integer.
        if let last, OrderPositions.position(after: last, count: found.reduce(0, max)) != nil {
            try target.execute(
                "UPDATE \(table) AS t SET \(order) = \(last) + \(step) * t.Z_PK"
                    + unordered.filter.sql)
        } else {
            try target.execute(
                "UPDATE \(table) AS t SET \(order) = \(step) * n.place FROM (SELECT Z_PK,"
                    + " row_number() OVER (PARTITION BY \(column) ORDER BY \(order) IS NULL,"
                    + " \(order), Z_PK) AS place FROM \(table) WHERE \(column) NOT NULL) AS n"
                    + " WHERE n.Z_PK = t.Z_PK")
        }
        lose(
            .order, link.entity.name, link.name, count: found.count, keys: found,
            "\(link.entity.name).\(link.name): \(found.count.counting("object", "objects")) had no"
                + " position in the order, and \(found.count == 1 ? "is" : "are") at its end")
    }

    /// Numbers the objects of an owner again if several have the same position.
    private mutating func separatePositions(
        of link: ToOneLink, _ columns: StoreLayout.ToOneColumns
    ) throws(StoreError) {
        guard let order = columns.orderColumn else { return }
        let (table, column) = (link.entity.table, columns.column)
        let found = try keys(link.sharing(column, order))
        guard !found.isEmpty else { return }
        let first = found.map(String.init).joined(separator: ",")
        try target.execute(
            "UPDATE \(table) AS t SET \(order) = \(OrderPositions.step) * n.place FROM (SELECT Z_PK,"
                + " row_number() OVER (PARTITION BY \(column) ORDER BY \(order), Z_PK) AS place"
                + " FROM \(table) WHERE \(column) IN (SELECT \(column) FROM \(table)"
                + " WHERE Z_PK IN (\(first)))) AS n WHERE n.Z_PK = t.Z_PK")
        lose(
            .order, link.entity.name, link.name, count: found.count, keys: found,
            "\(link.entity.name).\(link.name): \(found.count.counting("place", "places")) in the order"
                + " had several objects, which now follow each other by their keys")
    }

    /// Deletes join rows that lack an end.
    mutating func repairJoinRows(of join: StoreLayout.JoinTable) throws(StoreError) {
        for end in schema.ends(of: join) {
            for column in end.columns {
                let lacking = end.lacksObject(column, in: join.name)
                let owners = try keys(
                    SelectSQL(end.side.ownerColumn, from: join.name, where: [lacking]))
                try target.execute("DELETE FROM \(join.name) WHERE \(lacking)")
                lose(
                    .pair, end.entity.name, end.name, count: owners.count, keys: owners,
                    "\(end.entity.name).\(end.name): \(owners.count.counting("link", "links")) had no"
                        + " destination object, and \(owners.count == 1 ? "was" : "were") removed")
            }
        }
    }

    // MARK: The rest

    /// Copies the identity of the store and the metadata of apps.
    mutating func copyMetadata() throws(StoreError) {
        var old: StoreMetadata?
        do throws(StoreError) {
            old = try StoreMetadata(readingFrom: source)
        } catch {
            old = nil
        }
        guard let old, var new = try StoreMetadata(readingFrom: target) else {
            return lose(
                .metadata, nil, count: 1, keys: [],
                "The metadata cannot be read, so programs that know the store treat it as another one"
            )
        }
        new.uuid = old.uuid
        for (key, value) in old.propertyList where new.propertyList[key] == nil {
            // The progress of runs does not apply to the new store.
            if !key.hasPrefix("ETL") { new.propertyList[key] = value }
        }
        // If the file cannot show whether it had a history, it is treated as if it had one.
        if (try? HistorySchema.exists(on: source)) ?? true {
            // Readers of the history must not treat the new one as its continuation.
            new.propertyList[StoreMetadata.lineageKey] = .string(UUID().uuidString)
        }
        try new.write(to: target)
        try target.execute(
            "DELETE FROM Z_METADATA WHERE Z_UUID <> '\(new.uuid.filter { $0 != "'" })'")
    }

    mutating func noteHistory() throws(StoreError) {
        // Whether an unreadable file had a history is unknown, so no loss is reported.
        let exists = (try? HistorySchema.exists(on: source)) ?? false
        guard exists else { return }
        lose(
            .history, nil, count: 1, keys: [],
            "The history is not copied; its readers must read the complete new store")
    }

    /// Copies the files of large values; a value whose file is missing becomes null.
    mutating func copyExternalValues(to newPath: String) throws(StoreError) {
        let from = StoreFiles.supportFolder(of: path) + "/_EXTERNAL_DATA"
        let to = StoreFiles.supportFolder(of: newPath) + "/_EXTERNAL_DATA"
        for entity in schema.heldEntities {
            for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key })
            where place.attribute.allowsExternalBinaryDataStorage
                && place.declaringEntity == entity.name
            {
                let rows = try ExternalFiles.namings(in: place.column, of: entity.table)
                    .prepare(on: target)
                var files: [(key: Int64, name: String)] = []
                while try rows.step() { files.append((rows.integer(0), rows.string(1))) }
                var (missing, unreadable): ([Int64], [Int64]) = ([], [])
                for file in files {
                    switch try Self.copy("\(from)/\(file.name)", to, file.name) {
                    case .whole: continue
                    case .missing: missing.append(file.key)
                    case .unreadable: unreadable.append(file.key)
                    }
                    try target.execute(
                        "UPDATE \(entity.table) SET \(place.column) = NULL"
                            + " WHERE Z_PK = \(file.key)")
                }
                lose(
                    .externalMissing, entity.name, name, count: missing.count, keys: missing,
                    "\(entity.name).\(name): "
                        + missing.count.counting(
                            "value is null, whose file is missing",
                            "values are null, whose files are missing"))
                lose(
                    .externalMissing, entity.name, name, count: unreadable.count, keys: unreadable,
                    "\(entity.name).\(name): "
                        + unreadable.count.counting(
                            "value is null, whose file cannot be read",
                            "values are null, whose files cannot be read"))
            }
        }
    }

    private enum Copied { case whole, missing, unreadable }

    /// Copies the file of a large value.
    ///
    /// - Throws: `StoreError` if the copy cannot be written.
    private static func copy(
        _ file: String, _ folder: String, _ name: String
    ) throws(StoreError) -> Copied {
        let target = "\(folder)/\(name)"
        try StoreFiles.calling(folder, "cannot be created") { () throws(SystemFault) in
            try FileSystem.makeFolders(folder)
        }
        do throws(FileCopyFailure) {
            try StoreFiles.copyContents(of: file, to: target)
            return .whole
        } catch {
            switch error {
            case .writing(let failure):
                throw StoreFiles.failure(target, "cannot be written", failure)
            case .reading(let failure):
                try StoreFiles.remove(target)
                return failure.isMissing ? .missing : .unreadable
            }
        }
    }
}
