package import GraphModel

/// The mapping of a model to Core Data's tables: every name and number that SQL needs.
///
/// Each hierarchy has one table: `ZTASK` holds `Task` and its sub-entities, distinguished by
/// `Z_ENT`. The rules are those of the published layout; see `LayoutCompiler` for each.
package struct StoreLayout: Sendable {
    /// The location of one entity in the tables.
    package struct Entity: Sendable {
        /// The entity's name in the model.
        package var name: String
        /// `Z_ENT`, from 1.
        package var number: Int64
        /// The parent entity's number, or 0.
        package var superNumber: Int64
        /// Whether all objects of the entity belong to its sub-entities.
        package var isAbstract: Bool
        /// The table of its hierarchy.
        package var table: String
        /// The number of the hierarchy's root, whose `Z_MAX` allocates keys.
        package var rootNumber: Int64
        /// The numbers of the entity and its descendants.
        package var familyNumbers: [Int64]
        /// Whether the table also holds entities other than this one and its descendants.
        package var sharesTable: Bool
        /// Stored attributes, including inherited ones, by name.
        package var attributes: [String: AttributeColumn]
        /// To-one relationships by name.
        package var toOnes: [String: ToOnePlace]
        /// To-many relationships by name.
        package var toManys: [String: ToManyPlace]

        /// The entity of objects whose entity number the model does not have: it has no table.
        package static let unknown = Entity(
            name: "?", number: 0, superNumber: 0, isAbstract: true, table: "", rootNumber: 0,
            familyNumbers: [], sharesTable: false, attributes: [:], toOnes: [:], toManys: [:])
    }

    /// An attribute's column.
    package struct AttributeColumn: Sendable {
        /// The column's name in SQLite, such as `ZTITLE`.
        package var column: String
        /// The attribute, with its default value encoded as the column stores it.
        package var attribute: AttributeDescription
        /// The entity that declares the attribute, which may be an ancestor.
        package var declaringEntity: String
    }

    /// The location of a to-one relationship's link.
    package enum ToOnePlace: Sendable {
        /// In columns of the object's own row.
        case own(ToOneColumns)
        /// In the destination's row, whose column holds this object's key.
        case inverse(InverseColumn)

        /// The to-one relationship that the link belongs to.
        package var relationship: RelationshipDescription {
            switch self {
            case .own(let columns): columns.relationship
            case .inverse(let inverse): inverse.relationship
            }
        }

        /// The columns of the object's own row; `nil` if the destination's row has the link.
        package var columns: ToOneColumns? {
            if case .own(let columns) = self { columns } else { nil }
        }

        /// The column of the object's own row with the destination's `Z_PK`.
        ///
        /// The value is `nil` if the destination's row has the link.
        package var column: String? { columns?.column }
    }

    /// The only column of a one-to-one relationship, seen from the side without a column.
    ///
    /// Some stores keep one-to-one relationships on one side only. The other side is then
    /// ```sql
    /// (SELECT back.Z_PK FROM ZLABEL back WHERE back.ZITEM = t.Z_PK ORDER BY back.Z_PK LIMIT 1)
    /// ```
    /// If several rows hold the object's key, the one with the smallest `Z_PK` is the destination.
    package struct InverseColumn: Sendable {
        /// The destination's table.
        package var table: String
        /// The column in it with this object's `Z_PK`.
        package var column: String
        /// The column with this object's `Z_ENT`, if its entity has sub-entities.
        package var entityColumn: String?
        /// Whether the destination has sub-entities.
        package var hasSubentities: Bool
        /// The relationship of the side without a column.
        package var relationship: RelationshipDescription

        /// Returns a column of the destination's row, as SQL.
        fileprivate func select(_ wanted: String, of row: String, _ database: String) -> String {
            "(SELECT back.\(wanted) FROM \(database)\(table) back WHERE back.\(column) ="
                + " \(row).Z_PK ORDER BY back.Z_PK LIMIT 1)"
        }
    }

    /// A to-one relationship's columns.
    package struct ToOneColumns: Sendable {
        /// The column with the destination's `Z_PK`.
        package var column: String
        /// The column with the destination's `Z_ENT`, if the destination has sub-entities.
        package var entityColumn: String?
        /// The column with the position among the owner's objects, if the inverse is ordered.
        package var orderColumn: String?
        /// The relationship that the columns store.
        package var relationship: RelationshipDescription
    }

    /// The location of a to-many relationship's links.
    package enum ToManyPlace: Sendable {
        /// In foreign keys of the destination's rows.
        case foreignKey(ForeignKey)
        /// In a join table.
        case joinTable(Join)

        /// The to-many relationship that the links belong to.
        package var relationship: RelationshipDescription {
            switch self {
            case .foreignKey(let place): place.relationship
            case .joinTable(let place): place.relationship
            }
        }
    }

    /// The foreign key of a to-many, stored in the destination's rows.
    package struct ForeignKey: Sendable {
        /// The destination's table.
        package var table: String
        /// The column with the owner's `Z_PK`.
        package var column: String
        /// The column with the owner's `Z_ENT`, if the owner's entity has sub-entities.
        package var entityColumn: String?
        /// The column with the position among the owner's objects, if the relationship is ordered.
        package var orderColumn: String?
        /// The owner's to-many relationship.
        package var relationship: RelationshipDescription
    }

    /// A to-many whose links are join rows.
    package struct Join: Sendable {
        /// The join table's name, such as `Z_1TAGS`.
        package var table: String
        /// The column with this side's `Z_PK`.
        package var ownerColumn: String
        /// The column with the other side's `Z_PK`.
        package var destinationColumn: String
        /// The column with the destinations' order, if this side is ordered.
        package var orderColumn: String?
        /// The column with the owners' order, if the other side is ordered.
        package var backOrderColumn: String?
        /// The relationship of this side.
        package var relationship: RelationshipDescription
        /// Whether the relationship is its own inverse.
        package var isReflexive: Bool
        /// The join rows as SQL.
        ///
        /// If the relationship is its own inverse, each row is included in both directions.
        package var pairs: String {
            guard isReflexive else { return table }
            return "(SELECT \(ownerColumn), \(destinationColumn) FROM \(table)"
                + " UNION SELECT \(destinationColumn), \(ownerColumn) FROM \(table))"
        }
    }

    /// A table of a hierarchy.
    package struct Table: Sendable {
        /// The table's name in SQLite, such as `ZTASK`.
        package var name: String
        /// The name of the hierarchy's root entity.
        package var rootEntity: String
        /// Whether the table also holds entities other than the root.
        package var hasSubentities: Bool
        /// The columns after `Z_PK`, `Z_ENT`, and `Z_OPT`, in the order of creation.
        package var columns: [ColumnDefinition]
        /// The indexes on the table, with names that differ in more than case.
        package var indexes: [Index]
    }

    /// A column of a hierarchy's table, as in `CREATE TABLE`.
    package struct ColumnDefinition: Sendable {
        /// The column's name in SQLite, such as `ZTITLE`.
        package var name: String
        /// The declared type, such as `VARCHAR`.
        package var type: String
    }

    /// A join table; its primary key consists of both columns in this order.
    package struct JoinTable: Sendable {
        /// The join table's name in SQLite, such as `Z_1TAGS`.
        package var name: String
        /// The column with the `Z_PK` of objects whose relationship names the table.
        package var firstColumn: String
        /// The column with the `Z_PK` of objects of the other side.
        package var secondColumn: String
        /// The columns with the order of objects, one for each ordered side.
        package var orderColumns: [String]
        /// The index for lookups by the second column.
        package var reverseIndex: Index
    }

    /// An index on a hierarchy's table or on a join table.
    package struct Index: Sendable, Hashable {
        /// The index's name in SQLite, such as `ZTASK_ZOWNER_INDEX`.
        package var name: String
        /// Whether SQLite rejects rows with equal values, as a uniqueness constraint requires.
        package var isUnique: Bool
        /// The name of the indexed table.
        package var table: String
        /// Columns with their direction, as SQL.
        package var columns: [String]
        /// The condition that indexed rows meet, as SQL; `nil` includes all rows.
        package var condition: String?
    }

    /// The model from which the layout is derived.
    package var model: ManagedObjectModel
    /// All entities of the model, including entities without a table.
    package var entities: [Entity]
    /// The tables of the hierarchies, in the model's order of root entities.
    package var tables: [Table]
    /// The join tables, sorted by name.
    package var joinTables: [JoinTable]
    /// The store's fold tables by source table; empty if there is no store.
    package var foldTables: [String: FoldTable] = [:]
    /// The files other than the first, by the number of the root that each holds.
    package var parts: [Int64: StorePart] = [:]
    /// The numbers of entities that have a table; `nil` if all entities have one.
    package private(set) var heldNumbers: Set<Int64>?
    /// The tables of the app that created the store; `nil` if GraphStore created it.
    ///
    /// GraphStore adds no tables of its own to an app's store.
    package let found: FoundTables?
    /// The tables of a store of ours; `nil` during its creation and for an app's store.
    let foundTables: FoundTables?
    private var positionByName: [String: Int]
    private var positionByNumber: [Int64: Int]

    /// Creates the layout of a model.
    ///
    /// - Parameters:
    ///   - held: The entities that get tables, as complete hierarchies; `nil` for all. The others
    ///     keep their numbers, so that an entity has one number in every file.
    ///   - found: The existing tables of an app's store, if any.
    ///   - pairs: The tables of a store of ours, because versions of etl named join tables
    ///     differently.
    ///   - naming: To-many relationships, each as `Entity.relationship`, that name their join table
    ///     regardless of the rule.
    package init(
        _ model: ManagedObjectModel, holding held: Set<String>? = nil,
        over found: FoundTables? = nil, pairs: FoundTables? = nil, naming: Set<String> = []
    ) {
        self.model = model
        self.found = found
        foundTables = pairs
        (entities, tables, joinTables) =
            LayoutCompiler(model, over: found, pairs: pairs, naming: naming).compile()
        positionByName = Dictionary(
            uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
        positionByNumber = [:]
        for (place, entity) in entities.enumerated().reversed() {
            positionByNumber[entity.number] = place
        }
        if let held { restrict(to: held) }
    }

    /// Whether GraphStore created the store and may keep its own tables in it.
    package var isOurs: Bool { found == nil }

    /// Returns the join table if a load may defer its rows.
    ///
    /// A load defers rows only in stores of ours, and only if they have one file.
    package func deferrable(_ join: Join) -> Set<String> {
        isOurs && parts.isEmpty ? [join.table] : []
    }

    /// The largest entity number.
    package var largestNumber: Int64 { entities.reduce(0) { max($0, $1.number) } }

    private mutating func restrict(to held: Set<String>) {
        let inside = entities.filter { held.contains($0.name) }
        heldNumbers = Set(inside.map(\.number))
        tables.removeAll { !held.contains($0.rootEntity) }
        var joins: Set<String> = []
        for place in inside.flatMap(\.toManys.values) {
            if case .joinTable(let join) = place { joins.insert(join.table) }
        }
        joinTables.removeAll { !joins.contains($0.name) }
    }

    /// The entities that have a table.
    package var heldEntities: [Entity] { entities.filter(holds) }

    /// The indexes of all tables, which are created after the rows of a new store.
    var indexes: [Index] { tables.flatMap(\.indexes) + joinTables.map(\.reverseIndex) }

    /// The names of the entities that have a table.
    package var heldNames: Set<String> { Set(heldEntities.map(\.name)) }

    /// Returns whether an entity has a table.
    func holds(_ entity: Entity) -> Bool { heldNumbers?.contains(entity.number) ?? true }

    /// SQLite's schema names of the files.
    package var databases: Set<String> { Set(parts.values.map(\.database)).union(["main"]) }

    /// Returns SQLite's schema name of the file with a hierarchy's table.
    package func database(ofRoot number: Int64) -> String { parts[number]?.database ?? "main" }

    /// Returns the entity with a name; `nil` if the model does not contain it.
    package func entity(named name: String) -> Entity? {
        positionByName[name].map { entities[$0] }
    }

    /// Returns the entity of a request.
    package func requiredEntity(named name: String) throws(StoreError) -> Entity {
        guard let entity = entity(named: name) else { throw .unknownEntity(name) }
        return entity
    }

    /// The root entity's number, by the number of each sub-entity.
    package var rootNumbers: [Int64: Int64] {
        var numbers: [Int64: Int64] = [:]
        for entity in entities where entity.rootNumber != entity.number {
            numbers[entity.number] = entity.rootNumber
        }
        return numbers
    }

    /// Returns the entity with a `Z_ENT`; `nil` if the model does not contain it.
    package func entity(number: Int64) -> Entity? {
        positionByNumber[number].map { entities[$0] }
    }

    /// Returns the hierarchy's table with a name; `nil` if the layout does not contain it.
    ///
    /// - Complexity: O(*n*), where *n* is the number of tables.
    package func table(named name: String) -> Table? {
        tables.first { $0.name == name }
    }
}

extension StoreLayout.ToOnePlace {
    /// Returns the destination's `Z_PK`, as SQL.
    ///
    /// - Parameters:
    ///   - row: The alias of the object's table, or the table name if the statement has no alias.
    ///   - database: The schema name of the file with the object's table. With `nil`, SQLite uses
    ///     the first file that has the table.
    package func key(of row: String, in database: String? = nil) -> String {
        switch self {
        case .own(let columns): "\(row).\(columns.column)"
        case .inverse(let inverse):
            inverse.select("Z_PK", of: row, database.map { $0 + "." } ?? "")
        }
    }

    /// Returns the destination's `Z_ENT`, as SQL; `nil` if there is only one possible entity.
    package func entity(of row: String) -> String? {
        switch self {
        case .own(let columns): columns.entityColumn.map { "\(row).\($0)" }
        case .inverse(let inverse):
            inverse.hasSubentities ? inverse.select("Z_ENT", of: row, "") : nil
        }
    }
}

extension StoreLayout.Entity {
    /// Returns `familyCondition` for use with a predicate.
    ///
    /// It is marked as not selective, so that SQLite prefers the predicate's index to the index
    /// over `Z_ENT` (https://www.sqlite.org/lang_corefunc.html#likelihood).
    package func familyFilter(alias: String) -> String? {
        familyCondition(alias: alias).map { "likelihood(\($0), 0.5)" }
    }

    /// Returns `Z_ENT IN (…)` for rows of this entity, with or without its descendants.
    ///
    /// The result is `nil` if every row of the table matches.
    package func familyCondition(
        alias: String = "", withSubentities: Bool = true
    ) -> String? {
        guard sharesTable || !withSubentities && familyNumbers.count > 1 else { return nil }
        let numbers = withSubentities ? familyNumbers : [number]
        let list = numbers.map(String.init).joined(separator: ",")
        return "\(alias)Z_ENT IN (\(list))"
    }

    /// Returns `familyCondition` as ` AND …`; empty if every row of the table matches.
    func familyClause(alias: String = "") -> String {
        familyCondition(alias: alias).map { " AND \($0)" } ?? ""
    }
}

extension StoreError {
    /// The error for a request of an entity that the model does not contain.
    package static func unknownEntity(_ name: String) -> StoreError {
        StoreError(.invalidRequest, "There is no entity '\(name)'")
    }
}
