import GraphModel
import SQLite

/// Writes a context's pending objects into an open transaction.
///
/// The order is that of the save pipeline: links of deleted objects are cleared, then come
/// deletes, updates and inserts in the order of entities, join rows last; so a unique value that
/// one object gives up is free for another.
struct ObjectWriter {
    let objects: ObjectSupport
    let session: WriteSession
    let external: ExternalFiles
    /// Files made for this save.
    var filesWritten: [String] = []
    /// Files whose rows no longer name them, to be removed after the commit.
    var filesReleased: [String] = []
    /// What each updated object's `Z_OPT` is afterwards.
    var versions: [ManagedObjectID: Int64] = [:]
    /// Keeps the bytes of a statement's texts until it has run.
    private let bytes = ArenaBox()

    var connection: Connection { session.connection }

    init(_ objects: ObjectSupport, _ session: WriteSession, _ external: ExternalFiles) {
        self.objects = objects
        self.session = session
        self.external = external
    }

    mutating func write(_ pending: PendingObjects) throws(SaveFailure) {
        do throws(SQLiteError) {
            try clearLinks(to: pending.deleted)
            try delete(pending.deleted)
        } catch {
            throw SaveFailure(error)
        }
        try update(pending.updated)
        try insert(pending.inserted)
        do throws(SQLiteError) {
            var lists = ListWriter(objects, session, pending)
            try lists.write()
        } catch {
            throw SaveFailure(error)
        }
    }

    /// Ends a savepoint.
    func release(_ savepoint: String) throws(SaveFailure) {
        do throws(SQLiteError) {
            try connection.execute("RELEASE \(savepoint)")
        } catch {
            throw SaveFailure(error)
        }
    }

    // MARK: Deletes

    /// Clears what leads to deleted objects from rows that are not in memory.
    private func clearLinks(to deleted: [ManagedObject]) throws(SQLiteError) {
        for (layout, list) in Self.keyLists(deleted) {
            for toMany in layout.toManys {
                switch toMany.place {
                case .joinTable(let join):
                    try connection.execute(
                        "DELETE FROM \(join.table) WHERE \(join.ownerColumn) IN (\(list))")
                    if ObjectReader.isOwnInverse(toMany) {
                        try connection.execute(
                            "DELETE FROM \(join.table)"
                                + " WHERE \(join.destinationColumn) IN (\(list))")
                    }
                case .foreignKey(let key) where toMany.relationship.deleteRule == .nullify:
                    let rows = try connection.prepare(
                        "SELECT Z_ENT, Z_PK FROM \(key.table) WHERE \(key.column) IN (\(list))")
                    var found = false
                    while try rows.step() {
                        found = true
                        let id = ManagedObjectID(
                            entityNumber: rows.integer(0), primaryKey: rows.integer(1))
                        session.change.update(id)
                        if let name = toMany.relationship.inverseName {
                            session.history?.update(id, properties: [name])
                        }
                    }
                    guard found else { continue }
                    let nulls = [key.column, key.entityColumn, key.orderColumn].compactMap(\.self)
                        .map { "\($0) = NULL, " }.joined()
                    try connection.execute(
                        "UPDATE \(key.table) SET \(nulls)Z_OPT = Z_OPT + 1"
                            + " WHERE \(key.column) IN (\(list))")
                case .foreignKey: break
                }
            }
        }
    }

    private mutating func delete(_ deleted: [ManagedObject]) throws(SQLiteError) {
        for (layout, list) in Self.keyLists(deleted) {
            for attribute in layout.attributes where attribute.isExternal {
                guard let column = attribute.column else { continue }
                try release(column, layout.entity.table, list)
            }
            try session.history?.willDelete(rowsOf: layout.entity.table, keys: list)
            try connection.execute("DELETE FROM \(layout.entity.table) WHERE Z_PK IN (\(list))")
        }
        for object in deleted { session.change.delete(object.objectID) }
    }

    /// Notes the files that a column of those rows names.
    private mutating func release(
        _ column: String, _ table: String, _ list: String
    ) throws(SQLiteError) {
        let rows = try connection.prepare(
            "SELECT \(column) FROM \(table) WHERE Z_PK IN (\(list)) AND substr(\(column), 1, 1) = x'02'"
        )
        while try rows.step() {
            if let name = ExternalFiles.fileName(rows.value(0)) { filesReleased.append(name) }
        }
    }

    /// Keys of objects as SQL lists of a bounded length, by entity.
    private static func keyLists(
        _ objects: [ManagedObject]
    ) -> [(EntityLayout, String)] {
        var lists: [(EntityLayout, String)] = []
        for (_, group) in Dictionary(grouping: objects, by: { $0.layout.number }).sorted(by: {
            $0.key < $1.key
        }) {
            let keys = group.map(\.objectID.primaryKey).sorted()
            for start in stride(from: 0, to: keys.count, by: ObjectReader.chunkSize) {
                let chunk = keys[start..<min(start + ObjectReader.chunkSize, keys.count)]
                lists.append((group[0].layout, chunk.map(String.init).joined(separator: ",")))
            }
        }
        return lists
    }

    // MARK: Updates

    private mutating func update(_ updated: [ManagedObject]) throws(SaveFailure) {
        let sorted = updated.sorted { $0.objectID < $1.objectID }
        do throws(SQLiteError) {
            try parkUniqueValues(of: sorted)
        } catch {
            throw SaveFailure(error)
        }
        for object in sorted {
            let mask = object.effectiveMask()
            guard !mask.isEmpty else { continue }
            session.change.update(object.objectID)
            if let history = session.history {
                let names = object.layout.propertyNames.enumerated()
                    .filter { mask.contains($0.offset) }
                history.update(object.objectID, properties: names.map(\.element))
            }
            do throws(SQLiteError) {
                try update(object, mask)
            } catch {
                throw SaveFailure(error)
            }
        }
    }

    /// Values that are unique and that change among several objects are cleared first, so that
    /// objects may exchange them.
    private func parkUniqueValues(of updated: [ManagedObject]) throws(SQLiteError) {
        for (_, group) in Dictionary(grouping: updated, by: { $0.layout.entity.table }) {
            var changing: [(ManagedObject, [String])] = []
            for object in group where !object.layout.constrainedSlots.isEmpty {
                let mask = object.effectiveMask()
                let columns = object.layout.constrainedSlots.filter { mask.contains($0) }
                    .compactMap { object.layout.attributes[$0].column }
                if !columns.isEmpty { changing.append((object, columns)) }
            }
            guard changing.count > 1 else { continue }
            for (object, columns) in changing {
                let nulls = columns.sorted().map { "\($0) = NULL" }.joined(separator: ", ")
                let statement = try connection.cached(
                    "UPDATE \(object.layout.entity.table) SET \(nulls) WHERE Z_PK = ?")
                statement.bind(object.objectID.primaryKey, at: 1)
                try statement.run()
            }
        }
    }

    private mutating func update(
        _ object: ManagedObject, _ mask: ChangeMask
    ) throws(SQLiteError) {
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
            let columns = layout.toOnes[slot].columns
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
        guard !names.isEmpty || hasPairs(object, mask) else { return }
        // What was checked stands until the commit, so the version need not be asked again.
        let isCurrent = versions[object.objectID].map { $0 == object.version } ?? true
        let next = (versions[object.objectID] ?? object.version) + 1
        let sets = ["Z_OPT = ?"] + names.map { "\($0) = ?" }
        let statement = try connection.cached(
            "UPDATE \(layout.entity.table) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?")
        statement.bind(next, at: 1)
        for (position, value) in values.enumerated() {
            statement.bind(value, at: Int32(position) + 2)
        }
        statement.bind(object.objectID.primaryKey, at: Int32(values.count) + 2)
        try statement.run()
        versions[object.objectID] = isCurrent ? next : object.version
    }

    /// Whether pairs of the object change, which count as a change of its row.
    private func hasPairs(_ object: ManagedObject, _ mask: ChangeMask) -> Bool {
        object.layout.toManys.indices.contains { slot in
            guard case .joinTable = object.layout.toManys[slot].place else { return false }
            return mask.contains(object.layout.bit(toMany: slot))
        }
    }

    // MARK: Inserts

    private mutating func insert(_ inserted: [ManagedObject]) throws(SaveFailure) {
        for group in Self.byEntity(inserted) {
            let layout = group[0].layout
            let sorted = Self.byKey(group)
            do throws(SQLiteError) {
                let statements = try InsertStatements(layout, on: connection)
                var place = 0
                while place + RowStatements.groupSize <= sorted.count {
                    let rows = sorted[place..<place + RowStatements.groupSize]
                    try insert(rows, statements.group)
                    place += RowStatements.groupSize
                }
                for object in sorted[place...] {
                    try insert([object], statements.one)
                }
            } catch {
                throw SaveFailure(error)
            }
            if let last = sorted.last {
                session.noteWritten(
                    key: last.objectID.primaryKey, root: layout.rootNumber)
            }
        }
    }

    /// Objects of one entity each, in the order of entities; most saves insert but one.
    private static func byEntity(_ objects: [ManagedObject]) -> [[ManagedObject]] {
        guard let first = objects.first?.layout else { return [] }
        if objects.allSatisfy({ $0.layout === first }) { return [objects] }
        return Dictionary(grouping: objects, by: { $0.layout.number })
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// In the order of keys, in which new objects nearly always are.
    private static func byKey(_ objects: [ManagedObject]) -> [ManagedObject] {
        var last = Int64.min
        for object in objects {
            guard object.objectID.primaryKey > last else {
                return objects.sorted { $0.objectID.primaryKey < $1.objectID.primaryKey }
            }
            last = object.objectID.primaryKey
        }
        return objects
    }

    private mutating func insert(
        _ rows: ArraySlice<ManagedObject>, _ statement: Statement
    ) throws(SQLiteError) {
        bytes.reset()
        var index: Int32 = 1
        for object in rows {
            statement.bind(object.objectID.primaryKey, at: index)
            index += 1
            let layout = object.layout
            for (slot, kind) in layout.slots.enumerated() where kind.isStored {
                if kind.isExternal {
                    let value = try stored(object.values[slot], slot, of: layout)
                    statement.bind(value, at: index)
                } else {
                    bytes.bind(object.values[slot], to: statement, at: index)
                }
                index += 1
            }
            for slot in layout.toOnes.indices {
                let hasEntity = layout.toOnes[slot].columns.entityColumn != nil
                if let id = object.links[slot] {
                    statement.bind(id.primaryKey, at: index)
                    if hasEntity { statement.bind(id.entityNumber, at: index + 1) }
                } else {
                    statement.bindNull(at: index)
                    if hasEntity { statement.bindNull(at: index + 1) }
                }
                index += hasEntity ? 2 : 1
            }
        }
        note(rows)
        try statement.run()
    }

    /// Notes new rows of one entity, which are in the order of their keys.
    private func note(_ rows: ArraySlice<ManagedObject>) {
        guard let first = rows.first?.objectID, let last = rows.last?.objectID else { return }
        if last.primaryKey - first.primaryKey == Int64(rows.count) - 1 {
            session.change.insert(
                keys: first.primaryKey...last.primaryKey, entityNumber: first.entityNumber)
        } else {
            for object in rows { session.change.insert(object.objectID) }
        }
    }

    private mutating func stored(
        _ value: StoredValue, _ slot: Int, of layout: EntityLayout
    ) throws(SQLiteError) -> StoredValue {
        let attribute = layout.attributes[slot]
        guard attribute.isExternal else { return value }
        do throws(StoreError) {
            return try external.stored(
                value, of: attribute.description, root: layout.entity.rootNumber,
                written: &filesWritten)
        } catch {
            // A full disk is one, whoever meets it.
            throw SQLiteError(
                extendedCode: error.code == .full ? 13 : 10, message: error.message, sql: nil)
        }
    }
}

/// What a save writes, sorted out.
struct PendingObjects {
    var inserted: [ManagedObject] = []
    var updated: [ManagedObject] = []
    var deleted: [ManagedObject] = []

    init(_ listed: [ManagedObject]) {
        for object in listed {
            switch object.pending {
            case .none: break
            case .inserted: inserted.append(object)
            case .updated: updated.append(object)
            case .deleted: deleted.append(object)
            }
        }
    }
}

/// Why a write stopped; the transaction may go on.
struct SaveFailure: Error {
    let error: SQLiteError

    init(_ error: SQLiteError) {
        self.error = error
    }
}

/// The statements that insert an entity's rows: all its columns, in the order of its slots.
private struct InsertStatements {
    let one: Statement
    let group: Statement

    init(_ layout: EntityLayout, on connection: Connection) throws(SQLiteError) {
        var columns = layout.attributes.compactMap(\.column)
        for toOne in layout.toOnes {
            columns.append(toOne.columns.column)
            if let column = toOne.columns.entityColumn { columns.append(column) }
        }
        let insert =
            "INSERT INTO \(layout.entity.table) (Z_PK, Z_ENT, Z_OPT"
            + columns.map { ", \($0)" }.joined() + ") VALUES "
        let row =
            "(?, \(layout.number), 1" + String(repeating: ", ?", count: columns.count) + ")"
        one = try connection.cached(insert + row)
        group = try connection.cached(
            insert
                + Array(repeating: row, count: RowStatements.groupSize).joined(separator: ", "))
    }
}
