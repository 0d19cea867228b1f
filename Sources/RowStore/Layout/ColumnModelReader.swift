import GraphModel
import SQLite

/// Infers a model from a store's tables if the store contains no readable model.
///
/// The sources of the model:
/// - Entity names come from `Z_PRIMARYKEY`; property names come from column names, in lowercase.
/// - Attribute types come from declared column types. For a `BLOB` column, the values decide.
/// - A to-one has a companion column (`Z3_OWNER` for `ZOWNER`), or an index and an entity's name.
/// - A many-to-many has a join table.
///
/// Sub-entities share their root's table, so all its columns become properties of the root.
struct ColumnModelReader {
    private let found: FoundTables
    private let connection: Connection

    init(_ found: FoundTables, _ connection: Connection) {
        self.found = found
        self.connection = connection
    }

    func model(_ path: String) throws(StoreError) -> ManagedObjectModel {
        var names: [Int64: String] = [:]
        for row in found.rows.reversed() { names[row.number] = row.name }
        guard names.values.allSatisfy(ColumnNames.isSafe), !names.isEmpty else {
            throw StoreError(
                .noModel,
                "\(path) contains no readable model and does not list its entities; pass its"
                    + " model")
        }
        var entities: [EntityDescription] = []
        for row in found.rows {
            var entity = EntityDescription(
                name: row.name, superentityName: row.superNumber == 0 ? nil : names[row.superNumber]
            )
            let table = LayoutCompiler.tableName(root: row.name)
            if entity.superentityName == nil, found.has(table) {
                try add(columnsOf: table, to: &entity, names)
            }
            entities.append(entity)
        }
        addPairs(to: &entities, names)
        do throws(ModelError) {
            return try ManagedObjectModel(entities: entities)
        } catch {
            throw StoreError(
                .noModel,
                "\(path) contains no readable model, and none can be inferred from its tables: \(error); pass"
                    + " its model")
        }
    }

    // MARK: Columns

    private func add(
        columnsOf table: String, to entity: inout EntityDescription, _ names: [Int64: String]
    ) throws(StoreError) {
        for column in found.columns(of: table) {
            let (name, tail) = (column.name, String(column.name.dropFirst()))
            // Skips `Z_PK`, companions (`Z3_OWNER`), and to-manys without an inverse (`Z3ITEMS`).
            guard name.hasPrefix("Z"), ColumnNames.isSafe(tail), !tail.hasPrefix("_") else {
                continue
            }
            if let destination = destination(of: tail, in: table, names) {
                entity.ownRelationships.append(
                    RelationshipDescription(
                        name: tail.lowercased(), destinationEntityName: destination))
            } else {
                entity.ownAttributes.append(
                    AttributeDescription(
                        name: tail.lowercased(), type: try type(of: column, in: table)))
            }
        }
    }

    private func destination(
        of tail: String, in table: String, _ names: [Int64: String]
    ) -> String? {
        for column in found.columns(of: table)
        where FoundTables.isNumbered(column.name, "Z", "_\(tail)") {
            let digits = column.name.dropFirst().prefix { $0.isNumber }
            if let destination = Int64(digits).flatMap({ names[$0] }) { return destination }
        }
        guard
            found.indexes[table]?.contains(where: { $0.name == "\(table)_Z\(tail)_INDEX" }) == true
        else { return nil }
        return names.values.sorted().first { $0.uppercased() == tail }
    }

    private func type(
        of column: FoundTables.Column, in table: String
    ) throws(StoreError) -> AttributeType {
        switch column.type {
        case "INTEGER": return .integer64
        case "FLOAT": return .double
        case "TIMESTAMP": return .date
        case "DECIMAL", "DECIMAL_TEXT": return .decimal
        case "VARCHAR": return .string
        default:
            func all(_ condition: String) throws(StoreError) -> Bool {
                try connection.integer(
                    "SELECT count(*) > 0 AND min(ifnull(\(condition), 0)) FROM \(table)"
                        + " WHERE \(column.name) IS NOT NULL") == 1
            }
            if try all("length(\(column.name)) = 16") { return .uuid }
            let archive = "substr(\(column.name), 1, 8) = CAST('bplist00' AS BLOB)"
            return try all(archive) ? .transformable : .binary
        }
    }

    // MARK: Pairs

    private func addPairs(to entities: inout [EntityDescription], _ names: [Int64: String]) {
        var places: [String: Int] = [:]
        for (place, entity) in entities.enumerated().reversed() { places[entity.name] = place }
        for table in found.columns.keys.sorted() where table.hasPrefix("Z_") {
            let keys = found.keyColumns(of: table)
            guard keys.count == 2, !found.has("Z_PK", in: table),
                let pair = pair(keys, in: table, names)
            else { continue }
            for (one, other) in [(pair.0, pair.1), (pair.1, pair.0)] {
                // A relationship belongs to the entity at its other end.
                guard let place = places[other.destination],
                    !entities[place].ownRelationships.contains(where: { $0.name == one.name })
                else { continue }
                entities[place].ownRelationships.append(
                    RelationshipDescription(
                        name: one.name, destinationEntityName: one.destination,
                        inverseName: other.name, isToMany: true,
                        isOrdered: found.has("Z_FOK_\(one.column.dropFirst(2))", in: table)))
            }
        }
    }

    private struct End {
        var name: String
        var destination: String
        var column: String
    }

    private func pair(
        _ keys: [String], in table: String, _ names: [Int64: String]
    ) -> (End, End)? {
        let ends = keys.compactMap { column -> End? in
            let rest = column.dropFirst(2)
            let digits = rest.prefix { $0.isNumber }
            let name = rest.dropFirst(digits.count).lowercased()
            guard column.hasPrefix("Z_"), ColumnNames.isSafe(name),
                let destination = Int64(digits).flatMap({ names[$0] })
            else { return nil }
            return End(name: name, destination: destination, column: column)
        }
        if ends.count == 2 { return (ends[0], ends[1]) }
        // A relationship that is its own inverse has only one named column.
        guard let end = ends.first, keys.contains("REFLEXIVE") else { return nil }
        return (end, end)
    }
}
