import GraphModel
import SQLite

/// One batch update, resolved against the model.
package struct BatchUpdate {
    let entity: StoreLayout.Entity
    let assignments: [(column: StoreLayout.AttributeColumn, value: GraphExpression)]
    let links: [BatchLink]
    let session: WriteSession

    /// Creates an update from values that are resolved for the entity.
    package init(
        entity: StoreLayout.Entity,
        assignments: [(column: StoreLayout.AttributeColumn, value: GraphExpression)],
        links: [BatchLink], session: WriteSession
    ) {
        self.entity = entity
        self.assignments = assignments
        self.links = links
        self.session = session
    }

    /// The names of the properties that the update sets.
    var properties: [String] { assignments.map(\.column.attribute.name) + links.map(\.name) }

    /// Updates the objects that match a resolved predicate.
    package func run(
        where predicate: GraphPredicate?, _ request: BatchUpdateRequest
    ) throws(StoreError) -> BatchUpdateResult {
        var compiler = PredicateSQL(KeyPathSQL(session.schema, entity, style: .subqueries))
        var values: [SQLFragment] = []
        for assignment in assignments {
            values.append(
                try compiler.value(assignment.value, for: assignment.column.attribute))
        }
        let differences =
            zip(assignments, values).map { assignment, value in
                "t.\(assignment.column.column) IS NOT " + value
            } + links.map(\.difference)
        if isDirect(predicate, request),
            let result = try runDirectly(
                where: predicate, sets: values, differences, request)
        {
            return result
        }
        for link in links { try link.check(in: session) }
        // Values from other objects are read before any object changes.
        let readsOtherObjects = assignments.contains { $0.value.readsOtherObjects }
        let match = try BatchMatch(
            entity, where: predicate,
            changes: "(" + differences.joined(separator: " OR ") + ")",
            values: readsOtherObjects ? values : [], limit: request.limit,
            fetchLimit: request.fetchLimit, in: session)
        var linkSets: [SQLFragment] = []
        for link in links {
            linkSets += try link.assignments(of: entity.table, match, in: session)
        }
        let sets =
            zip(assignments, values).enumerated().map { place, pair in
                "\(pair.0.column.column) = "
                    + (readsOtherObjects ? match.value(place, ofRow: "t.Z_PK") : pair.1)
            }
            + linkSets
        do throws(StoreError) {
            return try write(sets, match, request)
        } catch {
            guard error.isUniqueness else { throw error }
            let results =
                readsOtherObjects
                ? assignments.indices.map { match.value($0, ofRow: "t.Z_PK") } : values
            throw try BrokenUniqueness(
                entity: entity, match: match, session: session,
                results: Dictionary(
                    uniqueKeysWithValues: zip(properties, results + links.map(\.value)))
            ).error ?? error
        }
    }

    /// Writes the matching rows that change, and checks them.
    private func write(
        _ sets: [SQLFragment], _ match: BatchMatch, _ request: BatchUpdateRequest
    ) throws(StoreError) -> BatchUpdateResult {
        let connection = session.connection
        let changed = "SELECT pk FROM \(match.table) WHERE changes"
        let changing = "Z_PK IN (\(changed))"
        for link in links { try link.noteEnds(of: entity.table, changed, in: session) }
        var notes = try changingObjects(match)
        let version = try session.versionAssignment(of: notes.objects)
        let allSets = sets + (version.map { [SQLFragment($0)] } ?? [])
        let update =
            "UPDATE \(entity.table) AS t SET " + allSets.joined(separator: ", ")
            + " WHERE \(changing)"
        let updated = try update.run(on: connection)
        let ids = notes.emit(session)
        for assignment in assignments where updated > 0 {
            // A constant has the same effect in all rows, so checking one row is enough.
            let isConstant = assignment.value.isConstant
            let rows = isConstant ? "Z_PK = (\(changed) LIMIT 1)" : changing
            if let problem = try broken(
                assignment.column, rows, connection, each: isConstant ? updated : 1,
                request.rules)
            {
                throw StoreError(.validation, problem)
            }
        }
        try checkRules(request.rules, changing, connection)
        return BatchUpdateResult(
            matched: match.count, updated: updated,
            objectIDs: request.resultType == .objectIDs ? ids : nil)
    }

    private func changingObjects(_ match: BatchMatch) throws(StoreError) -> BatchUpdateNotes {
        var notes = BatchUpdateNotes(properties)
        let rows = try session.connection.prepare(
            "SELECT ent, pk FROM \(match.table) WHERE changes ORDER BY pk")
        while try rows.step() { notes.add(rows.integer(1), entity: rows.integer(0)) }
        return notes
    }

    /// Checks the rules over complete objects, of the entity and of each sub-entity.
    ///
    /// Required properties are checked even if the request ignores the rules.
    private func checkRules(
        _ rules: BatchUpdateRules, _ changing: String, _ connection: Connection
    ) throws(StoreError) {
        for member in session.schema.family(of: entity) {
            for rule in try ValidationRules(of: member.name, in: session.schema.model).rules
            where rules == .enforce || rule.required != nil {
                var broken = try EntitySelect(
                    member, where: .not(rule.predicate), in: session.schema)
                broken.keep(SQLFragment("t.\(changing)"))
                let count = try broken.statement.counting.integer(on: connection)
                guard count > 0 else { continue }
                throw StoreError(
                    .validation,
                    count.counting("object", "objects")
                        + (rule.required == nil ? " would break a rule: " : " would lack a value: ")
                        + rule.message)
            }
        }
    }

    /// Returns the error in the new values of a column; `nil` if they are valid.
    ///
    /// - Parameter each: The number of objects that each checked row represents.
    func broken(
        _ column: StoreLayout.AttributeColumn, _ changing: String, _ connection: Connection,
        each: Int, _ allRules: BatchUpdateRules
    ) throws(StoreError) -> String? {
        let attribute = column.attribute
        let name = column.column
        var rules: [(violation: String, words: String)] = []
        if !attribute.isOptional { rules.append(("\(name) IS NULL", "null, and it is required")) }
        if let (low, high) = attribute.type.integerLimits {
            rules.append(
                (
                    "\(name) NOT BETWEEN \(low) AND \(high)",
                    "outside \(attribute.type.rawValue)"
                ))
            rules.append(
                (
                    // The column's affinity converts every integral number to an integer.
                    "typeof(\(name)) = 'real'",
                    "a fraction (`round`, `floor`, and `ceiling` make whole numbers)"
                ))
        }
        if attribute.type == .float {
            // Rounded to a Float, a larger number is infinite.
            rules.append(("abs(\(name)) >= 3.4028235677973366e38", "too large for Float"))
        }
        if allRules == .enforce, let minimum = attribute.range?.minimum {
            let bound = AttributeValidator.text(minimum, attribute.type)
            let violation = Self.comparison(name, "<", minimum, attribute)
            rules.append((violation, "less than \(bound)"))
        }
        if allRules == .enforce, let maximum = attribute.range?.maximum {
            let bound = AttributeValidator.text(maximum, attribute.type)
            let violation = Self.comparison(name, ">", maximum, attribute)
            rules.append((violation, "more than \(bound)"))
        }
        if attribute.isExactDecimal { try DecimalCollation.register(on: connection) }
        for rule in rules {
            let breaking = SelectSQL(
                "count(*)", from: entity.table, where: [changing, "(\(rule.violation))"])
            let count = try breaking.integer(on: connection)
            if count > 0 {
                let objects = (count * each).counting("object", "objects")
                return "'\(attribute.name)' of \(objects) would be \(rule.words)"
            }
        }
        guard allRules == .enforce else { return nil }
        return try brokenText(attribute, name, changing, connection)
    }

    /// Returns an SQL comparison of a column with a bound of its range.
    private static func comparison(
        _ column: String, _ op: String, _ bound: Double, _ attribute: AttributeDescription
    ) -> String {
        guard attribute.isExactDecimal, let number = ExactDecimal(bound) else {
            return "\(column) \(op) \(bound)"
        }
        return "\(column) COLLATE \(DecimalCollation.name) \(op) '\(number.text)'"
    }

    private func brokenText(
        _ attribute: AttributeDescription, _ name: String, _ changing: String,
        _ connection: Connection
    ) throws(StoreError) -> String? {
        guard attribute.length != nil || attribute.pattern != nil, attribute.type != .decimal
        else { return nil }
        let validator = AttributeValidator(attribute)
        var select = SelectSQL(name, from: entity.table, where: [changing, "\(name) NOT NULL"])
        select.isDistinct = true
        let values = try select.prepare(on: connection)
        while try values.step() {
            if let problem = validator.problem(with: BulkCell(column: 0, of: values)) {
                values.reset()
                return problem
            }
        }
        return nil
    }
}

extension AttributeType {
    /// The smallest and the largest value of an integer type.
    package var integerLimits: (Int64, Int64)? {
        switch self {
        case .integer16: (Int64(Int16.min), Int64(Int16.max))
        case .integer32: (Int64(Int32.min), Int64(Int32.max))
        case .integer64: (.min, .max)
        case .boolean: (0, 1)
        default: nil
        }
    }
}

extension GraphExpression {
    var isConstant: Bool {
        if case .constant = self { true } else { false }
    }

    /// A constant of the expression that is NaN, which SQLite would turn into null, or infinite,
    /// which it would store.
    package var nonFinite: Double? {
        switch self {
        case .constant(.double(let number)), .constant(.date(secondsSinceReference: let number)):
            number.isFinite ? nil : number
        case .negation(let operand): operand.nonFinite
        case .arithmetic(_, let left, let right): left.nonFinite ?? right.nonFinite
        case .function(_, let arguments), .aggregate(let arguments):
            arguments.lazy.compactMap(\.nonFinite).first
        default: nil
        }
    }

    /// Whether the expression reads a value of another object.
    fileprivate var readsOtherObjects: Bool {
        let probe = GraphPredicate.comparison(GraphComparison(self, .equal, .constant(.null)))
        return probe.keyPaths.contains { $0.count > 1 }
    }
}
