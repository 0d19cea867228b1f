import Diagnostics
import YAML

/// Checks that span several declarations of a model; all problems are reported at once.
struct ModelLints {
    let declared: ModelDeclarations
    let problems: YAMLProblems
    let entities: [String: EntityDeclaration]
    /// The entities by their parent's name; siblings in case-insensitive order, as stores number
    /// them.
    let children: [String: [EntityDeclaration]]
    let elements: CompositeElements

    /// The maximum number of ancestors, which bounds the cost of a hostile file.
    static let ancestorsMax = 64

    init(_ declared: ModelDeclarations, _ problems: YAMLProblems) {
        self.declared = declared
        self.problems = problems
        entities = Dictionary(declared.entities.map { ($0.name, $0) }) { first, _ in first }
        elements = CompositeElements(declared.composites)
        children = Dictionary(grouping: declared.entities) { $0.description.superentityName ?? "" }
            .mapValues { siblings in
                siblings.sorted {
                    ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name)
                }
            }
    }

    /// Runs every lint.
    func check() {
        let isTree = checkParents()
        checkNames()
        checkInheritedNames()
        checkRenamings()
        if isTree { checkColumns() }
        for entity in declared.entities {
            checkRelationships(entity)
            checkConstraints(entity)
            checkIndexes(entity)
            checkFetchedProperties(entity)
        }
        checkConfigurations()
        checkTemplates()
        checkComposites()
    }

    func error(
        _ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil
    ) {
        problems.report(Diagnostic(code: "model.\(code)", message, at: .source(place), fix: fix))
    }

    func warn(_ code: String, _ message: String, _ place: SourceLocation, fix: String? = nil) {
        problems.report(
            Diagnostic(.warning, code: "model.\(code)", message, at: .source(place), fix: fix))
    }

    /// Reports that the model has no entity of that name, with the closest name.
    func unknownEntity(_ name: String, _ place: SourceLocation) {
        let hint = Suggestion.phrase(for: name, among: declared.entities.map(\.name))
        error("unknown-entity", "No entity is named '\(name)'" + hint, place)
    }

    /// Returns the entity and its ancestors, nearest first.
    ///
    /// Stops if a parent is missing or repeats, and after `ancestorsMax` ancestors.
    func lineage(_ name: String) -> [EntityDeclaration] {
        var found: [EntityDeclaration] = []
        var next = entities[name]
        while let entity = next, found.count <= Self.ancestorsMax,
            !found.contains(where: { $0.name == entity.name })
        {
            found.append(entity)
            next = entity.description.superentityName.flatMap { entities[$0] }
        }
        return found
    }

    /// Returns whether all properties of an entity, including inherited ones, could be read.
    func hasLegibleProperties(_ name: String) -> Bool { lineage(name).allSatisfy(\.isLegible) }

    /// Returns the attributes that an entity declares itself, with their locations.
    ///
    /// Composites are replaced by their elements. A composite that cannot be expanded is returned
    /// itself.
    func attributes(
        _ entity: EntityDeclaration
    ) -> [(attribute: AttributeDescription, place: SourceLocation)] {
        var total = 0
        return entity.placedAttributes.flatMap { attribute, place in
            total += elements.size(of: attribute)
            // `checkComposites` reports the reason.
            let isTooMuch = attribute.type == .composite && total > CompositeElements.elementsMax
            let leaves = isTooMuch ? nil : try? elements.leaves(of: attribute)
            return (leaves ?? [attribute]).map { ($0, place) }
        }
    }

    /// Returns an attribute or an element of a composite by its name.
    ///
    /// A composite that cannot be expanded is returned for any element name.
    func attribute(_ name: String, of entity: String) -> AttributeDescription? {
        lineage(entity).lazy.flatMap { attributes($0).map(\.attribute) }.first {
            $0.name == name || ($0.type == .composite && name.isElement(of: $0.name))
        }
    }

    /// Returns whether the name is a composite, which has no column itself.
    func isComposite(_ name: String, of entity: String) -> Bool {
        lineage(entity).contains { entity in
            attributes(entity).contains { $0.attribute.name.isElement(of: name) }
        }
    }

    func relationship(_ name: String, of entity: String) -> RelationshipDescription? {
        lineage(entity).lazy.flatMap(\.description.ownRelationships).first { $0.name == name }
    }

    func propertyNames(of entity: String) -> [String] {
        lineage(entity).flatMap { declared in
            attributes(declared).map(\.attribute.name)
                + declared.description.ownRelationships.map(\.name)
        }
    }
}

extension ModelLints {
    /// Returns whether the parents form trees of at most `ancestorsMax` levels.
    private func checkParents() -> Bool {
        var told: Set<String> = []
        var isTree = true
        for entity in declared.entities {
            guard let parent = entity.description.superentityName,
                let place = entity.parentPlace
            else { continue }
            if entities[parent] == nil {
                unknownEntity(parent, place)
                continue
            }
            let chain = lineage(entity.name)
            let isCyclic = chain.last?.description.superentityName == entity.name
            let isDeep = chain.count > Self.ancestorsMax
            isTree = isTree && !isCyclic && !isDeep
            if isDeep, !isCyclic {
                error(
                    "parent-depth", "'\(entity.name)' has more than \(Self.ancestorsMax) ancestors",
                    place)
                return false
            }
            guard isCyclic, told.isDisjoint(with: chain.map(\.name)) else { continue }
            told.formUnion(chain.map(\.name))
            let names = (chain.map(\.name) + [entity.name]).joined(separator: " → ")
            error("parent-cycle", "'\(entity.name)' is its own ancestor: \(names)", place)
        }
        return isTree
    }

    private func checkConfigurations() {
        for configuration in declared.configurationMembers {
            var seen: Set<String> = []
            for member in configuration.members {
                if entities[member.name] == nil {
                    unknownEntity(member.name, member.place)
                } else if !seen.insert(member.name).inserted {
                    error(
                        "duplicate-name",
                        "'\(configuration.name)' lists '\(member.name)' already", member.place)
                }
            }
        }
    }
}
