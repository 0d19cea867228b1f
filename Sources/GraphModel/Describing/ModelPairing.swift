/// The entities and properties of an old model that a new model continues.
///
/// A new name continues the old one that its renaming identifier refers to, by name or by an
/// identifier that both have. Otherwise it continues the old one of the same name. Each old name is
/// continued at most once.
package struct ModelPairing: Sendable {
    /// The old model.
    package let old: ManagedObjectModel
    /// The new model.
    package let new: ManagedObjectModel
    private let oldNames: [String: String]
    private let newNames: [String: String]
    /// The pairing of each version with the next, if there are versions between.
    private let steps: [ModelPairing]
    /// The explicitly paired properties: for each `New Old` entity pair, old names by new names.
    package var explicit: [String: [String: String]] = [:]

    /// Pairs the entities of two models.
    ///
    /// - Parameter between: The versions between, oldest first, each of which states its renames
    ///   from the previous one. If one of them does not have an entity or property, it is new in
    ///   the last.
    package init(
        from old: ManagedObjectModel, through between: [ManagedObjectModel] = [],
        to new: ManagedObjectModel
    ) {
        self.old = old
        self.new = new
        let models = [old] + between + [new]
        let steps =
            between.isEmpty
            ? [] : zip(models, models.dropFirst()).map { ModelPairing(from: $0, to: $1) }
        self.steps = steps
        if steps.isEmpty {
            oldNames = Self.partners(
                old.entities.map { ($0.name, $0.renamingIdentifier) },
                new.entities.map { ($0.name, $0.renamingIdentifier) })
        } else {
            var names: [String: String] = [:]
            for entity in new.entities {
                names[entity.name] = steps.reversed().reduce(entity.name as String?) { name, step in
                    name.flatMap(step.oldName)
                }
            }
            oldNames = names
        }
        newNames = Dictionary(oldNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the old entity that a new one continues, or `nil`.
    package func oldName(of entity: String) -> String? { oldNames[entity] }

    /// Returns the old entity that a mapping of a new one reads, unless the mapping names another.
    ///
    /// It is the one that the new entity continues. If another new entity continues that one, as in
    /// a split, it is the old entity of the renaming identifier, or else of the name.
    package func sourceName(of entity: String) -> String {
        if let name = oldName(of: entity) { return name }
        guard let identifier = new.entity(named: entity)?.renamingIdentifier else { return entity }
        if old.entity(named: identifier) != nil { return identifier }
        return old.entities.first { $0.renamingIdentifier == identifier }?.name ?? identifier
    }

    /// Returns the new entity that continues an old one, or `nil`.
    package func newName(of entity: String) -> String? { newNames[entity] }

    /// Returns the old attributes that a new entity's attributes continue, by their new names.
    ///
    /// Includes inherited attributes, since a property can move up or down the hierarchy.
    package func attributes(
        of entity: String, from oldEntity: String
    ) -> [String: AttributeDescription] {
        guard steps.isEmpty else {
            return composed(entity, oldEntity, \.name) { $0.attributes(of: $1, from: $2) }
        }
        let known = Dictionary(
            old.attributes(of: oldEntity).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Self.partners(
            known.values.map { ($0.name, $0.renamingIdentifier) },
            new.attributes(of: entity).map { ($0.name, $0.renamingIdentifier) }
        ).compactMapValues { known[$0] }
    }

    /// Returns the old relationships that a new entity's relationships continue, by their new
    /// names.
    package func relationships(
        of entity: String, from oldEntity: String
    ) -> [String: RelationshipDescription] {
        guard steps.isEmpty else {
            return composed(entity, oldEntity, \.name) { $0.relationships(of: $1, from: $2) }
        }
        let known = Dictionary(
            old.relationships(of: oldEntity).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        return Self.partners(
            known.values.map { ($0.name, $0.renamingIdentifier) },
            new.relationships(of: entity).map { ($0.name, $0.renamingIdentifier) }
        ).merging(explicit["\(entity) \(oldEntity)"] ?? [:]) { $1 }.compactMapValues { known[$0] }
    }

    /// Returns the properties of the first version, by following each step back from the last
    /// version.
    private func composed<Property>(
        _ entity: String, _ oldEntity: String, _ name: (Property) -> String,
        _ partners: (ModelPairing, String, String) -> [String: Property]
    ) -> [String: Property] {
        var entity = entity
        var found: [String: Property]?
        for (place, step) in steps.enumerated().reversed() {
            guard let before = place == 0 ? oldEntity : step.oldName(of: entity) else { return [:] }
            let known = partners(step, entity, before)
            found = found.map { $0.compactMapValues { known[name($0)] } } ?? known
            entity = before
        }
        return found ?? [:]
    }

    private typealias Name = (name: String, identifier: String?)

    /// Returns the old name that each new one continues, by new name.
    private static func partners(_ old: [Name], _ new: [Name]) -> [String: String] {
        let names = Set(old.map(\.name))
        let identified = Dictionary(
            old.sorted { $0.name < $1.name }.compactMap { name, identifier in
                identifier.map { ($0, name) }
            }, uniquingKeysWith: { first, _ in first })
        var partners: [String: String] = [:]
        var taken: Set<String> = []
        for (name, identifier) in new {
            guard let identifier else { continue }
            let known = names.contains(identifier) ? identifier : identified[identifier]
            guard let known, taken.insert(known).inserted else { continue }
            partners[name] = known
        }
        for (name, _) in new where partners[name] == nil && names.contains(name) {
            if taken.insert(name).inserted { partners[name] = name }
        }
        return partners
    }
}

extension AttributeType {
    /// Returns whether this type can hold every value of another type, for strings as its text.
    package func holdsEveryValue(of other: AttributeType) -> Bool {
        if self == other { return true }
        let whole: [AttributeType] = [.boolean, .integer16, .integer32, .integer64]
        return switch self {
        case .integer16: other == .boolean
        case .integer32: other == .boolean || other == .integer16
        case .integer64: whole.contains(other)
        case .double, .decimal:
            [.boolean, .integer16, .integer32].contains(other)
                || (self == .double && other == .float)
        case .float: other == .boolean || other == .integer16
        case .string: whole.contains(other) || other == .uri || other == .uuid
        default: false
        }
    }
}
