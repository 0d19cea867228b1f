import GraphModel
package import SQLite

/// The derived attributes of a store, kept up to date with their derivation expressions.
///
/// Core Data uses triggers that call its private SQL functions, so no other program could write to
/// such a store. GraphStore instead runs one `UPDATE` per attribute at the end of each transaction,
/// for objects, batch requests, and loads.
///
/// - An expression over the object alone (`lowercase:(name)`, `now()`) is computed for the changed
///   rows.
/// - An expression over other objects (`tasks.@count`, `owner.name`) is computed for the whole
///   entity if one of these objects changed.
/// - A load that defers indexes and links computes the second kind once at its end. Without an
///   index, every row would need a scan of a whole table.
///
/// Rows that already have the value are not written. Versions do not change, so no conflict arises.
package struct DerivedAttributes {
    private struct Derived {
        var column: String
        var table: String
        /// The declaring entity and its descendants.
        var numbers: [Int64]
        var entity: StoreLayout.Entity
        var attribute: AttributeDescription
        var expression: GraphExpression
        /// The root entities of the other objects that the expression reads.
        var otherRoots: Set<Int64>
        /// Whether the expression reads objects that refer to this one, which needs an index or
        /// links.
        var looksBack: Bool
        /// Whether the expression contains the current time or date.
        var isMoment: Bool
    }

    /// Maximum number of key ranges in one condition.
    private static let rangesMax = 100

    private let all: [Derived]

    /// Whether no attribute of the store is derived.
    var isEmpty: Bool { all.isEmpty }

    /// Creates the derived attributes of a layout, except those that triggers of an app's store
    /// maintain.
    ///
    /// - Throws: `StoreError` if an expression does not parse or does not fit its attribute.
    init(_ schema: StoreLayout) throws(StoreError) {
        var all: [Derived] = []
        for description in schema.model.entities {
            guard let entity = schema.entity(named: description.name), schema.holds(entity) else {
                continue
            }
            for attribute in schema.model.ownAttributes(of: description) {
                guard let text = attribute.derivationExpression, !attribute.isTransient,
                    let column = entity.attributes[attribute.name]?.column,
                    schema.found?.hasTriggers(
                        for: attribute.name, of: description.name, in: entity.table) != true
                else { continue }
                let expression: GraphExpression
                do throws(GraphPredicateError) {
                    expression = try ParsedExpression(format: text).resolved(
                        for: description.name, in: schema.model, assignedTo: attribute)
                } catch {
                    // One line: some callers show line breaks of a message as `\n`.
                    throw StoreError(
                        .invalidRequest,
                        Self.problem(description.name, attribute.name, text, error.description))
                }
                all.append(try Self.derived(attribute, text, expression, column, entity, schema))
            }
        }
        self.all = all
    }

    private static func problem(
        _ entity: String, _ attribute: String, _ text: String, _ reason: String
    ) -> String {
        "'\(entity).\(attribute)' cannot be derived from '\(text)': \(reason)"
    }

    /// A derived attribute that no store can compute.
    package struct Problem {
        /// The entity that declares the attribute.
        package var entity: String
        /// The name of the attribute.
        package var attribute: String
        /// The reason in one sentence, with the names and the expression.
        package var message: String
        /// The fault in the expression; `nil` if the expression cannot be translated to SQL.
        package var fault: GraphPredicateError?
    }

    /// Returns the derived attributes of a model that no store can compute.
    package static func problems(in schema: StoreLayout) -> [Problem] {
        var problems: [Problem] = []
        for description in schema.model.entities {
            guard let entity = schema.entity(named: description.name) else { continue }
            for attribute in schema.model.ownAttributes(of: description) {
                guard let text = attribute.derivationExpression, !attribute.isTransient else {
                    continue
                }
                func add(_ reason: String, _ fault: GraphPredicateError?) {
                    let message = problem(description.name, attribute.name, text, reason)
                    problems.append(
                        Problem(
                            entity: description.name, attribute: attribute.name, message: message,
                            fault: fault))
                }
                let expression: GraphExpression
                do throws(GraphPredicateError) {
                    expression = try ParsedExpression(format: text).resolved(
                        for: description.name, in: schema.model, assignedTo: attribute)
                } catch {
                    add(error.message, error)
                    continue
                }
                do throws(StoreError) {
                    _ = try value(expression, attribute, entity, schema)
                } catch {
                    add(error.message, nil)
                }
            }
        }
        return problems
    }

    private static func derived(
        _ attribute: AttributeDescription, _ text: String, _ expression: GraphExpression,
        _ column: String, _ entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) -> Derived {
        // Fail now, and not at the first save, if the expression cannot be translated to SQL.
        _ = try Self.value(expression, attribute, entity, schema)
        let probe = GraphPredicate.comparison(
            GraphComparison(expression, .equal, .constant(.null)))
        var roots: Set<Int64> = []
        var looksBack = false
        for path in probe.keyPaths {
            let way = Self.way(path, from: entity.name, schema)
            roots.formUnion(way.roots)
            looksBack = looksBack || way.looksBack
        }
        return Derived(
            column: column, table: entity.table,
            numbers: entity.familyNumbers, entity: entity, attribute: attribute,
            expression: expression,
            otherRoots: roots, looksBack: looksBack,
            isMoment: text.contains("now(") || text.contains("today("))
    }

    /// Returns the expression as SQL, with the time of this call as the current time.
    private static func value(
        _ expression: GraphExpression, _ attribute: AttributeDescription,
        _ entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) -> SQLFragment {
        var compiler = PredicateSQL(KeyPathSQL(schema, entity, style: .subqueries))
        return try compiler.value(expression, for: attribute)
    }

    /// Returns the root entities on a key path, and whether the path contains a to-many.
    private static func way(
        _ path: [String], from entity: String, _ schema: StoreLayout
    ) -> (roots: Set<Int64>, looksBack: Bool) {
        var roots: Set<Int64> = []
        var looksBack = false
        var name = entity
        for key in path {
            guard let relationship = schema.model.relationship(key, of: name) else { break }
            looksBack = looksBack || relationship.isToMany
            name = relationship.destinationEntityName
            if let root = schema.entity(named: name)?.rootNumber { roots.insert(root) }
        }
        return (roots, looksBack)
    }

    /// Updates the values for the changes of the transaction and for the links that it has set for
    /// an earlier load.
    func update(_ session: WriteSession) throws(StoreError) {
        guard !all.isEmpty, session.hasCompletedLoad || !session.change.isEmpty else { return }
        // Use the change before this update: a derived value must not cause another derivation.
        let change = session.change
        let touched = touchedRoots(change, session.schema)
        let isLoading = try PendingIndexes.isPending(on: session.connection)
        var isLeft = false
        for derived in all {
            let readsOtherObjects =
                session.hasCompletedLoad
                ? !derived.otherRoots.isEmpty : !derived.otherRoots.isDisjoint(with: touched)
            if readsOtherObjects, !derived.isMoment {
                if !isLoading { try run(derived, "", session) }
                isLeft = isLeft || isLoading
                // The objects that the changed rows refer to are found without an index.
                guard isLoading, !derived.looksBack else { continue }
            }
            var ranges: [ClosedRange<Int64>] = []
            for number in derived.numbers {
                ranges += change.inserted.keys(entityNumber: number)
                ranges += change.updated.keys(entityNumber: number)
            }
            for part in ranges.chunks(of: Self.rangesMax) {
                let keys = part.map { "t.Z_PK BETWEEN \($0.lowerBound) AND \($0.upperBound)" }
                try run(derived, " AND (\(keys.joined(separator: " OR ")))", session)
            }
        }
        guard isLeft else { return }
        try PendingIndexes.noteDeriving(on: session.connection)
    }

    /// Updates the attributes that read other objects, after a load that deferred its links.
    package func renew(on connection: Connection, _ schema: StoreLayout) throws(StoreError) {
        for derived in all where !derived.otherRoots.isEmpty && !derived.isMoment {
            _ = try run(derived, "", on: connection, schema)
        }
    }

    /// Updates all values after rows were written by other means, but keeps existing dates of
    /// `now()`.
    func deriveAll(on connection: Connection, _ schema: StoreLayout) throws(StoreError) {
        for derived in all {
            let rows = derived.isMoment ? " AND t.\(derived.column) IS NULL" : ""
            let update = try statement(derived, rows, schema)
            try naming(derived) { () throws(StoreError) in _ = try update.run(on: connection) }
        }
    }

    private func touchedRoots(_ change: StoreChange, _ schema: StoreLayout) -> Set<Int64> {
        var roots: Set<Int64> = []
        for set in [change.inserted, change.updated, change.deleted] {
            for number in set.entityNumbers {
                if let entity = schema.entity(number: number) { roots.insert(entity.rootNumber) }
            }
        }
        return roots
    }

    private func run(
        _ derived: Derived, _ rows: String, _ session: WriteSession
    ) throws(StoreError) {
        let ids = try run(derived, rows, on: session.connection, session.schema)
        if let history = session.history {
            var known = ids
            known.subtract(session.change.inserted)
            if !known.isEmpty { history.update(known, properties: [derived.attribute.name]) }
        }
        session.change.update(ids)
    }

    /// Runs a statement and adds the attribute's name to the error if a value cannot be computed.
    private func naming<R>(
        _ derived: Derived, _ body: () throws(StoreError) -> R
    ) throws(StoreError) -> R {
        do throws(StoreError) {
            return try body()
        } catch {
            guard error.code == .validation else { throw error }
            throw StoreError(
                .validation,
                "'\(derived.entity.name).\(derived.attribute.name)' of an object cannot be derived: "
                    + error.message)
        }
    }

    private func statement(
        _ derived: Derived, _ rows: String, _ schema: StoreLayout
    ) throws(StoreError) -> SQLFragment {
        var value = try Self.value(
            derived.expression, derived.attribute, derived.entity, schema)
        // A load that defers links derives the values again at its end, so they may be missing here.
        value.joinTables = []
        let numbers = derived.numbers.map(String.init).joined(separator: ",")
        return "UPDATE \(derived.table) AS t SET \(derived.column) = " + value
            + " WHERE t.Z_ENT IN (\(numbers))\(rows) AND t.\(derived.column) IS NOT " + value
    }

    /// Updates rows.
    ///
    /// - Returns: The objects whose value changed.
    private func run(
        _ derived: Derived, _ rows: String, on connection: Connection, _ schema: StoreLayout
    ) throws(StoreError) -> ManagedObjectIDSet {
        let update = try statement(derived, rows, schema) + " RETURNING Z_ENT, Z_PK"
        return try naming(derived) { () throws(StoreError) in
            let statement = try update.prepare(on: connection)
            var ids = ManagedObjectIDSet()
            while try statement.step() {
                ids.insert(
                    ManagedObjectID(
                        entityNumber: statement.integer(0), primaryKey: statement.integer(1)))
            }
            return ids
        }
    }
}
