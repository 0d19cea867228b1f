import GraphModel

/// The indexes of a hierarchy's table.
extension LayoutCompiler {
    func indexes(on table: String, family: [EntityDescription]) -> [StoreLayout.Index] {
        var indexes: [StoreLayout.Index] = []
        func add(
            _ name: String, unique: Bool = false, _ columns: [String],
            where condition: String? = nil
        ) {
            indexes.append(
                StoreLayout.Index(
                    name: name, isUnique: unique, table: table, columns: columns,
                    condition: condition))
        }
        if family.count > 1 { add("\(table)_Z_ENT_INDEX", ["Z_ENT"]) }
        for entity in family {
            for relationship in model.ownRelationships(of: entity)
            where !relationship.isToMany && hasColumn(relationship, in: entity.name) {
                let column = column(of: relationship.name, in: entity.name)
                add("\(table)_\(column)_INDEX", [column])
            }
        }
        for place in inverselessToManys(into: family) {
            add("\(table)_\(place.column)_INDEX", [place.column])
        }
        for entity in family {
            for (names, columns) in oldIndexes(of: entity) {
                add("\(table)_\(names)", columns)
            }
            for constraint in entity.uniquenessConstraints
            where constraint.allSatisfy({ hasColumn($0, in: entity.name) }) {
                let columns = constraint.map { column(of: $0, in: entity.name) }
                let names = constraint.map(ColumnNames.joined).joined(separator: "_")
                add(
                    "Z_\(entity.name)_UNIQUE_\(names)", unique: true,
                    columns.map { "\($0) COLLATE BINARY ASC" })
            }
            for index in entity.indexes {
                let elements = index.elements.filter { hasColumn($0.propertyName, in: entity.name) }
                // An index over expressions or a spatial index is not an index over columns.
                guard !elements.isEmpty, index.reasonNotBuilt == nil else { continue }
                let columns = elements.map { element in
                    let name = column(of: element.propertyName, in: entity.name)
                    return "\(name) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")"
                }
                add(
                    "Z_\(entity.name)_\(index.name)", columns,
                    where: condition(of: index, in: entity))
                if let attribute = index.soleAttribute(of: entity) {
                    add("Z_\(entity.name)_\(ColumnNames.joined(attribute))", columns)
                }
            }
        }
        // SQLite compares names without case.
        var names: Set<String> = []
        return indexes.filter { names.insert($0.name.uppercased()).inserted }
    }

    /// Returns the indexes of models older than fetch indexes, with the ends of their names.
    private func oldIndexes(
        of entity: EntityDescription
    ) -> [(name: String, columns: [String])] {
        var indexes: [(String, [String])] = []
        for attribute in model.ownAttributes(of: entity)
        where attribute.extras["indexed"] == "YES" && !attribute.isTransient {
            let column = column(of: attribute.name, in: entity.name)
            indexes.append(("\(column)_INDEX", [column]))
        }
        for names in (entity.extras["compoundIndexes"] ?? "").split(separator: ";") {
            let columns = names.split(separator: ",").map(String.init)
                .filter { hasColumn($0, in: entity.name) }
                .map { column(of: $0, in: entity.name) }
            guard !columns.isEmpty else { continue }
            let suffix = columns.count == 1 ? "_INDEX" : ""
            indexes.append((columns.joined(separator: "_") + suffix, columns))
        }
        return indexes
    }

    /// Returns whether a property has a column in its entity's table.
    ///
    /// Apps' models may also list transient attributes and to-many relationships in their indexes.
    func hasColumn(_ property: String, in entity: String) -> Bool {
        if let attribute = model.attribute(property, of: entity) { return !attribute.isTransient }
        return model.relationship(property, of: entity).map {
            !$0.isToMany && hasColumn($0, in: entity)
        } ?? false
    }

    /// Returns the condition of a partial index, as SQL.
    ///
    /// The result is `nil` for a predicate that the model's lints reject. The index then covers all
    /// rows, which is slower but always correct.
    func condition(
        of index: FetchIndexDescription, in entity: EntityDescription
    ) -> String? {
        guard let text = index.partialIndexPredicate,
            let predicate = try? GraphPredicate(format: text)
                .resolved(for: entity.name, in: model)
        else { return nil }
        return PartialIndexSQL.condition(predicate) { column(of: $0, in: entity.name) }
    }
}
