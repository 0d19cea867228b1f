import GraphModel

/// A generator that fills a new store with objects from a seed.
struct SeededObjects {
    private let model: ManagedObjectModel
    private let values: SeededValues
    /// The attributes with unique values, each as `Entity.attribute`.
    private let unique: Set<String>

    init(_ model: ManagedObjectModel, seed: UInt64) {
        self.model = model
        values = SeededValues(seed: seed)
        unique = Self.uniqueAttributes(of: model)
    }

    /// Returns one attribute of each constraint, chosen for its large range of values.
    private static func uniqueAttributes(of model: ManagedObjectModel) -> Set<String> {
        let many: [AttributeType] = [
            .uuid, .string, .uri, .integer64, .integer32, .double, .date, .decimal, .integer16,
            .float, .binary,
        ]
        var unique: Set<String> = []
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                let attributes = constraint.compactMap { model.attribute($0, of: entity.name) }
                    .filter { $0.pattern == nil && $0.derivationExpression == nil }
                let ranks = attributes.map { many.firstIndex(of: $0.type) ?? many.count }
                guard let best = zip(ranks, attributes).min(by: { $0.0 < $1.0 })?.1,
                    let owner = model.declaringEntityName(of: best.name, in: entity.name)
                else { continue }
                unique.insert("\(owner).\(best.name)")
            }
        }
        return unique
    }

    /// Creates the store.
    func fill(
        _ path: String, complete: ((ManagedObject, Int) throws -> Void)?,
        count: (_ entity: String) -> Int
    ) throws {
        let container = try PersistentContainer(model: model, at: path, opening: .create)
        let context = container.newContext()
        var objects: [String: [ManagedObject]] = [:]
        // The objects of one hierarchy share their table.
        var rows: [String: Int] = [:]
        for entity in model.entities where !entity.isAbstract {
            let root = model.rootName(of: entity.name)
            let attributes = settableAttributes(of: entity.name)
            for _ in 0..<max(0, count(entity.name)) {
                let object = try context.insert(entity.name)
                try setValues(of: object, attributes, row: rows[root, default: 0])
                rows[root, default: 0] += 1
                objects[entity.name, default: []].append(object)
            }
        }
        try SeededLinks(model, values, objects).make()
        for (_, made) in objects.sorted(by: { $0.key < $1.key }) {
            for (number, object) in made.enumerated() { try complete?(object, number) }
        }
        do {
            try context.save()
        } catch {
            let reasons = error.validationError.map { "\($0)" } ?? error.message
            throw StoreError(
                error.code,
                "The objects of seed \(values.seed) break the model's rules, so `complete` must "
                    + "set the values that the model does not define: \(reasons)", cause: error)
        }
    }

    /// Returns the attributes that get values, each with its name as `Entity.attribute`.
    private func settableAttributes(
        of entity: String
    ) -> [(attribute: AttributeDescription, name: String)] {
        model.attributes(of: entity)
            .filter { !$0.isTransient && $0.derivationExpression == nil }
            .map { attribute in
                let owner = model.declaringEntityName(of: attribute.name, in: entity) ?? entity
                return (attribute, "\(owner).\(attribute.name)")
            }
    }

    private func setValues(
        of object: ManagedObject, _ attributes: [(attribute: AttributeDescription, name: String)],
        row: Int
    ) throws {
        for (attribute, name) in attributes {
            guard
                let value = values.value(
                    of: attribute, named: name, row, isUnique: unique.contains(name))
            else { continue }
            try object.setValue(.attribute(value), forKey: attribute.name)
        }
    }
}
