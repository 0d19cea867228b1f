import GraphModel

/// Turns key paths of an entity into columns, joining the tables they lead through.
struct KeyPathSQL {
    /// How a path over to-one relationships reaches the other table.
    enum Style {
        /// By LEFT JOIN; `joins` then belongs behind the FROM. Paths beyond `joinsMax` tables
        /// take subqueries.
        case joins
        /// By a subquery, where a statement takes no joins.
        case subqueries
    }

    /// SQLite joins at most 64 tables; the rest is left to what the statement itself joins.
    static let joinsMax = 32
    /// SQLite's parser takes about a hundred subqueries and brackets inside each other.
    private static let keysMax = 256

    let schema: StoreLayout
    let entity: StoreLayout.Entity
    private let style: Style
    /// The alias of the entity's own table.
    let alias: String
    /// The object's own key, as SQL.
    let key: String
    /// The join that brings the object's row, where only its key is at hand.
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

    /// The paths of objects whose keys are in a column; their rows are joined where needed.
    init(
        _ schema: StoreLayout, _ entity: StoreLayout.Entity, alias: String, keyColumn: String
    ) {
        self.init(
            schema, entity, alias: alias, key: keyColumn,
            rowJoin: " JOIN \(entity.table) \(alias) ON \(alias).Z_PK = \(keyColumn)",
            style: .joins)
    }

    /// The joins that the columns asked for need.
    var joins: String { (usesRow ? rowJoin ?? "" : "") + pathJoins }

    /// The column that a path of to-ones, and at its end an attribute, a to-one, or `objectID`,
    /// leads to.
    mutating func column(_ path: [String]) throws(StoreError) -> String {
        if path.isEmpty { return key }
        // What leads to an object has its number, so that the object's row is not needed.
        if isObjectNumber(path) { return try column(Array(path.dropLast())) }
        guard path.count <= Self.keysMax else {
            throw StoreError(
                .invalidRequest, "A key path has \(path.count) keys; the most is \(Self.keysMax)")
        }
        usesRow = true
        var here = entity
        var table = alias
        for (position, name) in path.dropLast().enumerated() {
            guard let (toOne, next) = self.toOne(name, of: here) else {
                throw unknown(name, in: here)
            }
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

    /// The column that the rest of a path leads to, by a subquery.
    private func selection(
        of path: ArraySlice<String>, in next: StoreLayout.Entity, at key: String
    ) throws(StoreError) -> String {
        var rest = KeyPathSQL(schema, next, alias: alias + "s", style: .joins)
        let column = try rest.column(Array(path))
        return "(SELECT \(column) FROM \(next.table) \(rest.alias)\(rest.joins)"
            + " WHERE \(rest.key) = \(key))"
    }

    /// The same as it is shown: of a to-one in an app's store, which may dangle, the key of the
    /// object that is there.
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

    /// What the aliases stand for, where the object itself is reached by a path.
    func sources(at start: [String]) -> [String: SQLSource] {
        var found = [alias: SQLSource(entity: entity.name, path: start)]
        for (path, alias) in aliases {
            found[alias] = SQLSource(
                entity: self.entity(at: path)?.name ?? "", path: start + path)
        }
        return found
    }

    /// What the value at a path's end is.
    func type(of path: [String]) throws(StoreError) -> SQLType {
        var here = entity
        for (position, name) in path.enumerated() {
            if let attribute = here.attributes[name], position == path.count - 1 {
                return SQLType(attribute.attribute)
            }
            if position == path.count - 1, isObjectNumber(name, of: here) { return .anyInteger }
            guard let (_, next) = toOne(name, of: here) else { throw unknown(name, in: here) }
            here = next
        }
        return .object(root: here.rootNumber)
    }

    /// The folded texts of the attribute at a path's end, where the store keeps them.
    func foldedTexts(at path: [String]) -> (FoldTable, column: String)? {
        guard let name = path.last, let owner = entity(at: path.dropLast()),
            let table = schema.foldTables[owner.table],
            let column = owner.attributes[name]?.column, table.columns.contains(column)
        else { return nil }
        return (table, column)
    }

    /// The entity of the objects that a path of to-ones leads to; nil where it ends elsewhere.
    func entity(at path: some Sequence<String>) -> StoreLayout.Entity? {
        var here = entity
        for name in path {
            guard let (_, next) = toOne(name, of: here) else { return nil }
            here = next
        }
        return here
    }

    /// How many keys from the start are to-ones, and the to-many behind them, if there is one.
    func firstToMany(
        in path: [String]
    ) throws(StoreError) -> (position: Int, place: StoreLayout.ToManyPlace)? {
        var here = entity
        for (position, name) in path.enumerated() {
            if let place = here.toManys[name] { return (position, place) }
            if here.attributes[name] != nil || isObjectNumber(name, of: here) { return nil }
            guard let (_, next) = toOne(name, of: here) else { throw unknown(name, in: here) }
            here = next
        }
        return nil
    }

    /// Whether the path leads to the number of an object.
    private func isObjectNumber(_ path: [String]) -> Bool {
        guard let name = path.last, ObjectNumber.isSpelled(name),
            let owner = entity(at: path.dropLast())
        else { return false }
        return isObjectNumber(name, of: owner)
    }

    private func isObjectNumber(_ name: String, of entity: StoreLayout.Entity) -> Bool {
        // A column of a result is no property of the model.
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

    /// The alias under which the table is joined, or nil where it must be reached by a subquery.
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
            .invalidRequest, "'\(entity.name)' has no stored property '\(name)' to look at here")
    }
}

/// What an alias in a statement stands for.
struct SQLSource: Hashable {
    /// The entity whose objects its rows are, or which its links lead to.
    var entity: String
    /// The key path by which the object asked for, or an element, leads to it; empty for itself.
    var path: [String]
    /// Whether its rows are links, in a table of pairs.
    var isLink = false
}
