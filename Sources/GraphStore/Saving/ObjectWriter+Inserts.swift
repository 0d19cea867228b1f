import GraphModel
import SQLite

/// The insertion of new rows, several per statement.
extension ObjectWriter {
    mutating func insert(_ inserted: [ManagedObject]) throws(StoreError) {
        for group in Self.byEntity(inserted) {
            let layout = group[0].layout
            let sorted = Self.byKey(group)
            let statements = try ObjectRows(in: layout.entity.table, on: connection)
                .inserting(Self.columns(layout), ofEntity: layout.number)
            var place = 0
            while place + RowStatements.groupSize <= sorted.count {
                let rows = sorted[place..<place + RowStatements.groupSize]
                try insert(rows, statements.group)
                place += RowStatements.groupSize
            }
            for object in sorted[place...] {
                try insert([object], statements.one)
            }
            if let last = sorted.last {
                session.noteWritten(
                    key: last.objectID.primaryKey, root: layout.rootNumber)
            }
        }
    }

    /// Groups objects by entity, ordered by entity number; most saves insert objects of one entity
    /// only.
    private static func byEntity(_ objects: [ManagedObject]) -> [[ManagedObject]] {
        guard let first = objects.first?.layout else { return [] }
        if objects.allSatisfy({ $0.layout === first }) { return [objects] }
        return Dictionary(grouping: objects, by: { $0.layout.number })
            .sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the objects in ascending order of their keys, which new objects nearly always have.
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

    /// Returns the columns of an entity's rows in the order of its slots.
    private static func columns(_ layout: EntityLayout) -> [String] {
        var columns = layout.attributes.compactMap(\.column)
        for stored in layout.toOnes.compactMap(\.place.columns) {
            columns.append(stored.column)
            if let column = stored.entityColumn { columns.append(column) }
        }
        return columns
    }

    private mutating func insert(
        _ rows: ArraySlice<ManagedObject>, _ statement: Statement
    ) throws(StoreError) {
        bytes.reset()
        var index: Int32 = 1
        for object in rows {
            statement.bind(object.objectID.primaryKey, at: index)
            index += 1
            let layout = object.layout
            bytes.bind(object.values, layout.valuesInRows, to: statement, from: index)
            for (slot, position) in layout.valuesInFiles {
                let value = try stored(object.values[slot], slot, of: layout)
                statement.bind(value, at: index + position)
            }
            index += Int32(layout.valuesInRows.count + layout.valuesInFiles.count)
            for slot in layout.toOnes.indices {
                guard let columns = layout.toOnes[slot].place.columns else { continue }
                let hasEntity = columns.entityColumn != nil
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

    /// Records new rows of one entity, which are in ascending order of their keys.
    private func note(_ rows: ArraySlice<ManagedObject>) {
        guard let first = rows.first?.objectID, let last = rows.last?.objectID else { return }
        if last.primaryKey - first.primaryKey == Int64(rows.count) - 1 {
            session.change.inserted.insert(
                keys: first.primaryKey...last.primaryKey, entityNumber: first.entityNumber)
        } else {
            for object in rows { session.change.insert(object.objectID) }
        }
    }
}
