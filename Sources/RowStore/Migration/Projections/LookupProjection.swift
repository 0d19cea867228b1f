import FoundationEssentials
import GraphModel
import SQLite

/// A mapping's lookup as SQL statements over all rows.
///
/// It collects keys in a temporary table, creates an object for each key without one, and writes
/// the links.
struct LookupProjection {
    let lookup: RelationshipLookup
    let move: ObjectMove
    /// The temporary table with the columns `owner, place, value`.
    let found: String

    /// The place of the links in the new store.
    private enum Links {
        case keys(StoreLayout.ToOneColumns)
        case pairs(StoreLayout.Join)
    }

    private let links: Links
    private let destination: StoreLayout.Entity
    private let key: StoreLayout.AttributeColumn
    private let expression: SQLFragment?
    private let condition: SQLFragment
    private let schema: StoreLayout
    /// The old hierarchy whose largest primary key precedes the keys of new objects.
    private let oldRoot: Int64?

    /// Prepares a lookup.
    ///
    /// - Parameter number: A number that makes the names of its temporary tables unique.
    init(
        _ lookup: RelationshipLookup, _ move: ObjectMove, _ moves: ObjectMoves, number: Int
    ) throws(StoreError) {
        self.lookup = lookup
        self.move = move
        schema = moves.new
        found = "temp.ETL_FOUND_\(number)"
        condition = try move.condition(alias: "t", moves.old)
        let name = "\(move.new.name).\(lookup.relationship)"
        guard
            let relationship = schema.model.relationship(lookup.relationship, of: move.new.name),
            let destination = schema.entity(named: relationship.destinationEntityName)
        else {
            throw StoreError(.invalidRequest, "The mapping of '\(name)' names no relationship")
        }
        guard let key = destination.attributes[lookup.key],
            RelationshipLookup.canBeKey(key.attribute.type)
        else {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(name)' looks up objects by '\(destination.name).\(lookup.key)',"
                    + " which is neither a string nor an integer")
        }
        if case .joinTable(let join)? = move.new.toManys[lookup.relationship] {
            links = .pairs(join)
        } else if let columns = move.new.toOnes[lookup.relationship]?.columns,
            // A one-to-one relationship has a key at both ends.
            relationship.inverseName.flatMap({ destination.toOnes[$0] }) == nil
        {
            links = .keys(columns)
        } else {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(name)' looks up objects that can belong to one object only; map"
                    + " the other side")
        }
        guard !destination.isAbstract else {
            throw StoreError(
                .invalidRequest, "'\(name)' leads to '\(destination.name)', which is abstract")
        }
        let lacking = destination.attributes.values.first {
            !$0.attribute.isOptional && $0.attribute.defaultValue == nil
                && $0.attribute.name != lookup.key && $0.attribute.derivationExpression == nil
        }
        if let lacking {
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(name)' makes objects of '\(destination.name)', whose"
                    + " '\(lacking.attribute.name)' is required and has no default")
        }
        self.destination = destination
        self.key = key
        oldRoot = moves.all.first { $0.new.rootNumber == destination.rootNumber }?.old.rootNumber
        guard let text = lookup.expression else {
            expression = nil
            return
        }
        let resolved = try MappingExpression.resolve(
            text, for: move.old.name, in: moves.old.model, assignedTo: key.attribute, name)
        var compiler = PredicateSQL(
            KeyPathSQL(moves.old, move.old, alias: "t", style: .subqueries))
        expression = try compiler.expression(resolved)
    }

    // MARK: Gathering

    /// Creates the temporary table, and fills it if an expression provides the keys.
    func gather(on connection: Connection) throws(StoreError) {
        try connection.execute(
            "CREATE TABLE \(found) (owner INTEGER, place INTEGER, value \(keyType))")
        let owner = move.offset == 0 ? "t.Z_PK" : "t.Z_PK + \(move.offset)"
        guard let rows = rows("\(owner), j.key, j.value") else { return }
        try ("INSERT INTO \(found) " + rows).run(on: connection)
    }

    /// The keys of the old objects, as a query; `nil` if a closure provides them.
    var keys: SQLFragment? { rows("CAST(j.value AS \(keyType)) AS value") }

    /// The entity of new objects, and the column for their keys.
    var destinationPlace: (entity: StoreLayout.Entity, column: String) {
        (destination, key.column)
    }

    private func rows(_ columns: String) -> SQLFragment? {
        expression.map { expression in
            "SELECT \(columns) FROM main.\(move.old.table) t,"
                + " json_each(" + (SQLFragment("etl_call(?, ", calling: list) + (expression + ")"))
                + ") j WHERE " + condition
        }
    }

    /// The type of keys in temporary tables, so that they compare like the attribute's column.
    private var keyType: String { key.attribute.type == .string ? "TEXT" : "INTEGER" }

    /// The function that returns the keys of a value, as JSON.
    private var list: BoundFunction {
        let separator = lookup.separator
        return BoundFunction { call throws(FunctionError) in
            var keys: [String] = []
            switch call.storage(0) {
            case .text:
                keys = Self.keys(in: String(decoding: call.bytes(0), as: UTF8.self), separator)
            case .integer: keys = ["\(call.integer(0))"]
            default: break
            }
            // The only possible error is replaced by one that SQLite can report.
            guard let json = try? JSONEncoder().encode(keys) else {
                throw FunctionError("A key cannot be written as JSON")
            }
            Array(json).withUnsafeBufferPointer { call.setResult(text: $0) }
        }
    }

    /// Returns the keys in a string, without duplicates.
    static func keys(in text: String, _ separator: String?) -> [String] {
        let parts =
            separator.map { $0.isEmpty ? [text] : text.split(separator: $0).map(String.init) }
            ?? [text]
        var seen: Set<[UInt8]> = []
        return parts.map { part in
            let bytes = part.drop { $0.isWhitespace }
            return String(bytes.reversed().drop { $0.isWhitespace }.reversed())
        }.filter { !$0.isEmpty && seen.insert(Array($0.utf8)).inserted }
    }

    // MARK: Linking

    /// Creates the missing objects and the links.
    func link(on connection: Connection) throws(StoreError) {
        let keys = found + "_KEYS"
        let name = String(keys.dropFirst("temp.".count))
        let family = destination.familyClause(alias: "g.")
        let known =
            "SELECT g.\(key.column) FROM new.\(destination.table) g WHERE"
            + " g.\(key.column) NOT NULL\(family)"
        let known0 =
            oldRoot.map {
                "ifnull((SELECT Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_ENT = \($0)), 0)"
            } ?? "0"
        var columns = ["Z_PK", "Z_ENT", "Z_OPT", key.column]
        var values = [
            SQLFragment(
                "max(\(known0), ifnull((SELECT max(Z_PK) FROM new.\(destination.table)), 0))"
                    + " + row_number() OVER (ORDER BY first)"),
            SQLFragment("\(destination.number)"), SQLFragment("1"), SQLFragment("value"),
        ]
        for place in destination.attributes.values.sorted(by: { $0.column < $1.column })
        where place.column != key.column {
            guard let value = place.attribute.defaultValue else { continue }
            columns.append(place.column)
            values.append(SQLFragment("?", [value]))
        }
        let make =
            "INSERT INTO new.\(destination.table) (\(columns.joined(separator: ", "))) SELECT "
            + values.joined(separator: ", ")
            + " FROM (SELECT value, min(rowid) AS first FROM \(found) WHERE value NOT IN (\(known))"
            + " GROUP BY value)"
        try make.run(on: connection)
        try connection.execute(
            """
            CREATE TABLE \(keys) (value \(keyType) PRIMARY KEY, pk INTEGER, entity INTEGER) \
            WITHOUT ROWID;
            INSERT INTO \(keys) SELECT g.\(key.column), min(g.Z_PK), g.Z_ENT \
            FROM new.\(destination.table) g \
            WHERE g.\(key.column) IN (SELECT value FROM \(found))\(family) GROUP BY g.\(key.column);
            """)
        try connection.execute(statement(name))
        try connection.execute("DROP TABLE \(keys); DROP TABLE \(found)")
    }

    /// Returns the statement that writes the links.
    private func statement(_ keys: String) -> String {
        let from = "\(found) f JOIN temp.\(keys) k ON k.value = f.value"
        switch links {
        case .keys(let columns):
            return "CREATE INDEX temp.\(keys)_OWNER ON \(found.dropFirst("temp.".count)) (owner);"
                + " " + update(columns, from)
        case .pairs(let join): return insert(join, from)
        }
    }

    private func update(_ columns: StoreLayout.ToOneColumns, _ from: String) -> String {
        var sets = ["\(columns.column) = (SELECT k.pk FROM \(from) WHERE f.owner = Z_PK LIMIT 1)"]
        if let column = columns.entityColumn {
            sets.append("\(column) = (SELECT k.entity FROM \(from) WHERE f.owner = Z_PK LIMIT 1)")
        }
        if let column = columns.orderColumn {
            sets.append("\(column) = Z_PK * \(OrderPositions.step)")
        }
        return "UPDATE new.\(move.new.table) SET \(sets.joined(separator: ", "))"
            + " WHERE Z_PK IN (SELECT owner FROM \(found))"
    }

    private func insert(_ join: StoreLayout.Join, _ from: String) -> String {
        var names = [join.ownerColumn, join.destinationColumn]
        var values = ["f.owner", "k.pk"]
        if let column = join.orderColumn {
            names.append(column)
            values.append("(f.place + 1) * \(OrderPositions.step)")
        }
        if let inverse = join.relationship.inverseName, !join.isReflexive,
            case .joinTable(let back)? = destination.toManys[inverse],
            let column = back.orderColumn
        {
            names.append(column)
            values.append("f.owner * \(OrderPositions.step)")
        }
        return "INSERT OR IGNORE INTO new.\(join.table) (\(names.joined(separator: ", ")))"
            + " SELECT \(values.joined(separator: ", ")) FROM \(from) ORDER BY f.rowid"
    }
}

/// Parser of a mapping's expressions and predicates.
enum MappingExpression {
    /// Returns the resolved expression over an old object, for a new attribute.
    static func resolve(
        _ text: String, for entity: String, in model: ManagedObjectModel,
        assignedTo attribute: AttributeDescription, _ name: String
    ) throws(StoreError) -> GraphExpression {
        do throws(GraphPredicateError) {
            return try ParsedExpression(format: text).resolved(
                for: entity, in: model, assignedTo: attribute)
        } catch {
            let fix = error.offeringText(text).fix.map { "\n  \($0)" } ?? ""
            throw StoreError(
                .invalidRequest,
                "The mapping of '\(name)' cannot be read: \(error.rendered)\(fix)")
        }
    }

    /// Returns the resolved predicate over old objects.
    static func predicate(
        _ text: String, for entity: String, in model: ManagedObjectModel
    ) throws(StoreError) -> GraphPredicate {
        do throws(GraphPredicateError) {
            return try GraphPredicate(format: text).resolved(for: entity, in: model)
        } catch {
            throw StoreError(
                .invalidRequest,
                "The condition of the mapping of '\(entity)' cannot be read: \(error.rendered)")
        }
    }
}
