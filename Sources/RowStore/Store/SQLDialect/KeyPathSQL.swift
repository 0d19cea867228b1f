import GraphModel

/// A compiler of an entity's key paths to columns, which joins the tables on the paths.
package struct KeyPathSQL {
    /// The method by which a path over to-one relationships reaches another table.
    package enum Style {
        /// A LEFT JOIN; the statement must contain `joins` after FROM. Paths beyond `joinsMax`
        /// tables use subqueries.
        case joins
        /// A subquery, for statements that cannot have joins.
        case subqueries
    }

    /// Maximum number of joins of paths; SQLite allows 64, and the statement itself needs the rest.
    static let joinsMax = 32
    /// Maximum number of keys in a path; SQLite's parser allows about 100 nested subqueries or
    /// parentheses.
    private static let keysMax = 256

    let schema: StoreLayout
    let entity: StoreLayout.Entity
    private let style: Style
    /// The alias of the entity's own table.
    let alias: String
    /// The SQL of the object's own key.
    let key: String
    /// The JOIN clause that adds the object's row, if the statement has only its key, as in a join
    /// table; otherwise `nil`.
    private let rowJoin: String?
    private var usesRow = false
    private var aliases: [[String]: String] = [:]
    private var pathJoins = ""

    init(
        _ schema: StoreLayout, _ entity: StoreLayout.Entity, alias: String = "t", style: Style
    ) {
        self.init(schema, entity, alias: alias, key: "\(alias).Z_PK", rowJoin: nil, style: style)
    }

    private init(
        _ schema: StoreLayout, _ entity: StoreLayout.Entity, alias: String, key: String,
        rowJoin: String?, style: Style
    ) {
        self.schema = schema
        self.entity = entity
        self.style = style
        self.alias = alias
        self.key = key
        self.rowJoin = rowJoin
    }

    /// Creates a compiler for objects whose keys are in a column; it joins their rows if needed.
    init(
        _ schema: StoreLayout, _ entity: StoreLayout.Entity, alias: String, keyColumn: String
    ) {
        self.init(
            schema, entity, alias: alias, key: keyColumn,
            rowJoin: " JOIN \(entity.table) \(alias) ON \(alias).Z_PK = \(keyColumn)",
            style: .joins)
    }

    /// The JOIN clauses, for the statement's FROM, of all columns compiled so far.
    var joins: String { (usesRow ? rowJoin ?? "" : "") + pathJoins }

    /// Returns the column of a path of to-ones that ends with an attribute, a to-one, or
    /// `objectID`.
    mutating func column(_ path: [String]) throws(StoreError) -> String {
        if path.isEmpty { return key }
        // The foreign key is the object's primary key, so the object's row is not needed.
        if isObjectNumber(path) { return try column(Array(path.dropLast())) }
        guard path.count <= Self.keysMax else {
            throw StoreError(
                .invalidRequest, "A key path has \(path.count) keys; the most is \(Self.keysMax)")
        }
        usesRow = true
        var here = entity
        var table = alias
        for (position, name) in path.dropLast().enumerated() {
            let (toOne, next) = try requiredToOne(name, of: here)
            let foreignKey = toOne.key(of: table)
            let rest = path[(position + 1)...]
            guard let joined = join(Array(path[...position]), next.table, foreignKey) else {
                return try selection(of: rest, in: next, at: foreignKey)
            }
            table = joined
            here = next
        }
        let name = path[path.count - 1]
        if let attribute = here.attributes[name] { return "\(table).\(attribute.column)" }
        if let toOne = here.toOnes[name] { return toOne.key(of: table) }
        throw unknown(name, in: here)
    }

    /// Returns a subquery for the column of a path's remaining keys.
    private func selection(
        of path: ArraySlice<String>, in next: StoreLayout.Entity, at key: String
    ) throws(StoreError) -> String {
        var rest = KeyPathSQL(schema, next, alias: alias + "s", style: .joins)
        let column = try rest.column(Array(path))
        return "(SELECT \(column) FROM \(next.table) \(rest.alias)\(rest.joins)"
            + " WHERE \(rest.key) = \(key))"
    }

    /// Returns the displayed column of a path.
    ///
    /// In an app's store, a to-one may refer to a missing object. For a to-one, the result is thus
    /// the key of the existing object.
    mutating func shownColumn(_ path: [String]) throws(StoreError) -> String {
        if isObjectNumber(path) { return try shownColumn(Array(path.dropLast())) }
        guard !schema.isOurs, let name = path.last, let owner = entity(at: path.dropLast()),
            let (_, next) = toOne(name, of: owner)
        else { return try column(path) }
        let key = try column(path)
        guard let joined = join(path, next.table, key) else {
            return try selection(of: [], in: next, at: key)
        }
        return "\(joined).Z_PK"
    }

    /// Returns the entity and the path of objects that each table alias in the SQL stands for.
    ///
    /// - Parameter start: The path that leads to the objects at the start of the key path.
    func sources(at start: [String]) -> [String: SQLSource] {
        var found = [alias: SQLSource(entity: entity.name, path: start)]
        for (path, alias) in aliases {
            if let entity = self.entity(at: path) {
                found[alias] = SQLSource(entity: entity.name, path: start + path)
            }
        }
        return found
    }

    /// Returns the type of the value at the end of a path.
    func type(of path: [String]) throws(StoreError) -> SQLType {
        var here = entity
        for (position, name) in path.enumerated() {
            if let attribute = here.attributes[name], position == path.count - 1 {
                return SQLType(attribute.attribute)
            }
            if position == path.count - 1, isObjectNumber(name, of: here) { return .anyInteger }
            here = try requiredToOne(name, of: here).1
        }
        return .object(root: here.rootNumber)
    }

    /// Returns the folded strings of the attribute at the end of a path, if the store has them.
    func foldedTexts(at path: [String]) -> (FoldTable, column: String)? {
        guard let name = path.last, let owner = entity(at: path.dropLast()),
            let table = schema.foldTables[owner.table],
            let column = owner.attributes[name]?.column, table.columns.contains(column)
        else { return nil }
        return (table, column)
    }

    /// Returns the destination entity of a path of to-ones; `nil` if the path does not lead to
    /// objects.
    func entity(at path: some Sequence<String>) -> StoreLayout.Entity? {
        var here = entity
        for name in path {
            guard let (_, next) = toOne(name, of: here) else { return nil }
            here = next
        }
        return here
    }

    /// Returns the first to-many of a path and its position; `nil` if the path has no to-many.
    func firstToMany(
        in path: [String]
    ) throws(StoreError) -> (position: Int, place: StoreLayout.ToManyPlace)? {
        var here = entity
        for (position, name) in path.enumerated() {
            if let place = here.toManys[name] { return (position, place) }
            if here.attributes[name] != nil || isObjectNumber(name, of: here) { return nil }
            here = try requiredToOne(name, of: here).1
        }
        return nil
    }

    /// Returns whether the path leads to the primary key of an object.
    private func isObjectNumber(_ path: [String]) -> Bool {
        guard let name = path.last, ObjectNumber.isSpelled(name),
            let owner = entity(at: path.dropLast())
        else { return false }
        return isObjectNumber(name, of: owner)
    }

    private func isObjectNumber(_ name: String, of entity: StoreLayout.Entity) -> Bool {
        // A column of a result is not a property of the model.
        ObjectNumber.isSpelled(name) && entity.attributes[name] == nil
            && entity.toOnes[name] == nil && schema.model.isObjectNumber(name, of: entity.name)
    }

    private func toOne(
        _ name: String, of entity: StoreLayout.Entity
    ) -> (StoreLayout.ToOnePlace, StoreLayout.Entity)? {
        guard let toOne = entity.toOnes[name],
            let next = schema.entity(named: toOne.relationship.destinationEntityName)
        else { return nil }
        return (toOne, next)
    }

    private func requiredToOne(
        _ name: String, of entity: StoreLayout.Entity
    ) throws(StoreError) -> (StoreLayout.ToOnePlace, StoreLayout.Entity) {
        guard let found = toOne(name, of: entity) else { throw unknown(name, in: entity) }
        return found
    }

    /// Joins a table and returns its alias; `nil` if the table must be reached by a subquery.
    private mutating func join(_ path: [String], _ table: String, _ key: String) -> String? {
        if let alias = aliases[path] { return alias }
        guard style == .joins, aliases.count < Self.joinsMax else { return nil }
        let alias = (self.alias == "t" ? "j" : self.alias + "j") + "\(aliases.count + 1)"
        aliases[path] = alias
        pathJoins += " LEFT JOIN \(table) \(alias) ON \(alias).Z_PK = \(key)"
        return alias
    }

    private func unknown(_ name: String, in entity: StoreLayout.Entity) -> StoreError {
        StoreError(
            .invalidRequest, "'\(entity.name)' has no stored property '\(name)' to read here")
    }
}

/// The meaning of an alias in a statement.
package struct SQLSource: Hashable {
    /// The name of the entity of the alias's rows, or of the destination of its links.
    package var entity: String
    /// The key path from the requested object or element to the rows; empty for the object itself.
    package var path: [String]
    /// Whether the rows are links in a join table.
    package var isLink = false
}
