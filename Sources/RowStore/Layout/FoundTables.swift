import GraphModel
import SQLite

/// The existing tables of a store that an app created, on which its model is laid out.
///
/// Core Data's names follow rules, but the version that created or migrated the store decides:
///
/// - which side of a many-to-many names the join table,
/// - which number a column name contains, and
/// - which of two siblings comes first.
///
/// Names are therefore matched against the existing ones.
package struct FoundTables: Sendable {
    /// A row of `Z_PRIMARYKEY`.
    struct Row: Sendable, Hashable {
        var number: Int64
        var name: String
        var superNumber: Int64
    }

    /// A column with its declared type.
    struct Column: Sendable, Hashable {
        var name: String
        var type: String
    }

    /// The largest number of a model's entity; the entities of the history have greater numbers.
    private static let numbersMax: Int64 = 16_000

    /// The columns of each table, in order.
    private(set) var columns: [String: [Column]]
    /// The entities, by number.
    let rows: [Row]
    /// The columns of each unique index, by table.
    private(set) var uniqueColumns: [String: [[String]]]
    /// The SQL statements of the indexes, by table, each with the name of its index.
    private(set) var indexes: [String: [(name: String, sql: String)]]
    /// The names of the triggers.
    private var triggers: [String]
    private var columnNames: [String: Set<String>]

    init(on connection: Connection) throws(StoreError) {
        var columns: [String: [Column]] = [:]
        let info = try connection.prepare(
            "SELECT m.name, c.name, upper(c.type) FROM sqlite_master m, pragma_table_info(m.name) c"
                + " WHERE m.type = 'table' AND m.name LIKE 'Z%' ORDER BY m.name, c.cid")
        while try info.step() {
            columns[info.string(0), default: []].append(
                Column(name: info.string(1), type: info.string(2)))
        }
        var uniqueIndexes: [(table: String, name: String, columns: [String])] = []
        let unique = try connection.prepare(
            "SELECT m.name, l.name, i.name FROM sqlite_master m, pragma_index_list(m.name) l,"
                + " pragma_index_info(l.name) i WHERE m.type = 'table' AND m.name LIKE 'Z%'"
                + " AND l.\"unique\" ORDER BY m.name, l.name, i.seqno")
        while try unique.step() {
            let (table, index) = (unique.string(0), unique.string(1))
            if uniqueIndexes.last?.name != index { uniqueIndexes.append((table, index, [])) }
            uniqueIndexes[uniqueIndexes.count - 1].columns.append(unique.string(2))
        }
        var indexes: [String: [(name: String, sql: String)]] = [:]
        let made = try connection.prepare(
            "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index'"
                + " AND sql IS NOT NULL ORDER BY name")
        while try made.step() {
            indexes[made.string(0), default: []].append((made.string(1), made.string(2)))
        }
        triggers = try connection.texts(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        self.columns = columns
        uniqueColumns = Dictionary(grouping: uniqueIndexes, by: \.table)
            .mapValues { $0.map(\.columns) }
        self.indexes = indexes
        columnNames = columns.mapValues { Set($0.map(\.name)) }
        rows = columns["Z_PRIMARYKEY"] == nil ? [] : try Self.rows(on: connection)
    }

    /// Returns these tables together with the tables of another file of the same container.
    func joined(with other: FoundTables) -> FoundTables {
        var all = self
        all.columns.merge(other.columns) { one, _ in one }
        all.columnNames.merge(other.columnNames) { one, _ in one }
        for (table, columns) in other.uniqueColumns {
            all.uniqueColumns[table] = all.uniqueColumns[table] ?? columns
        }
        for (table, indexes) in other.indexes {
            all.indexes[table] = all.indexes[table] ?? indexes
        }
        all.triggers += other.triggers
        return all
    }

    /// Whether triggers keep a derived attribute:
    /// `Z_DA_<TABLE>_<Entity>_<attribute>_<EVENT>`.
    func hasTriggers(for attribute: String, of entity: String, in table: String) -> Bool {
        triggers.contains { $0.hasPrefix("Z_DA_\(table)_\(entity)_\(attribute)_") }
    }

    private static func rows(on connection: Connection) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        let found = try connection.prepare(
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 1 AND"
                + " \(numbersMax) ORDER BY Z_ENT")
        while try found.step() {
            rows.append(
                Row(number: found.integer(0), name: found.string(1), superNumber: found.integer(2)))
        }
        return rows
    }

    func has(_ table: String) -> Bool { columnNames[table] != nil }

    func has(_ column: String, in table: String) -> Bool {
        columnNames[table]?.contains(column) ?? false
    }

    /// Returns whether one of the table's unique indexes covers exactly these columns.
    func isUnique(_ wanted: [String], in table: String) -> Bool {
        uniqueColumns[table]?.contains { Set($0) == Set(wanted) } == true
    }

    // MARK: Numbers

    /// Returns the number of each of the model's entities in this store.
    ///
    /// Entities are matched by name. Otherwise, as after a migration that kept the old name, they
    /// are matched by renaming identifier or by position. An entity that the store does not have
    /// gets a number after all others.
    func numbers(of model: ManagedObjectModel) -> [String: Int64] {
        guard !rows.isEmpty else {
            return Dictionary(
                uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, Int64($0 + 1)) })
        }
        // The first of several rows with one name counts.
        var byName: [String: Int64] = [:]
        for row in rows.reversed() { byName[row.name] = row.number }
        var numbers: [String: Int64] = [:]
        for entity in model.entities { numbers[entity.name] = byName[entity.name] }
        var taken = Set(numbers.values)
        for (place, entity) in model.entities.enumerated() where numbers[entity.name] == nil {
            let before = entity.renamingIdentifier.flatMap { byName[$0] }
            let there = rows.first { $0.number == Int64(place + 1) }?.number
            for number in [before, there].compactMap(\.self) where taken.insert(number).inserted {
                numbers[entity.name] = number
                break
            }
        }
        var next = max(rows[rows.count - 1].number, Int64(model.entities.count))
        for entity in model.entities where numbers[entity.name] == nil {
            next += 1
            numbers[entity.name] = next
        }
        return numbers
    }

    /// Returns the stored names of entities that have a new name in the model.
    func staleNames(
        _ numbers: [String: Int64], of model: ManagedObjectModel
    ) -> [(stored: String, model: String)] {
        numbers.sorted { $0.value < $1.value }.compactMap { name, number in
            guard isRenamed(name, in: model) else { return nil }
            return rows.first { $0.number == number && $0.name != name }.map { ($0.name, name) }
        }
    }

    /// Whether the store may have an older name of the entity.
    ///
    /// The identifier may name another version than the one that created the store.
    private func isRenamed(_ entity: String, in model: ManagedObjectModel) -> Bool {
        model.entity(named: entity)?.renamingIdentifier.map { $0 != entity } ?? false
    }

    /// An entity whose row in `Z_PRIMARYKEY` is wrong.
    struct WrongRow {
        let entity: StoreLayout.Entity
        /// The difference, in one sentence.
        let message: String
        /// Whether to keep the name, which may be an older one.
        let keepsName: Bool
    }

    /// Returns the entities whose rows have a name or a parent that the model does not have.
    func wrongRows(_ schema: StoreLayout) -> [WrongRow] {
        schema.heldEntities.compactMap { entity in
            guard let row = rows.first(where: { $0.number == entity.number }) else { return nil }
            let keepsName = row.name == entity.name || isRenamed(entity.name, in: schema.model)
            var wrong: [String] = []
            if !keepsName { wrong.append("the name '\(row.name)'") }
            if row.superNumber != entity.superNumber {
                wrong.append("the parent \(row.superNumber) instead of \(entity.superNumber)")
            }
            guard !wrong.isEmpty else { return nil }
            return WrongRow(
                entity: entity,
                message: "Z_PRIMARYKEY gives the entity '\(entity.name)' "
                    + wrong.joined(separator: " and "), keepsName: keepsName)
        }
    }

    /// Returns the model's entities whose tables exist; `nil` if all tables exist.
    func entities(heldOf model: ManagedObjectModel) -> Set<String>? {
        let held = model.entities.map(\.name).filter {
            has(LayoutCompiler.tableName(root: model.rootName(of: $0)))
        }
        return held.count == model.entities.count ? nil : Set(held)
    }

    // MARK: Names

    /// Returns the column of that name, or else one with another number: `Z12_OWNER` for
    /// `Z9_OWNER`.
    ///
    /// - Parameters:
    ///   - tail: The part of the name after the number.
    ///   - taken: Columns that belong to other properties.
    func column(
        _ name: String, orNumbered tail: String, in table: String, besides taken: Set<String> = []
    ) -> String? {
        if has(name, in: table) { return name }
        return columns[table]?.first {
            !taken.contains($0.name) && Self.isNumbered($0.name, "Z", tail)
        }?.name
    }

    /// Returns whether a name consists of a prefix, a number, and a tail.
    static func isNumbered(_ name: String, _ prefix: String, _ tail: String) -> Bool {
        guard name.hasPrefix(prefix), name.hasSuffix(tail),
            name.utf8.count > prefix.utf8.count + tail.utf8.count
        else { return false }
        return name.dropFirst(prefix.count).dropLast(tail.count).utf8.allSatisfy {
            $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
        }
    }

    /// One side of a many-to-many relationship.
    struct JoinTableSide {
        /// The number of the entity that declares the relationship.
        var number: Int64
        /// The relationship's name in capitals.
        var name: String
        /// The number of the destination entity.
        var destination: Int64
    }

    /// Returns the join table of each many-to-many relationship; `nil` if it has no table.
    ///
    /// Names of tables and columns contain the numbers that entities had when the store was
    /// created. A table with other numbers is therefore accepted if its columns have the names of
    /// both sides and no other relationship uses the table.
    ///
    /// - Parameter pairs: Both sides of each relationship.
    func joinTables(of pairs: [[JoinTableSide]]) -> [String?] {
        var tables = [String?](repeating: nil, count: pairs.count)
        var taken: Set<String> = []
        for (place, sides) in pairs.enumerated() {
            tables[place] = sides.lazy.map { "Z_\($0.number)\($0.name)" }.first(where: has)
            if let table = tables[place] { taken.insert(table) }
        }
        let others = columns.keys.sorted().filter { table in
            table.hasPrefix("Z_") && columns[table]?.contains { $0.name == "Z_PK" } == false
        }
        // Match exact numbers first.
        for isExact in [true, false] {
            for (place, sides) in pairs.enumerated() where tables[place] == nil {
                tables[place] = others.first { table in
                    !taken.contains(table)
                        && sides.contains { Self.isNumbered(table, "Z_", $0.name) }
                        && belongsToSides(keyColumns(of: table), sides, isExact: isExact)
                }
                if let table = tables[place] { taken.insert(table) }
            }
        }
        return tables
    }

    /// Returns whether two key columns belong to the two sides of a relationship.
    private func belongsToSides(_ keys: [String], _ sides: [JoinTableSide], isExact: Bool) -> Bool {
        guard keys.count == 2, sides.count == 2 else { return false }
        func isOf(_ column: String, _ side: JoinTableSide) -> Bool {
            isExact
                ? column.hasPrefix("Z_\(side.destination)\(side.name)")
                : column == "REFLEXIVE" || Self.isKeyColumn(column, of: side.name)
        }
        return isOf(keys[0], sides[0]) && isOf(keys[1], sides[1])
            || isOf(keys[1], sides[0]) && isOf(keys[0], sides[1])
    }

    /// Returns whether a join table's column has a relationship's name, ignoring a clash's suffix.
    static func isKeyColumn(_ column: String, of name: String) -> Bool {
        isNumbered(column, "Z_", name)
            || column.last?.isNumber == true && isNumbered(String(column.dropLast()), "Z_", name)
    }

    /// Returns the key columns of a join table.
    func keyColumns(of join: String) -> [String] {
        columns(of: join).map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
    }

    /// Returns the columns of a table, in order; empty if the table does not exist.
    func columns(of table: String) -> [Column] { columns[table] ?? [] }
}
