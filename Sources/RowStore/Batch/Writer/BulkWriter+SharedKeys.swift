import GraphModel
import SQLite

/// The number of keys that several objects share, for one key of a plan.
package struct SharedKeys: Sendable, Hashable {
    /// The path of the key in the plan: `key`, `link.book.by`, or `link.items.key`.
    package var path: String
    /// The entity of the objects.
    package var entity: String
    /// The number of keys that several objects share.
    package var count: Int
}

extension BulkWriter {
    /// Returns the keys of the plan and its links that several objects of the store share.
    ///
    /// Keys with a uniqueness constraint are not included.
    package func sharedKeys() throws(StoreError) -> [SharedKeys] {
        try sharedKeys(under: "")
    }

    private func sharedKeys(under path: String) throws(StoreError) -> [SharedKeys] {
        var found: [SharedKeys] = []
        func add(
            _ path: String, _ entity: StoreLayout.Entity, _ columns: [String]
        ) throws(StoreError) {
            let count = try sharedKeyCount(of: entity, columns)
            guard count > 0 else { return }
            found.append(SharedKeys(path: path, entity: entity.name, count: count))
        }
        func add(
            _ path: String, _ entity: StoreLayout.Entity, _ key: [BulkPlan.KeyPart]
        ) throws(StoreError) {
            let properties = key.map(\.property)
            if properties != [ObjectNumber.explicitKey],
                !session.schema.isUnique(properties, of: entity)
            {
                try add(
                    path, entity,
                    key.compactMap {
                        entity.attributes[$0.property]?.column
                            ?? entity.toOnes[$0.property]?.columns?.column
                    })
            }
            for part in key {
                guard let target = part.entity.flatMap({ session.schema.entity(named: $0) })
                else { continue }
                try add("\(path).\(part.property).by", target, part.key)
            }
        }
        if !plan.isKeyUnique { try add(path + "key", plan.entity, plan.keyColumns) }
        for (position, link) in plan.plan.links.enumerated() {
            let path = "\(path)link.\(link.relationship)."
            if !nestedWriters.isEmpty, let writer = nestedWriters[position] {
                found += try writer.sharedKeys(under: path)
            } else {
                try add(path + "by", plan.destinations[position], link.key)
            }
        }
        return found
    }

    private func sharedKeyCount(
        of entity: StoreLayout.Entity, _ columns: [String]
    ) throws(StoreError) -> Int {
        let conditions =
            columns.map { "\($0) NOT NULL" } + (entity.familyCondition().map { [$0] } ?? [])
        return try session.connection.count(
            "SELECT count(*) FROM (SELECT 1 FROM \(entity.table)"
                + " WHERE \(conditions.joined(separator: " AND "))"
                + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1)")
    }
}
