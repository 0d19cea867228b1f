import Diagnostics

/// The property names that conflict with the names of objects, stores, or predicates.
package enum PropertyNames {
    /// Returns whether objects, stores, or predicates give the name a meaning.
    package static func isReserved(_ name: String) -> Bool {
        let upper = name.uppercased()
        return ["_PK", "_ENT", "_OPT"].contains(upper) || upper.hasPrefix("_FOK_")
            || ModelLints.objectNames.contains(name)
            || ModelLints.predicateWords.contains(name.lowercased())
    }
}

/// Lints for names that are ill-formed, reserved, or taken, or that share a column.
extension ModelLints {
    /// The members of Core Data's objects, which a property of the same name would hide.
    fileprivate static let objectNames: Set<String> = [
        "changedValues", "class", "copy", "debugDescription", "description", "entity",
        "faultingState", "hasChanges", "hasPersistentChangedValues", "hash", "init", "isDeleted",
        "isFault", "isInserted", "isProxy", "isUpdated", "managedObjectContext", "mutableCopy",
        "objectID", "self", "superclass", "zone",
    ]

    /// The words of the predicate language, in lowercase; case is ignored.
    fileprivate static let predicateWords: Set<String> = [
        "all", "and", "any", "beginswith", "between", "contains", "endswith", "false", "in",
        "like", "matches", "nil", "none", "not", "null", "or", "self", "some", "subquery", "true",
    ]

    /// The names of the history entities in every store.
    private static let historyNames: Set<String> = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]

    func checkNames() {
        for entity in declared.entities {
            checkEntityName(entity)
            for property in ownNames(entity) { checkPropertyName(property.name, property.place) }
        }
    }

    private func checkEntityName(_ entity: EntityDeclaration) {
        let name = entity.name
        if !Self.isIdentifier(name, mayStartWithUnderscore: false) {
            error(
                "name", "'\(name)' is not a valid entity name", entity.place,
                fix: "begin with a letter; then letters, digits, and underscores")
        } else if Self.historyNames.contains(name) {
            error(
                "reserved-name", "'\(name)' is the name of one of the store's history entities",
                entity.place)
        }
    }

    /// Checks the name of a composite's element.
    ///
    /// It needs fewer checks than the name of a property: it hides no object member, and no column
    /// has it alone.
    func checkElementName(_ name: String, _ place: SourceLocation) {
        if !Self.isIdentifier(name, mayStartWithUnderscore: true) {
            error(
                "name", "'\(name)' is not a valid property name", place,
                fix: "begin with a letter or underscore; then letters, digits, and underscores")
        } else if Self.predicateWords.contains(name.lowercased()) {
            warn("reserved-name", "'\(name)' is a word of the predicate language", place)
        }
    }

    private func checkPropertyName(_ name: String, _ place: SourceLocation) {
        let upper = name.uppercased()
        if ["_PK", "_ENT", "_OPT"].contains(upper) || upper.hasPrefix("_FOK_") {
            error("reserved-name", "'\(name)' would take the store's own column Z\(upper)", place)
        } else if Self.objectNames.contains(name) {
            // Xcode compiles such a model, so it must stay readable after conversion.
            warn(
                "reserved-name",
                "Every object has a member '\(name)', which this property hides", place)
        } else {
            checkElementName(name, place)
        }
    }

    private static func isIdentifier(_ name: String, mayStartWithUnderscore: Bool) -> Bool {
        guard let first = name.unicodeScalars.first else { return false }
        let isLetter = { (scalar: Unicode.Scalar) in scalar.properties.isAlphabetic }
        guard isLetter(first) || (mayStartWithUnderscore && first == "_") else { return false }
        return name.unicodeScalars.allSatisfy {
            isLetter($0) || $0 == "_" || ("0"..."9").contains($0)
        }
    }

    /// Reports names that an entity declares twice or also inherits.
    func checkInheritedNames() {
        for entity in declared.entities {
            var owners: [String: String] = [:]
            for ancestor in lineage(entity.name).dropFirst().reversed() {
                for name in ownNames(ancestor).map(\.name) { owners[name] = ancestor.name }
            }
            for property in ownNames(entity) {
                guard let owner = owners.updateValue(entity.name, forKey: property.name) else {
                    continue
                }
                let message =
                    owner == entity.name
                    ? "'\(entity.name)' has two properties '\(property.name)'"
                    : "'\(entity.name)' inherits '\(property.name)' from '\(owner)' already"
                error("duplicate-name", message, property.place)
            }
        }
    }

    /// Warns about entities, or properties of one entity, that are renamed from the same name.
    ///
    /// A migration can keep the values of only one of them.
    func checkRenamings() {
        warnOfRepeats(
            declared.entities.map { ($0.description.renamingIdentifier, $0.name, $0.place) })
        for entity in declared.entities {
            warnOfRepeats(
                entity.placedAttributes.map { ($0.renamingIdentifier, $0.name, $1) }
                    + entity.placedRelationships.map { ($0.renamingIdentifier, $0.name, $1.place) })
        }
    }

    private func warnOfRepeats(_ renamed: [(from: String?, name: String, place: SourceLocation)]) {
        var owners: [String: String] = [:]
        for (from, name, place) in renamed {
            guard let from else { continue }
            guard let owner = owners[from] else {
                owners[from] = name
                continue
            }
            warn(
                "renamed-twice",
                "'\(name)' is renamed from '\(from)', and so is '\(owner)': a migration keeps the"
                    + " values of one of them", place)
        }
    }

    private func ownNames(_ entity: EntityDeclaration) -> [PlacedName] {
        entity.placedAttributes.map { PlacedName(name: $0.name, place: $1) }
            + entity.placedRelationships.map { PlacedName(name: $0.name, place: $1.place) }
    }
}

extension ModelLints {
    /// A property with a column in the table of its entity family.
    private struct Column {
        var property: PlacedName
        var owner: EntityDeclaration
        var name: String { ColumnNames.name(of: property.name) }
    }

    /// Reports names that differ only in case and would share a table or column.
    ///
    /// Siblings may share a name: the store numbers their columns (`ZTITLE`, `ZTITLE1`, …) in the
    /// order of the entities, so such a number must not be another property's column.
    func checkColumns() {
        var tables: [String: String] = [:]
        for entity in declared.entities where entity.description.superentityName == nil {
            let table = "Z" + entity.name.uppercased()
            if let other = tables.updateValue(entity.name, forKey: table) {
                error(
                    "column-collision",
                    "'\(entity.name)' and '\(other)' would share the table \(table)", entity.place)
            }
            checkFamily(of: entity)
        }
    }

    private func checkFamily(of root: EntityDeclaration) {
        let columns = family(of: root).flatMap(columns)
        let names = Set(columns.map(\.name))
        let groups = Dictionary(grouping: columns, by: \.name).values.filter { $0.count > 1 }
        for group in groups {
            for (position, column) in group.enumerated().dropFirst() {
                checkShared(column, with: group[..<position])
                let numbered = "\(column.name)\(position)"
                if names.contains(numbered) {
                    error(
                        "column-collision",
                        "'\(column.owner.name).\(column.property.name)' would get the column "
                            + "\(numbered), which another property has", column.property.place)
                }
            }
        }
    }

    private func checkShared(_ column: Column, with earlier: ArraySlice<Column>) {
        let ancestors = Set(lineage(column.owner.name).map(\.name))
        for other in earlier
        where ancestors.contains(other.owner.name) && other.property.name != column.property.name {
            error(
                "column-collision",
                "'\(column.property.name)' and '\(other.property.name)' of '\(column.owner.name)' "
                    + "would share the column \(column.name)", column.property.place)
            return
        }
    }

    private func columns(_ entity: EntityDeclaration) -> [Column] {
        let attributes = attributes(entity)
            .filter { !$0.attribute.isTransient && $0.attribute.type != .composite }
            .map { PlacedName(name: $0.attribute.name, place: $0.place) }
        let toOnes = entity.placedRelationships.filter { !$0.0.isToMany && !$0.0.isTransient }
            .map { PlacedName(name: $0.name, place: $1.place) }
        return (attributes + toOnes).map { Column(property: $0, owner: entity) }
    }

    /// Returns the entity and its descendants in the order of their numbers in a store.
    private func family(of entity: EntityDeclaration) -> [EntityDeclaration] {
        [entity] + (children[entity.name] ?? []).flatMap(family)
    }
}
