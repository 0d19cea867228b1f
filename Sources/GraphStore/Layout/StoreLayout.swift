package import GraphModel

/// How a model lies in Core Data's tables: every name and number that SQL needs.
///
/// One table a hierarchy: `ZTASK` holds `Task` and its sub-entities, told apart by `Z_ENT`.
/// The rules are those of the published layout; see `LayoutCompiler` for each.
package struct StoreLayout: Sendable {
    /// One entity's place in the tables.
    package struct Entity: Sendable {
        package var name: String
        /// `Z_ENT`, from 1.
        package var number: Int64
        /// The parent's number, or 0.
        package var superNumber: Int64
        package var isAbstract: Bool
        /// The table of its hierarchy.
        package var table: String
        /// The hierarchy's root, whose `Z_MAX` hands out keys.
        package var rootNumber: Int64
        /// Itself and its descendants.
        package var familyNumbers: [Int64]
        /// Whether the table holds other entities than this one and its descendants.
        package var sharesTable: Bool
        /// Stored attributes, inherited ones too, by name.
        package var attributes: [String: AttributeColumn]
        /// To-one relationships by name.
        package var toOnes: [String: ToOnePlace]
        /// To-many relationships by name.
        package var toManys: [String: ToManyPlace]
    }

    /// An attribute's column.
    package struct AttributeColumn: Sendable {
        package var column: String
        package var attribute: AttributeDescription
        package var declaringEntity: String
    }

    /// Where a to-one relationship's link is stored.
    package enum ToOnePlace: Sendable {
        /// In columns of the object's own row.
        case own(ToOneColumns)
        /// In the destination's row, whose column holds this object's key.
        case inverse(InverseColumn)

        package var relationship: RelationshipDescription {
            switch self {
            case .own(let columns): columns.relationship
            case .inverse(let inverse): inverse.relationship
            }
        }

        /// The columns of the object's own row; nil if the destination's row has the link.
        package var columns: ToOneColumns? {
            if case .own(let columns) = self { columns } else { nil }
        }

        /// The column of the object's own row with the destination's `Z_PK`; nil if the
        /// destination's row has the link.
        package var column: String? { columns?.column }
    }

    /// The only column of a one-to-one relationship, seen from the side that has none.
    ///
    /// Some stores keep one-to-one relationships on one side only. The other side is then
    /// ```sql
    /// (SELECT back.Z_PK FROM ZLABEL back WHERE back.ZITEM = t.Z_PK ORDER BY back.Z_PK LIMIT 1)
    /// ```
    /// If several rows hold the object's key, the one with the smallest `Z_PK` is the destination.
    package struct InverseColumn: Sendable {
        /// The destination's table.
        package var table: String
        /// The column in it that holds this object's `Z_PK`.
        package var column: String
        /// Holds this object's `Z_ENT`, if its entity has sub-entities.
        package var entityColumn: String?
        /// Whether the destination has sub-entities.
        package var hasSubentities: Bool
        package var relationship: RelationshipDescription

        /// A column of the destination's row, as SQL.
        fileprivate func select(_ wanted: String, of row: String, _ database: String) -> String {
            "(SELECT back.\(wanted) FROM \(database)\(table) back WHERE back.\(column) ="
                + " \(row).Z_PK ORDER BY back.Z_PK LIMIT 1)"
        }
    }

    /// A to-one relationship's columns.
    package struct ToOneColumns: Sendable {
        /// Holds the destination's `Z_PK`.
        package var column: String
        /// Holds the destination's `Z_ENT`, where the destination has sub-entities.
        package var entityColumn: String?
        /// Holds the place among the owner's ordered objects, where the inverse is ordered.
        package var orderColumn: String?
        package var relationship: RelationshipDescription
    }

    /// Where a to-many relationship's links are.
    package enum ToManyPlace: Sendable {
        /// In the destination's rows, which point back.
        case foreignKey(ForeignKey)
        /// In a table of pairs.
        case joinTable(Join)

        package var relationship: RelationshipDescription {
            switch self {
            case .foreignKey(let place): place.relationship
            case .joinTable(let place): place.relationship
            }
        }
    }

    /// A to-many whose destination rows point back.
    package struct ForeignKey: Sendable {
        /// The destination's table.
        package var table: String
        package var column: String
        package var entityColumn: String?
        package var orderColumn: String?
        package var relationship: RelationshipDescription
    }

    /// A to-many whose links are pairs in a table.
    package struct Join: Sendable {
        package var table: String
        /// Holds this side's `Z_PK`.
        package var ownerColumn: String
        /// Holds the other side's `Z_PK`.
        package var destinationColumn: String
        /// Holds the destinations' order, where this side is ordered.
        package var orderColumn: String?
        /// Holds the owners' order, if the other side is ordered.
        package var backOrderColumn: String?
        package var relationship: RelationshipDescription
        /// Whether the relationship is its own inverse.
        package var isReflexive: Bool
        /// The pairs as a table; where the relationship is its own inverse each counts from both
        /// ends, whichever way it was written.
        package var pairs: String {
            guard isReflexive else { return table }
            return "(SELECT \(ownerColumn), \(destinationColumn) FROM \(table)"
                + " UNION SELECT \(destinationColumn), \(ownerColumn) FROM \(table))"
        }
    }

    /// A table of a hierarchy.
    package struct Table: Sendable {
        package var name: String
        package var rootEntity: String
        package var hasSubentities: Bool
        /// After `Z_PK`, `Z_ENT` and `Z_OPT`, in the order of creation.
        package var columns: [ColumnDefinition]
        package var indexes: [Index]
    }

    package struct ColumnDefinition: Sendable {
        package var name: String
        package var type: String
    }

    /// A table of pairs; the primary key is over both columns in this order.
    package struct JoinTable: Sendable {
        package var name: String
        package var firstColumn: String
        package var secondColumn: String
        package var orderColumns: [String]
        /// Finds pairs by their second column.
        package var reverseIndex: Index
    }

    package struct Index: Sendable, Hashable {
        package var name: String
        package var isUnique: Bool
        package var table: String
        /// Columns with their direction, as SQL.
        package var columns: [String]
        /// What rows must meet to be in the index, as SQL; nil takes all.
        package var condition: String?
    }

    package var model: ManagedObjectModel
    package var entities: [Entity]
    package var tables: [Table]
    package var joinTables: [JoinTable]
    /// What the store keeps of searchable texts, by the tables whose texts they are; none where
    /// there is no store.
    var foldTables: [String: FoldTable] = [:]
    /// What lies in other files than the first, by the root's number.
    var parts: [Int64: StorePart] = [:]
    /// The numbers of entities that have a table; nil where all do.
    private(set) var heldNumbers: Set<Int64>?
    /// The tables of the app that made the store, which nothing of ours is put into; nil where
    /// the store is ours.
    package let found: FoundTables?
    /// The tables of a store of ours; nil where it is being made, or where an app made it.
    let foundPairs: FoundTables?
    private var positionByName: [String: Int]
    private var positionByNumber: [Int64: Int]

    /// Lays the model out.
    ///
    /// - Parameters:
    ///   - held: the entities that get tables, whole hierarchies; nil is all. The others keep
    ///     their numbers, so that an entity has one number in every file.
    ///   - found: the tables that the model is laid over, where there are some.
    ///   - pairs: the tables of a store of ours: versions of etl named tables of pairs differently.
    ///   - naming: to-many relationships, each as `Entity.relationship`, that name their table of
    ///     pairs whatever the rule says.
    package init(
        _ model: ManagedObjectModel, holding held: Set<String>? = nil,
        over found: FoundTables? = nil, pairs: FoundTables? = nil, naming: Set<String> = []
    ) {
        self.model = model
        self.found = found
        foundPairs = pairs
        (entities, tables, joinTables) =
            LayoutCompiler(model, over: found, pairs: pairs, naming: naming).compile()
        positionByName = Dictionary(
            uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
        positionByNumber = Dictionary(
            entities.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        if let held { restrict(to: held) }
    }

    /// Whether we made the store, and may keep tables of our own in it.
    package var isOurs: Bool { found == nil }

    /// The largest number of an entity.
    var largestNumber: Int64 { entities.map(\.number).max() ?? 0 }

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
    var heldEntities: [Entity] { entities.filter(holds) }

    /// Their names.
    var heldNames: Set<String> { Set(heldEntities.map(\.name)) }

    /// Whether an entity has a table.
    func holds(_ entity: Entity) -> Bool { heldNumbers?.contains(entity.number) ?? true }

    /// What SQLite calls the files.
    var databases: Set<String> { Set(parts.values.map(\.database)).union(["main"]) }

    /// What SQLite calls the file with a hierarchy's table.
    func database(ofRoot number: Int64) -> String { parts[number]?.database ?? "main" }

    package func entity(named name: String) -> Entity? {
        positionByName[name].map { entities[$0] }
    }

    /// The root entity's number for that of each entity below it.
    var rootNumbers: [Int64: Int64] {
        var numbers: [Int64: Int64] = [:]
        for entity in entities where entity.rootNumber != entity.number {
            numbers[entity.number] = entity.rootNumber
        }
        return numbers
    }

    package func entity(number: Int64) -> Entity? {
        positionByNumber[number].map { entities[$0] }
    }

    package func table(named name: String) -> Table? {
        tables.first { $0.name == name }
    }
}

extension StoreLayout.ToOnePlace {
    /// The destination's `Z_PK`, as SQL.
    ///
    /// - Parameters:
    ///   - row: The alias of the object's table, or the table itself if the statement gives it no
    ///     alias.
    ///   - database: The file of the object's table, if it is not the first that has it.
    func key(of row: String, in database: String? = nil) -> String {
        switch self {
        case .own(let columns): "\(row).\(columns.column)"
        case .inverse(let inverse):
            inverse.select("Z_PK", of: row, database.map { $0 + "." } ?? "")
        }
    }

    /// The destination's `Z_ENT`, as SQL; nil if the relationship leads to one entity only.
    func entity(of row: String) -> String? {
        switch self {
        case .own(let columns): columns.entityColumn.map { "\(row).\($0)" }
        case .inverse(let inverse):
            inverse.hasSubentities ? inverse.select("Z_ENT", of: row, "") : nil
        }
    }
}

extension StoreLayout.Entity {
    /// `familyCondition`, beside a predicate: told not to be selective, so that SQLite prefers the
    /// predicate's index to that of `Z_ENT` (https://www.sqlite.org/lang_corefunc.html#likelihood).
    package func familyFilter(alias: String) -> String? {
        familyCondition(alias: alias).map { "likelihood(\($0), 0.5)" }
    }

    /// `Z_ENT IN (…)` for rows of this entity and its descendants, or of it alone; nil where every
    /// row of the table is one.
    package func familyCondition(
        alias: String = "", withSubentities: Bool = true
    ) -> String? {
        guard sharesTable || !withSubentities && familyNumbers.count > 1 else { return nil }
        let numbers = withSubentities ? familyNumbers : [number]
        let list = numbers.map(String.init).joined(separator: ",")
        return "\(alias)Z_ENT IN (\(list))"
    }
}
