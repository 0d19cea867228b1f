/// The scheme that resolves keys by a model, for objects of its entities.
///
/// An implementation of `EvaluationGraph` only defines the handle of each property, such as the
/// number of its slot:
///
///     var scheme = ModelScheme(model, entityName: "Task") { entity, key in slots[entity]?[key] }
///     let predicate = try CompiledGraphPredicate(tree, over: &scheme)
///
/// A property must have the same handle in an entity and in its descendants. The closure must also
/// return a handle for the key `ObjectNumber.explicitKey`, which is used if a key path ends in
/// `objectID`.
package struct ModelScheme: EvaluationScheme {
    private let model: ManagedObjectModel
    private let handle: (_ entityName: String, _ key: String) -> Int?
    /// The entities, indexed by kind; the first is the entity of the tested objects.
    private var entities: [String]
    /// The number of the root entity, by the number of each entity below it.
    package let rootNumbers: [Int64: Int64]

    /// Creates a scheme for predicates over one entity.
    ///
    /// - Parameter rootNumbers: The number of the root entity, by the number of each entity below
    ///   it.
    package init(
        _ model: ManagedObjectModel, entityName: String, rootNumbers: [Int64: Int64] = [:],
        handle: @escaping (_ entityName: String, _ key: String) -> Int?
    ) {
        self.model = model
        self.rootNumbers = rootNumbers
        self.handle = handle
        entities = [entityName]
    }

    /// Whether SELF is valid: always true, since objects of entities have IDs.
    package var hasIdentity: Bool { true }

    /// Returns the path of keys from objects of a kind; `nil` if a key is not in the model, has no
    /// handle, or follows an attribute.
    package mutating func path(of keys: [String], from kind: Int) -> EvaluationPath? {
        var path = EvaluationPath([], .single)
        var entity = entities[kind]
        for (index, key) in keys.enumerated() {
            if model.isObjectNumber(key, of: entity) {
                guard index == keys.count - 1,
                    let handle = handle(entity, ObjectNumber.explicitKey)
                else { return nil }
                path.handles.append(handle)
                return path
            }
            guard let handle = handle(entity, key) else { return nil }
            path.handles.append(handle)
            if let relationship = model.relationship(key, of: entity) {
                if relationship.isToMany {
                    path.shape = .several
                    path.toManyCount = index + 1
                }
                entity = relationship.destinationEntityName
            } else if index == keys.count - 1, let attribute = model.attribute(key, of: entity) {
                path.isFractional = [.double, .float, .decimal].contains(attribute.type)
                return path
            } else {
                return nil
            }
        }
        path.kind = self.kind(entity)
        return path
    }

    private mutating func kind(_ entity: String) -> Int {
        if let known = entities.firstIndex(of: entity) { return known }
        entities.append(entity)
        return entities.count - 1
    }
}
