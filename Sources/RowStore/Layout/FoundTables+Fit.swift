import GraphModel

extension FoundTables {
    /// Returns the model's properties without a column, as `Entity.property`, and the missing
    /// column or table.
    func missing(_ schema: StoreLayout) -> [(property: String, place: String)] {
        var missing: [(String, String)] = []
        var seen: Set<String> = []
        func inspect(
            _ entity: StoreLayout.Entity, _ name: String, _ column: String, in table: String
        ) {
            let declaring = schema.model.declarer(of: name, in: entity.name)
            guard !has(column, in: table), seen.insert("\(declaring).\(name)").inserted else {
                return
            }
            missing.append(("\(declaring).\(name)", has(table) ? "\(table).\(column)" : table))
        }
        for entity in schema.heldEntities {
            for (name, place) in entity.attributes.sorted(by: { $0.key < $1.key }) {
                inspect(entity, name, place.column, in: entity.table)
            }
            for (name, place) in entity.toOnes.sorted(by: { $0.key < $1.key }) {
                switch place {
                case .own(let columns): inspect(entity, name, columns.column, in: entity.table)
                case .inverse(let inverse): inspect(entity, name, inverse.column, in: inverse.table)
                }
            }
            for (name, place) in entity.toManys.sorted(by: { $0.key < $1.key }) {
                switch place {
                case .foreignKey(let key): inspect(entity, name, key.column, in: key.table)
                case .joinTable(let join):
                    inspect(entity, name, join.ownerColumn, in: join.table)
                    inspect(entity, name, join.destinationColumn, in: join.table)
                }
            }
        }
        return missing
    }

    /// Returns the tables of hierarchies that `Z_PRIMARYKEY` lists but that do not exist.
    ///
    /// A store of one configuration lists only its own entities.
    func missingTables(of model: ManagedObjectModel) -> [String] {
        let numbers = numbers(of: model)
        let listed = Set(rows.map(\.number))
        return model.entities.filter { entity in
            entity.superentityName == nil && numbers[entity.name].map(listed.contains) == true
        }.map { LayoutCompiler.tableName(root: $0.name) }.filter { !has($0) }
    }
}

extension ManagedObjectModel {
    /// Returns the model without the given properties, each as `Entity.property`.
    ///
    /// Inverses of removed relationships are removed too.
    func leavingOut(_ properties: Set<String>) throws(ModelError) -> ManagedObjectModel {
        var gone = properties
        for entity in entities {
            for relationship in ownRelationships(of: entity)
            where gone.contains("\(entity.name).\(relationship.name)") {
                guard let inverse = relationship.inverseName else { continue }
                let destination = relationship.destinationEntityName
                let owner = declarer(of: inverse, in: destination)
                gone.insert("\(owner).\(inverse)")
            }
        }
        let kept = entities.map { entity in
            var entity = entity
            let name = entity.name
            entity.ownAttributes.removeAll { attribute in
                // Removing any element removes the composite.
                gone.contains {
                    $0 == "\(name).\(attribute.name)"
                        || $0.isElement(of: "\(name).\(attribute.name)")
                }
            }
            entity.ownRelationships.removeAll { gone.contains("\(name).\($0.name)") }
            func isDropped(_ property: String) -> Bool {
                gone.contains("\(declarer(of: property, in: name)).\(property)")
            }
            entity.uniquenessConstraints.removeAll { $0.contains(where: isDropped) }
            // An index without its predicate would be mistaken for an index over all rows.
            entity.indexes.removeAll { $0.propertyNames.contains(where: isDropped) }
            return entity
        }
        return try ManagedObjectModel(
            entities: kept, versionIdentifiers: versionIdentifiers, configurations: configurations,
            composites: composites, fetchRequestTemplates: fetchRequestTemplates, extras: extras)
    }
}

extension ManagedObjectModel {
    /// Returns the name of the entity, possibly an ancestor, that declares a property of an entity.
    ///
    /// For a property that the entity lacks, the result is the entity itself.
    func declarer(of property: String, in entity: String) -> String {
        declaringEntityName(of: property, in: entity) ?? entity
    }
}
