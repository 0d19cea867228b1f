import GraphModel

/// Turns key paths of an entity into columns, joining the tables they lead through.
struct KeyPathSQL {
    /// How a path over to-one relationships reaches the other table.
    enum Style {
        /// By LEFT JOIN; `joins` then belongs behind the FROM.
        case joins
        /// By a subquery, where a statement takes no joins.
        case subqueries
    }

    private let schema: StoreSchema
    private let entity: StoreSchema.Entity
    private let style: Style
    /// The alias of the entity's own table.
    let alias: String
    private var aliases: [[String]: String] = [:]
    private(set) var joins = ""

    init(
        _ schema: StoreSchema, _ entity: StoreSchema.Entity, alias: String = "t", style: Style
    ) {
        self.schema = schema
        self.entity = entity
        self.alias = alias
        self.style = style
    }

    /// The column that a path of to-ones, and at its end an attribute or a to-one, leads to.
    mutating func column(_ path: [String]) throws(StoreError) -> String {
        var here = entity
        var table = alias
        var nesting: [(from: String, condition: String)] = []
        for (position, name) in path.enumerated() {
            if position == path.count - 1 {
                let column: String
                if let attribute = here.attributes[name] {
                    column = "\(table).\(attribute.column)"
                } else if let toOne = here.toOnes[name] {
                    column = "\(table).\(toOne.column)"
                } else {
                    throw unknown(name, in: here)
                }
                return nesting.reversed().reduce(column) { inner, step in
                    "(SELECT \(inner) FROM \(step.from) WHERE \(step.condition))"
                }
            }
            guard let toOne = here.toOnes[name],
                let next = schema.entity(named: toOne.relationship.destinationEntityName)
            else { throw unknown(name, in: here) }
            let foreignKey = "\(table).\(toOne.column)"
            switch style {
            case .joins:
                table = join(Array(path[...position]), next.table, foreignKey)
            case .subqueries:
                table = "s\(position + 1)"
                nesting.append(("\(next.table) \(table)", "\(table).Z_PK = \(foreignKey)"))
            }
            here = next
        }
        return "\(table).Z_PK"
    }

    /// The type of the attribute at a path's end; nil where a relationship is there.
    func type(of path: [String]) -> AttributeType? {
        var here = entity
        for name in path.dropLast() {
            guard let toOne = here.toOnes[name],
                let next = schema.entity(named: toOne.relationship.destinationEntityName)
            else { return nil }
            here = next
        }
        return path.last.flatMap { here.attributes[$0]?.attribute.type }
    }

    private mutating func join(_ path: [String], _ table: String, _ key: String) -> String {
        if let alias = aliases[path] { return alias }
        let alias = "j\(aliases.count + 1)"
        aliases[path] = alias
        joins += " LEFT JOIN \(table) \(alias) ON \(alias).Z_PK = \(key)"
        return alias
    }

    private func unknown(_ name: String, in entity: StoreSchema.Entity) -> StoreError {
        StoreError(
            .invalidRequest, "'\(entity.name)' has no stored property '\(name)' to look at here")
    }
}
