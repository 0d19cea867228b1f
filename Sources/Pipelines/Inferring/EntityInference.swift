import GraphModel

/// Makes entities of samples: attributes with types, keys, and relationships between them.
struct EntityInference {
    /// In an order in which every import finds what it refers to.
    private(set) var entities: [InferredEntity] = []
    /// Imports of what stands between entities, to run behind theirs.
    private(set) var joins: [InferredJoin] = []
    private var stages = TakenNames()
    private var taken: [TakenNames] = []
    /// The place of each entity by its name.
    private var places: [String: Int] = [:]

    init(_ samples: [Sample]) {
        let names = Set(samples.map { InferredNames.folded($0.entityName) })
        let guess = ReferenceGuess(samples.map { EntityDraft($0, entities: names) })
        let drafts = guess.order.map { guess.drafts[$0] }
        for draft in drafts where draft.pair == nil { addAttributes(draft) }
        for draft in drafts where draft.pair == nil { addReferences(draft) }
        for draft in drafts { if let pair = draft.pair { addJoin(draft, pair) } }
    }

    private mutating func stage(_ draft: EntityDraft) -> InferredImport {
        let sample = draft.sample
        return InferredImport(
            name: stages.claim(InferredNames.stage(ofEntity: draft.name)), paths: sample.paths,
            format: sample.format, at: sample.at, delimiter: sample.delimiter,
            records: sample.records, isCut: sample.isCut)
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
                    name: name, type: type, isRequired: place == draft.keyPlace,
                    isEverywhere: leaf.isEverywhere, source: leaf.source,
                    words: type == .boolean ? leaf.node.facts.truthWords : nil, note: note))
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
        entity.stage = stage(draft)
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

    /// The field's own name: `manager` for `ManagerId`.
    private static func name(_ reference: EntityDraft.Reference) -> String {
        let name = InferredNames.property(reference.leaf.path)
        let isKey = !reference.isMany && !reference.isTag && name.lowercased().hasSuffix("id")
        return isKey && name.count > 2 ? String(name.dropLast(2)) : name
    }

    /// A table of pairs, each of which is one object of a to-many relationship.
    private mutating func addJoin(_ draft: EntityDraft, _ pair: [EntityDraft.Reference]) {
        guard let source = places[pair[0].target], let target = places[pair[1].target],
            let key = entities[source].key, let otherKey = entities[target].key
        else { return }
        let (own, other) = (entities[source].name, entities[target].name)
        let name = taken[source].claim(
            property: InferredNames.plural(InferredNames.lowered(other)), of: own)
        let inverse = taken[target].claim(
            property: InferredNames.plural(InferredNames.lowered(own)), of: other)
        entities[source].relationships.append(
            InferredRelationship(name: name, target: other, isMany: true, inverse: inverse))
        entities[target].relationships.append(
            InferredRelationship(name: inverse, target: own, isMany: true, inverse: name))
        var stage = stage(draft)
        stage.links.append(
            InferredLink(
                relationship: name, by: otherKey, source: pair[1].leaf.source, adds: true,
                note: "guessed: every value is the \(otherKey) of some \(other)"))
        joins.append(
            InferredJoin(stage: stage, entity: own, key: key, keySource: pair[0].leaf.source))
    }

    private mutating func connect(
        _ reference: EntityDraft.Reference, from source: Int, to target: Int, key: String
    ) {
        let leaf = reference.leaf
        let own = InferredNames.lowered(entities[source].name)
        let other = InferredNames.lowered(entities[target].name)
        let isParent = InferredNames.folded(leaf.name).hasPrefix("parent")
        let wanted = reference.isMany ? InferredNames.plural(other) : other
        let name = taken[source].claim(
            property: isParent
                ? "parent"
                : reference.isTag || source == target ? Self.name(reference) : wanted,
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
