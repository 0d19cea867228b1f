import GraphModel
import RecordStreams

/// Infers entities from samples: typed attributes, keys, and relationships between the entities.
struct EntityInference {
    /// The entities in an order in which every import finds the objects that it refers to.
    private(set) var entities: [InferredEntity] = []
    /// The imports of join tables, which run after those of the entities.
    private(set) var joins: [InferredJoin] = []
    /// The fields of the inputs by their entities, for the HTML report.
    private(set) var fields: [String: [InferredField]] = [:]
    /// The keys that may fill links of the store.
    private(set) var storedLinks: [StoredLinkKeys] = []
    private var stages = TakenNames()
    private var taken: [TakenNames] = []
    /// The index of each entity by its name.
    private var places: [String: Int] = [:]
    /// The properties that fields became, by the entity and the index of the field.
    private var properties: [String: [Int: String]] = [:]
    /// Whether properties record their origin for later imports.
    private let keepsOrigins: Bool
    /// The maximum number of records of a sample to read.
    private let limit: Int

    /// Infers the entities of all samples.
    ///
    /// - Parameter stored: The entities of the store to which records may refer.
    init(
        _ samples: [Sample], _ known: InferenceOptions, stored: [StoredEntity] = []
    ) throws(RecordStreamError) {
        keepsOrigins = known.isOfImport
        limit = known.limit ?? .max
        let guess = DailyFiles.guess(try DraftList(samples, known, stored).drafts, known)
        let drafts = try Keys.added(to: guess.drafts, known)
        let order = guess.order.filter { drafts[$0].owner == nil || drafts[$0].key != nil }
        for place in order where drafts[place].pair == nil { addAttributes(drafts[place]) }
        for place in order where drafts[place].pair == nil { addNested(drafts[place], drafts) }
        for place in order where drafts[place].pair == nil {
            try addReferences(drafts[place], drafts)
        }
        for place in order {
            addKey(drafts[place], drafts)
            if let found = places[drafts[place].name] {
                entities[found].day = DailyFiles.day(drafts[place], known)
            }
        }
        for place in order {
            if let pair = drafts[place].pair { try addJoin(drafts[place], pair, drafts) }
        }
        for place in order { addFields(drafts[place]) }
        guard let model = known.storeModel, !stored.isEmpty else { return }
        storedLinks = try StoredLinkKeys.all(in: drafts, model, limit: limit)
    }

    /// Adds the fields of a draft with their properties, for the HTML report.
    private mutating func addFields(_ draft: EntityDraft) {
        guard let place = places[draft.name] else { return }
        fields[draft.name] = draft.leaves.enumerated().compactMap { field, leaf in
            guard let name = properties[draft.name]?[field] else { return nil }
            let entity = entities[place]
            let attribute = entity.attributes.first { $0.name == name }
            let link = entity.links.first { $0.relationship == name }
            let target = entity.relationships.first { $0.name == name }?.target ?? ""
            return InferredField(
                source: leaf.source,
                becomes: attribute.map { "\(name): \($0.type.rawValue)" } ?? "\(name) → \(target)",
                profile: leaf.node.profile, evidence: attribute?.note ?? link?.note)
        }
    }

    private mutating func stages(_ draft: EntityDraft) -> [InferredImport] {
        let sample = draft.sample
        return sample.parts.map { part in
            InferredImport(
                name: stages.claim(InferredNames.stage(ofEntity: draft.name)), paths: part.patterns,
                form: part.form,
                nulls: part.form.columns == nil ? [] : sample.nulls,
                nullMarkers: part.form.columns == nil ? [] : sample.nullMarkers,
                records: sample.records, isTruncated: sample.isTruncated)
        }
    }

    private mutating func addAttributes(_ draft: EntityDraft) {
        let sample = draft.sample
        var entity = InferredEntity(name: draft.name)
        let places = draft.leaves.indices.filter { place in
            draft.references[place] == nil && draft.nested[place] == nil
                && !draft.repeated.contains(place)
        }
        var (names, claimed) = Self.names(of: places.map { draft.leaves[$0] }, draft.name)
        for (place, name) in zip(places, claimed) {
            let leaf = draft.leaves[place]
            let guess = draft.type(place)
            entity.attributes.append(
                InferredAttribute(
                    name: name, type: guess.type,
                    isRequired: draft.key?.places.contains(place) == true,
                    isEverywhere: leaf.isEverywhere && draft.records > 0, source: leaf.source,
                    words: guess.words
                        ?? (guess.type == .boolean ? leaf.node.facts.truthWords : nil),
                    date: guess.date, isDateGiven: draft.givenDates[place] != nil,
                    number: guess.number, note: guess.note,
                    isRemark: guess.isRemark, isOpenNumber: guess.isOpenNumber,
                    isEmpty: leaf.hasNoValue, holdsScalars: leaf.holdsScalars,
                    facts: leaf.node.facts,
                    origin: origin(leaf, fills: name, draft, guess)))
            properties[draft.name, default: [:]][place] = name
        }
        if draft.usesRowKey {
            let name = names.claim(InferredNames.rowKey)
            entity.attributes.insert(
                InferredAttribute(
                    name: name, type: .string, isRequired: true, source: "", isRowKey: true,
                    note: draft.rowKeyNote,
                    origin: keepsOrigins ? Self.rowKeyOrigin(draft) : nil), at: 0)
            entity.key = [name]
            entity.possibleKey = draft.possibleKey
        }
        entity.sources = draft.leaves.map(\.source)
        entity.nullObjects = draft.nullObjects
        entity.notes = draft.notes + draft.unlinked
        entity.unlinked = draft.unlinked
        entity.repeats = draft.repeats
        if draft.records == 0 {
            entity.notes.append("no record to look at: all is guessed by the names of the columns")
        }
        if draft.owner == nil, sample.hasNamelessField {
            entity.notes.append("a field without a name is left out, as no path can name it")
        }
        if draft.root.isTooWide {
            entity.notes.append("of more than 4096 fields the last ones are left out")
        }
        entity.records = draft.records
        if draft.owner == nil, !draft.isStored { entity.stages = stages(draft) }
        if keepsOrigins, draft.owner == nil {
            entity.origin = TableOrigin(
                escape: draft.sample.inputs.lazy.compactMap(\.form.escape).first)
        }
        add(entity, names)
    }

    /// Returns the names of the attributes that fields become.
    ///
    /// The names do not depend on the order of the fields. Of `Name` and `name`, the second one
    /// keeps its name, and the first one becomes `name2`.
    private static func names(
        of leaves: [Leaf], _ entity: String
    ) -> (taken: TakenNames, names: [String]) {
        var taken = TakenNames()
        var names = leaves.map { InferredNames.property($0.path) }
        let order = leaves.indices.sorted { one, other in
            let (first, second) = (leaves[one].source, leaves[other].source)
            let (isOwn, isOtherOwn) = (names[one] == first, names[other] == second)
            return isOwn == isOtherOwn
                ? first.utf8.lexicographicallyPrecedes(second.utf8) : isOwn
        }
        for place in order { names[place] = taken.claim(property: names[place], of: entity) }
        return (taken, names)
    }

    private func origin(
        _ leaf: Leaf, fills property: String, _ draft: EntityDraft, _ guess: TypeGuess? = nil
    ) -> PropertyOrigin? {
        guard keepsOrigins else { return nil }
        var origin = PropertyOrigin(leaf.source, fills: property)
        origin.nulls = draft.sample.nulls + leaf.node.nulls.map(\.text)
        (origin.date, origin.number) = (guess?.date, guess?.number)
        return origin
    }

    /// Returns the fields of a row key; `nil` if the key cannot be limited to named fields.
    private static func rowKeyOrigin(_ draft: EntityDraft) -> PropertyOrigin? {
        // A column that is missing or has another name in some table cannot be in its row keys.
        let leaves = draft.leaves.filter { leaf in
            draft.sample.inputs.allSatisfy { $0.form.source(of: leaf.source) == leaf.source }
        }
        // With an escape character, the import hashes the raw row.
        guard !draft.root.isTooWide, !draft.sample.hasNamelessField, !leaves.isEmpty,
            draft.sample.inputs.allSatisfy({ $0.form.escape == nil })
        else { return nil }
        var origin = PropertyOrigin("", fills: "")
        origin.rowKey = RowKeyFields(leaves.map(\.source))
        // A row has all columns, but a JSON record may lack a field.
        let needed = leaves.filter(\.isEverywhere).map(\.source)
        if draft.sample.columns == nil, needed.count < leaves.count {
            origin.needed = RowKeyFields(needed)
        }
        return origin
    }

    private mutating func add(_ entity: InferredEntity, _ names: TakenNames) {
        places[entity.name] = entities.count
        entities.append(entity)
        taken.append(names)
    }

    /// Sets the key of an entity if all fields of the key became properties.
    private mutating func addKey(_ draft: EntityDraft, _ drafts: [EntityDraft]) {
        guard let place = places[draft.name], let key = draft.key else { return }
        var names = key.places.compactMap { properties[draft.name]?[$0] }
        guard names.count == key.places.count else { return }
        if key.isScoped, let owner = draft.owner,
            let inverse = properties[drafts[owner.draft].name]?[owner.leaf].flatMap({ name in
                entities[places[drafts[owner.draft].name] ?? 0].relationships
                    .first { $0.name == name }?.inverse
            })
        {
            names.insert(inverse, at: 0)
        }
        entities[place].key = names
        entities[place].keyNote = key.note
        entities[place].isOfDumps = key.isOfDumps
    }

    // MARK: Relationships

    /// Adds relationships to objects inside the records.
    private mutating func addNested(_ draft: EntityDraft, _ drafts: [EntityDraft]) {
        guard let source = places[draft.name] else { return }
        for (leaf, child) in draft.nested.sorted(by: { $0.key < $1.key }) {
            let nested = drafts[child]
            guard let target = places[nested.name] else { continue }
            let name = taken[source].claim(
                property: InferredNames.property(draft.leaves[leaf].path), of: draft.name)
            let inverse = taken[target].claim(
                property: InferredNames.lowered(draft.name), of: nested.name)
            entities[source].relationships.append(
                InferredRelationship(
                    name: name, target: nested.name, isMany: true, inverse: inverse,
                    origin: origin(draft.leaves[leaf], fills: name, draft)))
            entities[target].relationships.append(
                InferredRelationship(
                    name: inverse, target: draft.name, isMany: nested.isShared, inverse: name))
            entities[source].links.append(
                InferredLink(
                    relationship: name, by: "", source: draft.leaves[leaf].source + "[*]",
                    nested: nested.name, note: "a set keeps no order"))
            properties[draft.name, default: [:]][leaf] = name
        }
    }

    private mutating func addReferences(
        _ draft: EntityDraft, _ drafts: [EntityDraft]
    ) throws(RecordStreamError) {
        for place in draft.leaves.indices {
            guard let reference = draft.references[place] else { continue }
            if reference.isTag, places[reference.target] == nil { addTags(reference.target) }
            guard let source = places[draft.name], let target = places[reference.target] else {
                continue
            }
            properties[draft.name, default: [:]][place] = try connect(
                reference, of: draft, from: source, to: target,
                isKey: draft.key?.places.contains(place) == true, drafts)
        }
    }

    /// Adds an entity with a name as its only attribute.
    private mutating func addTags(_ name: String) {
        var names = TakenNames()
        let attribute = names.claim("name")
        add(
            InferredEntity(
                name: name,
                attributes: [
                    InferredAttribute(
                        name: attribute, type: .string, isRequired: true, source: attribute)
                ], key: [attribute]), names)
    }

    /// Returns the name of a relationship, which is the field's name without the key.
    ///
    /// For example, `manager` for `ManagerId`, `songs` for `songIds`, and `product` for
    /// `productSku` if `sku` is the key.
    private static func name(_ reference: EntityDraft.Reference, key: String) -> String {
        let name = InferredNames.property(reference.leaf.path)
        guard !reference.isTag else { return name }
        let ending = InferredNames.capitalized(key)
        if name.hasSuffix(ending), name.count > ending.count {
            return String(name.dropLast(ending.count))
        }
        if reference.isMany, name.hasSuffix("Ids"), name.count > 3 { return name.dropLast(3) + "s" }
        return name.lowercased().hasSuffix("id") && name.count > 2 ? String(name.dropLast(2)) : name
    }

    /// Returns the key attribute of an entity to which fields refer.
    private func key(of place: Int) -> String {
        if let key = entities[place].key.first { return key }
        return entities[place].attributes.first { $0.isRequired }?.name ?? ""
    }

    /// Adds the import of a join table; each record is one link of a to-many relationship.
    private mutating func addJoin(
        _ draft: EntityDraft, _ pair: [EntityDraft.Reference], _ drafts: [EntityDraft]
    ) throws(RecordStreamError) {
        guard let source = places[pair[0].target], let target = places[pair[1].target] else {
            return
        }
        let (own, other) = (entities[source].name, entities[target].name)
        let name = taken[source].claim(property: InferredNames.lowered(other), of: own)
        let inverse = taken[target].claim(property: InferredNames.lowered(own), of: other)
        entities[source].relationships.append(
            InferredRelationship(name: name, target: other, isMany: true, inverse: inverse))
        entities[target].relationships.append(
            InferredRelationship(name: inverse, target: own, isMany: true, inverse: name))
        let keys = (own: key(of: source), other: key(of: target))
        var dangling: [DanglingKeys?] = []
        for (end, key) in zip(pair, [keys.own, keys.other]) {
            dangling.append(
                try DanglingKeys(
                    end, of: draft, filling: name, to: drafts.first { $0.name == end.target },
                    key: key, isRejected: true, limit: limit))
        }
        func evidence(_ end: Int, _ key: String, of entity: String) -> String {
            draft.records == 0 || draft.storedPair != nil
                ? "guessed by the names of the columns"
                : dangling[end]?.evidence
                    ?? "guessed: every value is the \(key) of some \(entity)"
        }
        let notes = (own: evidence(0, keys.own, of: own), other: evidence(1, keys.other, of: other))
        joins.append(
            InferredJoin(
                name: draft.name, stages: stages(draft), entity: own, key: keys.own,
                keySource: pair[0].leaf.source,
                hasUnknownOwners: pair[0].unknown > 0
                    || draft.storedPair != nil && !pair[0].isKnown(in: drafts),
                dangling: dangling.compactMap(\.self),
                link: InferredLink(
                    relationship: name, by: keys.other, source: pair[1].leaf.source, adds: true,
                    isNeeded: draft.storedPair != nil, note: notes.other)))
        fields[draft.name] = [
            InferredField(
                source: pair[0].leaf.source, becomes: "\(other).\(inverse) → \(own)",
                profile: pair[0].leaf.node.profile, evidence: notes.own),
            InferredField(
                source: pair[1].leaf.source, becomes: "\(own).\(name) → \(other)",
                profile: pair[1].leaf.node.profile, evidence: notes.other),
        ]
    }

    /// Adds the relationship for a reference, its inverse, and its link.
    ///
    /// - Parameter isKey: Whether the reference is in the key, so that no object lacks it.
    /// - Returns: The relationship's name.
    private mutating func connect(
        _ reference: EntityDraft.Reference, of draft: EntityDraft, from source: Int,
        to target: Int, isKey: Bool, _ drafts: [EntityDraft]
    ) throws(RecordStreamError) -> String {
        let leaf = reference.leaf
        let key = key(of: target)
        let own = InferredNames.lowered(entities[source].name)
        let folded = InferredNames.folded(leaf.name)
        let isParent = folded.hasPrefix("parent") && source == target
        let endings = ["", "id", InferredNames.folded(key)]
        let isPlain = endings.contains(String(folded.dropFirst("parent".count)))
        let name = taken[source].claim(
            property: isParent && isPlain ? "parent" : Self.name(reference, key: key),
            of: entities[source].name)
        let inverse = taken[target].claim(
            property: isParent ? "children" : own, of: entities[target].name)
        let dangling = try DanglingKeys(
            reference, of: draft, filling: name, to: drafts.first { $0.name == reference.target },
            key: key, isRejected: isKey, limit: limit)
        let isReported = dangling.map { !$0.isRejected } ?? false
        if let dangling { entities[source].dangling.append(dangling) }
        var origin = origin(leaf, fills: name, draft)
        origin?.reportsMissing = isReported
        entities[source].relationships.append(
            InferredRelationship(
                name: name, target: entities[target].name, isMany: reference.isMany,
                inverse: inverse, origin: origin))
        entities[target].relationships.append(
            InferredRelationship(
                name: inverse, target: entities[source].name, isMany: true, inverse: name))
        let isList = reference.isMany && leaf.node.items != nil
        let values = reference.isMany ? "item" : "value"
        let targetName = entities[target].name
        let evidence =
            entities[source].records == 0
            ? "guessed by the name of the column"
            : dangling?.evidence ?? "guessed: every \(values) is the \(key) of some \(targetName)"
        entities[source].links.append(
            InferredLink(
                relationship: name, by: key,
                source: leaf.source + (isList ? "[*]" : ""),
                isSplit: reference.isMany && !isList, creates: reference.isTag,
                isReported: isReported,
                note: reference.isTag
                    ? "guessed: looks like tags; a set keeps no order"
                    : evidence + (reference.isMany ? "; a set keeps no order" : "")))
        return name
    }
}

/// The drafts of all samples and of the objects in lists of their records.
private struct DraftList {
    private(set) var drafts: [EntityDraft] = []
    private let around: EntityDraft.Surroundings
    private var names = TakenNames()

    init(
        _ samples: [Sample], _ known: InferenceOptions, _ stored: [StoredEntity]
    ) throws(RecordStreamError) {
        around = EntityDraft.Surroundings(samples, known, stored: stored)
        for sample in samples { _ = names.claim(sample.entityName) }
        for sample in samples {
            var draft = EntityDraft(sample, around)
            try draft.takeRepeatedKey(around, limit: known.limit ?? .max)
            drafts.append(draft)
            addNested(drafts.count - 1)
        }
        for entity in stored { add(entity) }
    }

    /// Adds an entity of the store, or adds its keys to the draft of the same entity.
    private mutating func add(_ stored: StoredEntity) {
        let own = drafts.indices.filter {
            InferredNames.match(drafts[$0].name, [stored.name]) != nil
        }
        guard !own.isEmpty else {
            drafts.append(EntityDraft(stored, around))
            return
        }
        let key = InferredNames.folded(stored.key.name)
        for place in own
        where drafts[place].keyLeaf.map({ InferredNames.folded($0.name) }) == key {
            drafts[place].storedKeys = stored.values
        }
    }

    private mutating func addNested(_ place: Int) {
        for (leaf, items, element) in drafts[place].objectLists {
            let draft = drafts[place]
            let own = InferredNames.entity(ofField: draft.leaves[leaf].name)
            var trial = names
            let name =
                trial.claim(own) == own
                ? names.claim(own) : names.claim(draft.name + own)
            drafts[place].nested[leaf] = drafts.count
            drafts.append(
                EntityDraft(
                    name: name, draft.sample, element, records: items.facts.objects,
                    owner: EntityDraft.Owner(draft: place, leaf: leaf), around))
            addNested(drafts.count - 1)
        }
    }
}

/// Adds keys to drafts in which no single field is the key.
private enum Keys {
    static func added(
        to drafts: [EntityDraft], _ known: InferenceOptions
    ) throws(RecordStreamError) -> [EntityDraft] {
        var drafts = drafts
        for place in drafts.indices where drafts[place].key == nil {
            if drafts[place].owner != nil {
                drafts[place].key = key(ofNested: drafts[place])
            } else if drafts[place].pair == nil {
                if let places = try CompositeKeys(drafts[place]).places(known) {
                    let records = ReportNumbers.several(drafts[place].records, "record")
                    drafts[place].key = EntityDraft.Key(
                        places: places, note: "guessed: together unique in \(records)")
                } else {
                    drafts[place].usesRowKey = true
                }
            }
        }
        // Lists of objects that no field identifies are kept as JSON.
        for place in drafts.indices {
            for (leaf, child) in drafts[place].nested where isLeft(child, drafts) {
                drafts[place].nested[leaf] = nil
            }
        }
        for place in drafts.indices where isLeft(place, drafts) { drafts[place].key = nil }
        return drafts
    }

    /// Returns whether nested objects stay JSON in their owner, because nothing identifies them.
    private static func isLeft(_ place: Int, _ drafts: [EntityDraft]) -> Bool {
        guard let owner = drafts[place].owner else { return false }
        return drafts[place].key == nil || isLeft(owner.draft, drafts)
    }

    /// Returns a reference that is unique among the objects of one owner, as their key.
    private static func key(ofNested draft: EntityDraft) -> EntityDraft.Key? {
        let place = draft.references.keys.sorted().first { place in
            let reference = draft.references[place]
            let leaf = draft.leaves[place]
            return reference?.isMany == false && reference?.unknown == 0 && leaf.isEverywhere
                && leaf.node.distinct?.hasRepeats == false && leaf.node.distinct?.isWhole == true
        }
        return place.map {
            EntityDraft.Key(
                places: [$0], isScoped: true,
                note:
                    "guessed: unique in each list of \(ReportNumbers.several(draft.records, "object"))"
            )
        }
    }
}
