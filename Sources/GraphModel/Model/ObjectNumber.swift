/// The key `objectID`, which stands for the number of an object: its primary key, `Z_PK`.
///
/// Key paths of predicates, orders, fields, and links may end in it, as in `category.objectID`.
package enum ObjectNumber {
    /// The key.
    ///
    /// If an entity has a property of this name, the key is that property.
    package static let key = "objectID"
    /// The key that is the number in every entity.
    ///
    /// No property can have this name.
    package static let explicitKey = "#objectID"

    /// The number as an attribute, for code that casts values or describes columns.
    package static let attribute = AttributeDescription(name: key, type: .integer64)

    /// Whether a key is either spelling, whatever properties there are.
    package static func isSpelled(_ key: String) -> Bool {
        key == self.key || key == explicitKey
    }
}

extension ManagedObjectModel {
    /// Whether a key is the number of the entity's objects, and not a property.
    package func isObjectNumber(_ key: String, of entity: String) -> Bool {
        guard key == ObjectNumber.key else { return key == ObjectNumber.explicitKey }
        return !lineage(of: entity).contains { ancestor in
            ancestor.ownAttributes.contains { $0.name == key }
                || ancestor.ownRelationships.contains { $0.name == key }
        }
    }

    /// The names that keys of an entity may have, for suggestions.
    package func keys(of entity: String) -> [String] {
        attributes(of: entity).map(\.name) + relationships(of: entity).map(\.name)
            + [ObjectNumber.key]
    }
}
