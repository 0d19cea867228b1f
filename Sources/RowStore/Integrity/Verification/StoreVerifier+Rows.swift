import GraphModel
import SQLite

/// Checks of the objects' own rows.
extension StoreVerifier {
    /// Checks that all rows of a hierarchy have an assigned key, an entity, and a version.
    mutating func checkRows(of root: StoreLayout.Entity) throws(StoreError) {
        let connection = connection
        try guarding(root.name, of: root.name) { verifier throws(StoreError) in
            let largest = Int64(try SelectSQL("max(Z_PK)", of: root).integer(on: connection))
            guard verifier.has(formatTable: "Z_PRIMARYKEY") else { return }
            let handedOut = try connection.integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)")
            if handedOut ?? 0 < largest {
                verifier.note(
                    .counter, entity: root.name, keys: [largest],
                    "\(root.name): key \(largest) is used, but Z_PRIMARYKEY counts only to"
                        + " \(handedOut ?? 0)")
            } else if let handedOut, handedOut > max(largest, KeyAllocator.counterMax) {
                verifier.note(
                    .counter, entity: root.name,
                    "\(root.name): the key counter in Z_PRIMARYKEY is \(handedOut), which no"
                        + " store reaches")
            } else if handedOut == nil {
                verifier.note(
                    .counter, entity: root.name,
                    "\(root.name): it has no key counter in Z_PRIMARYKEY")
            }
        }
        let concrete = root.familyNumbers.filter { schema?.entity(number: $0)?.isAbstract == false }
        let numbers = concrete.map(String.init).joined(separator: ",")
        try find(
            .entity, root.name, nil,
            SelectSQL(
                "Z_PK", of: root, isIndexed: false,
                where: ["(Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)))"])
        ) { "\(root.name): \($0.counting("row has", "rows have")) an entity of another table" }
        try find(
            .version, root.name, nil,
            SelectSQL("Z_PK", of: root, isIndexed: false, where: ["Z_OPT IS NULL"])
        ) {
            "\(root.name): "
                + $0.counting("row does not count its changes", "rows do not count their changes")
        }
    }

    /// Checks the values of the entity's own attributes, and its constraints.
    mutating func checkValues(
        of entity: StoreLayout.Entity, _ schema: StoreLayout
    ) throws(StoreError) {
        for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key })
        where place.declaringEntity == entity.name && has(place.column, in: entity.table) {
            if !place.attribute.isOptional {
                try find(
                    .required, entity.name, name,
                    Self.rows(of: entity, ["t.\(place.column) IS NULL"])
                ) {
                    "\(entity.name).\(name): \($0.counting("object lacks", "objects lack")) a value, which"
                        + " is required"
                }
            }
            if let requirement = Self.requirement(name, place, entity) {
                try find(
                    .required, entity.name, name,
                    Self.rows(of: entity, ["t.\(place.column) IS NULL", requirement.condition])
                ) {
                    "\(entity.name).\(name): \($0.counting("object lacks", "objects lack")) a value, which"
                        + " is required where '\(requirement.whole)' has one"
                }
            }
            if place.attribute.isExactDecimal {
                try checkDecimals(name, place, entity)
                continue
            }
            try checkTexts(name, place, entity)
            guard let wrong = Self.isOfOtherKind(place) else { continue }
            try find(.value, entity.name, name, Self.rows(of: entity, [wrong])) {
                "\(entity.name).\(name): \($0.counting("value is", "values are")) not a valid "
                    + "\(place.attribute.type.rawValue)"
            }
        }
        guard let description = schema.model.entity(named: entity.name) else { return }
        for composite in schema.model.ownRequiredComposites(of: description) {
            try check(composite, of: entity)
        }
        for constraint in description.uniquenessConstraints {
            try checkUniqueness(constraint, of: entity)
        }
    }

    /// Checks that a required composite has a value.
    private mutating func check(
        _ composite: RequiredComposite, of entity: StoreLayout.Entity
    ) throws(StoreError) {
        func columns(_ names: [String]) -> [String]? {
            let columns = names.compactMap { entity.attributes[$0]?.column }
            let isThere =
                columns.count == names.count && columns.allSatisfy { has($0, in: entity.table) }
            return isThere ? columns : nil
        }
        guard let elements = columns(composite.elements), let others = columns(composite.others)
        else { return }
        var conditions = elements.map { "t.\($0) IS NULL" }
        if !others.isEmpty {
            conditions.append("(\(others.map { "t.\($0) IS NOT NULL" }.joined(separator: " OR ")))")
        }
        try find(
            .required, entity.name, composite.path, Self.rows(of: entity, conditions)
        ) {
            "\(entity.name).\(composite.path): \($0.counting("object lacks", "objects lack")) a value,"
                + " which is required"
                + (composite.dependent.map { " where '\($0)' has one" } ?? "")
        }
    }

    /// Selects the keys of an entity's rows that match the conditions, without an index, because a
    /// damaged index could hide them.
    private static func rows(
        of entity: StoreLayout.Entity, _ conditions: [String]
    ) -> SelectSQL {
        SelectSQL("Z_PK", of: entity, alias: "t", isIndexed: false, where: conditions)
    }

    /// Returns the condition for rows in which an element of a composite is required because other
    /// elements have values, or `nil` for other attributes.
    private static func requirement(
        _ name: String, _ place: StoreLayout.AttributeColumn, _ entity: StoreLayout.Entity
    ) -> (whole: String, condition: String)? {
        guard let whole = place.attribute.requiredBeside else { return nil }
        let others = entity.attributes.filter { $0.key.isElement(of: whole) && $0.key != name }
            .map { "t.\($0.value.column) IS NOT NULL" }.sorted()
        return others.isEmpty ? nil : (whole, "(\(others.joined(separator: " OR ")))")
    }

    /// Returns the condition for values of another storage class than the attribute's, or `nil` if
    /// any storage class is valid.
    private static func isOfOtherKind(_ place: StoreLayout.AttributeColumn) -> String? {
        let column = "t.\(place.column)"
        let kinds: String
        switch place.attribute.type {
        case .integer16, .integer32, .integer64, .boolean: kinds = "'integer'"
        case .double, .float, .date: kinds = "'integer', 'real'"
        case .decimal: kinds = "'integer', 'real'"
        case .string, .uri: kinds = "'text'"
        case .uuid:
            return "\(column) IS NOT NULL AND (typeof(\(column)) <> 'blob'"
                + " OR length(\(column)) <> 16)"
        case .binary: kinds = "'blob'"
        case .transformable, .composite, .undefined: return nil
        }
        return "\(column) IS NOT NULL AND typeof(\(column)) NOT IN (\(kinds))"
    }

    private mutating func checkUniqueness(
        _ constraint: [String], of entity: StoreLayout.Entity
    ) throws(StoreError) {
        // A to-one relationship can be part of a key.
        let columns = constraint.compactMap {
            entity.attributes[$0]?.column ?? entity.toOnes[$0]?.column
        }
        guard columns.count == constraint.count,
            columns.allSatisfy({ has($0, in: entity.table) })
        else { return }
        var shared = Self.rows(of: entity, columns.map { "\($0) IS NOT NULL" })
        shared.columns = [SQLFragment("min(Z_PK)")]
        (shared.groups, shared.having, shared.order) = (columns, "count(*) > 1", ["1"])
        try find(.unique, entity.name, constraint.joined(separator: ","), shared) { count in
            "\(entity.name): \(count.counting("key", "keys")) (\(constraint.joined(separator: ", ")))"
                + " \(count == 1 ? "has" : "have") several objects"
        }
    }

    /// Checks that the history's rows are consistent and their numbers were assigned.
    mutating func checkHistory() throws(StoreError) {
        let connection = connection
        try guarding("The history") { verifier throws(StoreError) in
            // A missing table is already a finding.
            guard
                ["Z_PRIMARYKEY", "ACHANGE", "ATRANSACTION"].allSatisfy(verifier.has(formatTable:))
            else { return }
            let strange = try connection.prepare(
                "SELECT count(*), min(ifnull(ZENTITY, 'NULL')) FROM ACHANGE"
                    + " WHERE ZENTITY IS NULL OR ZENTITY NOT IN (SELECT Z_ENT FROM Z_PRIMARYKEY)")
            if try strange.step(), strange.integer(0) > 0 {
                let count = Int(strange.integer(0))
                verifier.note(
                    .history, count: count,
                    "The history has \(count.counting("change", "changes")) of an entity that the"
                        + " store does not have, such as number \(strange.string(1))")
            }
            let lost = try verifier.integer(
                "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN"
                    + " (SELECT Z_PK FROM ATRANSACTION)")
            if lost > 0 {
                verifier.note(
                    .history, count: Int(lost),
                    "The history has \(Int(lost).counting("change", "changes")) of no transaction")
            }
            for (table, number) in [
                ("ACHANGE", HistorySchema.changeEntity),
                ("ATRANSACTION", HistorySchema.transactionEntity),
            ] {
                let largest = try connection.largestKey(in: table)
                // Without a row, the counter is 0.
                let handedOut = try verifier.integer(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)")
                guard handedOut < largest else { continue }
                verifier.note(
                    .counter,
                    "\(table): key \(largest) is used, but Z_PRIMARYKEY counts only to \(handedOut)"
                )
            }
        }
    }
}
