/// The key `objectID`, which refers to an object's primary key, `Z_PK`.
///
/// Key paths of predicates, orders, fields, and links can end in it, as in `category.objectID`.
package enum ObjectNumber {
    /// The key.
    ///
    /// If an entity has a property of this name, the key is that property.
    package static let key = "objectID"
    /// The key that refers to the primary key in every entity.
    ///
    /// No property can have this name.
    package static let explicitKey = "#objectID"

    /// The primary key as an attribute, for code that casts values or describes columns.
    package static let attribute = AttributeDescription(name: key, type: .integer64)

    /// Returns whether a key has either spelling, regardless of the entity's properties.
    package static func isSpelled(_ key: String) -> Bool {
        key == self.key || key == explicitKey
    }
}

extension ManagedObjectModel {
    /// Returns whether a key refers to the primary key of the entity's objects, not to a property.
    package func isObjectNumber(_ key: String, of entity: String) -> Bool {
        guard key == ObjectNumber.key else { return key == ObjectNumber.explicitKey }
        return !lineage(of: entity).contains { ancestor in
            ancestor.ownAttributes.contains { $0.name == key }
                || ancestor.ownRelationships.contains { $0.name == key }
        }
    }

    /// Returns the valid keys of an entity, for suggestions.
    package func keys(of entity: String) -> [String] {
        attributes(of: entity).map(\.name) + relationships(of: entity).map(\.name)
            + [ObjectNumber.key]
    }
}
