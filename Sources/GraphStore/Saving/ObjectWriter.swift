import GraphModel
import SQLite

/// A writer of a context's pending objects into an open transaction.
///
/// It clears links to deleted objects, then deletes, updates, and inserts rows, and writes join
/// rows last. A unique value that one object releases is thus free for another.
struct ObjectWriter {
    let objects: ObjectSupport
    let session: WriteSession
    let external: ExternalFiles
    /// The files that were created for this save.
    var filesWritten: [String] = []
    /// The files that rows no longer name, to be removed after the commit.
    var filesReleased: [String] = []
    /// The new `Z_OPT` of each updated object.
    var versions: [ManagedObjectID: Int64] = [:]
    /// The changes of earlier requests of the transaction; these rows already have new versions.
    private let earlier: StoreChange
    /// The owner of the bytes of a statement's strings until it has run.
    let bytes = ArenaBox()

    var connection: Connection { session.connection }

    init(_ objects: ObjectSupport, _ session: WriteSession, _ external: ExternalFiles) {
        self.objects = objects
        self.session = session
        self.external = external
        earlier = session.change
    }

    mutating func write(_ pending: PendingObjects) throws(StoreError) {
        try clearLinks(to: pending.deleted)
        try delete(pending.deleted)
        try update(pending.updated)
        try insert(pending.inserted)
        var lists = ListWriter(objects, session, pending)
        try lists.write()
    }

    // MARK: Deletes

    /// Clears references to deleted objects from rows that are not in memory.
    private func clearLinks(to deleted: [ManagedObject]) throws(StoreError) {
        for (layout, list) in Self.keyLists(deleted) {
            for case let toOne in layout.toOnes where toOne.relationship.deleteRule != .noAction {
                guard case .toMany = toOne.inverse, let column = toOne.place.column,
                    let end = objects.schema.inverseEnd(of: toOne.relationship)
                else { continue }
                try session.noteTargets(of: column, in: layout.entity.table, rows: list, end)
            }
            for toMany in layout.toManys {
                switch toMany.place {
                case .joinTable(let join):
                    // Whatever the rule, the join rows do not outlive the object.
                    try session.deleteJoinRows(
                        join, of: list, objects.schema.inverseEnd(of: toMany.relationship),
                        isOwnInverse: ObjectReader.isOwnInverse(toMany))
                case .foreignKey(let key) where toMany.relationship.deleteRule == .nullify:
                    try session.clear(key, of: list)
                case .foreignKey: break
                }
            }
        }
    }

    private mutating func delete(_ deleted: [ManagedObject]) throws(StoreError) {
        for (layout, list) in Self.keyLists(deleted) {
            for attribute in layout.attributes where attribute.isExternal {
                guard let column = attribute.column else { continue }
                try release(column, layout.entity.table, list)
            }
            try session.history?.willDelete(rowsOf: layout.entity.table, keys: list)
            try ObjectRows(in: layout.entity.table, on: connection).delete(list)
        }
        for object in deleted { session.change.delete(object.objectID) }
    }

    /// Records the files that a column of these rows names.
    private mutating func release(
        _ column: String, _ table: String, _ list: String
    ) throws(StoreError) {
        filesReleased += try ExternalFiles.names(
            in: column, of: table, where: ["Z_PK IN (\(list))"], on: connection)
    }

    /// Returns the objects' keys as SQL lists of limited length, grouped by entity.
    private static func keyLists(
        _ objects: [ManagedObject]
    ) -> [(EntityLayout, String)] {
        var lists: [(EntityLayout, String)] = []
        for (_, group) in Dictionary(grouping: objects, by: { $0.layout.number }).sorted(by: {
            $0.key < $1.key
        }) {
            let keys = group.map(\.objectID.primaryKey).sorted()
            for chunk in keys.chunks(of: ObjectReader.chunkSize) {
                lists.append((group[0].layout, chunk.map(String.init).joined(separator: ",")))
            }
        }
        return lists
    }

    // MARK: Updates

    private mutating func update(_ updated: [ManagedObject]) throws(StoreError) {
        let sorted = updated.sorted { $0.objectID < $1.objectID }
        try parkUniqueValues(of: sorted)
        for object in sorted {
            let mask = object.effectiveMask()
            guard !mask.isEmpty else { continue }
            session.change.update(object.objectID)
            if let history = session.history {
                let names = object.layout.propertyNames.enumerated()
                    .filter { mask.contains($0.offset) }
                history.update(object.objectID, properties: names.map(\.element))
            }
            try update(object, mask)
        }
    }

    /// Clears unique values that change in several objects, so that the objects can exchange them.
    private func parkUniqueValues(of updated: [ManagedObject]) throws(StoreError) {
        for (_, group) in Dictionary(grouping: updated, by: { $0.layout.entity.table }) {
            var changing: [(ManagedObject, [String])] = []
            for object in group where !object.layout.constrainedProperties.isEmpty {
                let (layout, mask) = (object.layout, object.effectiveMask())
                let columns = layout.constrainedProperties.filter { mask.contains(layout.bit($0)) }
                    .compactMap(layout.column)
                if !columns.isEmpty { changing.append((object, columns)) }
            }
            guard changing.count > 1 else { continue }
            for (object, columns) in changing {
                try ObjectRows(in: object.layout.entity.table, on: connection)
                    .clear(columns.sorted(), of: object.objectID.primaryKey)
            }
        }
    }

    private mutating func update(
        _ object: ManagedObject, _ mask: ChangeMask
    ) throws(StoreError) {
        let layout = object.layout
        var names: [String] = []
        var values: [StoredValue] = []
        for slot in layout.attributes.indices where mask.contains(slot) {
            guard let column = layout.attributes[slot].column else { continue }
            names.append(column)
            if layout.attributes[slot].isExternal {
                try release(column, layout.entity.table, "\(object.objectID.primaryKey)")
            }
            values.append(try stored(object.values[slot], slot, of: layout))
        }
        for slot in layout.toOnes.indices where mask.contains(layout.bit(toOne: slot)) {
            // If the other object's row stores the link, that row is written as well.
            guard let columns = layout.toOnes[slot].place.columns else { continue }
            let id = object.links[slot]
            names.append(columns.column)
            values.append(id.map { .integer($0.primaryKey) } ?? .null)
            if let column = columns.entityColumn {
                names.append(column)
                values.append(id.map { .integer($0.entityNumber) } ?? .null)
            }
            if let column = columns.orderColumn {
                names.append(column)
                values.append(.null)
            }
        }
        guard !names.isEmpty || hasLinksElsewhere(object, mask) else { return }
        // The transaction holds the write lock, so the compared version is valid until the commit.
        let isCurrent = versions[object.objectID].map { $0 == object.version } ?? true
        let current = versions[object.objectID] ?? object.version
        let next =
            earlier.contains(object.objectID) ? current : RowVersion.next(after: current)
        let statement = try ObjectRows(in: layout.entity.table, on: connection).updating(names)
        statement.bind(next, at: 1)
        for (position, value) in values.enumerated() {
            statement.bind(value, at: Int32(position) + 2)
        }
        statement.bind(object.objectID.primaryKey, at: Int32(values.count) + 2)
        try statement.run()
        versions[object.objectID] = isCurrent ? next : object.version
    }

    /// Whether links of the object change in other rows, which also counts as a change of its row.
    private func hasLinksElsewhere(_ object: ManagedObject, _ mask: ChangeMask) -> Bool {
        let layout = object.layout
        return layout.toManys.indices.contains { mask.contains(layout.bit(toMany: $0)) }
            || layout.toOnes.indices.contains { slot in
                layout.toOnes[slot].place.columns == nil && mask.contains(layout.bit(toOne: slot))
            }
    }

    mutating func stored(
        _ value: StoredValue, _ slot: Int, of layout: EntityLayout
    ) throws(StoreError) -> StoredValue {
        let attribute = layout.attributes[slot]
        guard attribute.isExternal else { return value }
        return try external.stored(
            value, of: attribute.description, root: layout.entity.rootNumber,
            written: &filesWritten)
    }
}
