import GraphModel

/// Makes entities of samples: attributes with types, keys, and relationships between them.
struct EntityInference {
    private var entities: [InferredEntity] = []
    private var taken: [TakenNames] = []
    /// The place of each entity by its name.
    private var places: [String: Int] = [:]
    private let drafts: [EntityDraft]

    /// The entities in an order in which every import finds what it refers to.
    static func entities(of samples: [Sample]) -> [InferredEntity] {
        let names = Set(samples.map { InferredNames.folded($0.entityName) })
        let guess = ReferenceGuess(samples.map { EntityDraft($0, entities: names) })
        var inference = EntityInference(drafts: guess.drafts)
        for draft in guess.order { inference.addAttributes(guess.drafts[draft]) }
        for draft in guess.order { inference.addReferences(guess.drafts[draft]) }
        return inference.entities
    }

    private init(drafts: [EntityDraft]) {
        self.drafts = drafts
    }

    private mutating func addAttributes(_ draft: EntityDraft) {
        let sample = draft.sample
        var entity = InferredEntity(name: draft.name)
        var names = TakenNames()
        for place in draft.leaves.indices where draft.references[place] == nil {
            let leaf = draft.leaves[place]
            let (type, note) = draft.type(place)
            let name = names.claim(property: InferredNames.property(leaf.path), of: draft.name)
            entity.attributes.append(
                InferredAttribute(
                    name: name, type: type, isRequired: leaf.isRequired, source: leaf.source,
                    note: note))
            if place == draft.keyPlace { entity.key = name }
        }
        entity.keyNote = draft.keyNote
        entity.notes = draft.notes
        if sample.hasNamelessField {
            entity.notes.append("a field without a name is left out, as no path can name it")
        }
        if sample.root.isTooWide {
            entity.notes.append("of more than 4096 fields the last ones are left out")
        }
        entity.stage = InferredImport(
            paths: sample.paths, format: sample.format, at: sample.at,
            delimiter: sample.delimiter, records: sample.records, isCut: sample.isCut)
        add(entity, names)
    }

    private mutating func add(_ entity: InferredEntity, _ names: TakenNames) {
        places[entity.name] = entities.count
        entities.append(entity)
        taken.append(names)
    }

    // MARK: Relationships

    private mutating func addReferences(_ draft: EntityDraft) {
        for place in draft.leaves.indices {
            guard let reference = draft.references[place] else { continue }
            if reference.isTag, places[reference.target] == nil { addTags(reference.target) }
            guard let source = places[draft.name], let target = places[reference.target],
                let key = entities[target].key
            else { continue }
            connect(reference, from: source, to: target, key: key)
        }
    }

    /// An entity of names alone.
    private mutating func addTags(_ name: String) {
        var names = TakenNames()
        let attribute = names.claim("name")
        add(
            InferredEntity(
                name: name,
                attributes: [
                    InferredAttribute(
                        name: attribute, type: .string, isRequired: true, source: attribute)
                ], key: attribute), names)
    }

    private mutating func connect(
        _ reference: EntityDraft.Reference, from source: Int, to target: Int, key: String
    ) {
        let leaf = reference.leaf
        let own = InferredNames.lowered(entities[source].name)
        let other = InferredNames.lowered(entities[target].name)
        let isParent = InferredNames.folded(leaf.name).hasPrefix("parent")
        let wanted = isParent ? "parent" : reference.isMany ? InferredNames.plural(other) : other
        let name = taken[source].claim(
            property: reference.isTag ? InferredNames.property(leaf.path) : wanted,
            of: entities[source].name)
        let inverse = taken[target].claim(
            property: isParent ? "children" : InferredNames.plural(own),
            of: entities[target].name)
        entities[source].relationships.append(
            InferredRelationship(
                name: name, target: entities[target].name, isMany: reference.isMany,
                inverse: inverse))
        entities[target].relationships.append(
            InferredRelationship(
                name: inverse, target: entities[source].name, isMany: true, inverse: name))
        let values = reference.isMany ? "item" : "value"
        let targetName = entities[target].name
        entities[source].stage?.links.append(
            InferredLink(
                relationship: name, by: key,
                source: leaf.source + (reference.isMany ? "[*]" : ""), creates: reference.isTag,
                note: reference.isTag
                    ? "guessed: looks like tags; a set keeps no order"
                    : "guessed: every \(values) is the \(key) of some \(targetName)"
                        + (reference.isMany ? "; a set keeps no order" : "")))
    }
}
