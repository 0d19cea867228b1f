import GraphModel
import RecordStreams

/// An entity that is being inferred, with the fields of its records and the role of each field.
struct EntityDraft {
    /// A field that refers to objects of a known entity.
    struct Reference {
        var leaf: Leaf
        /// The name of the entity, which has its own draft or, for tags, is created for this
        /// reference.
        var target: String
        var isMany: Bool
        var isTag = false
        /// The number of distinct values of the field that are not the key of any object.
        var unknown = 0

        /// Returns whether each value is the key of an object.
        func isKnown(in drafts: [EntityDraft]) -> Bool {
            guard let values = leaf.node.distinct, values.isWhole else { return false }
            return drafts.first { $0.name == target }?.hasKeys(values) == true
        }
    }

    /// The position of nested objects in the records of another entity.
    struct Owner {
        /// The index of the owner's draft.
        var draft: Int
        /// The index of the field that holds the list of objects.
        var leaf: Int
    }

    /// The fields that identify a record.
    struct Key {
        /// The indices of the fields, one or more.
        var places: [Int]
        /// Whether the key is unique only among the objects of one owner.
        var isScoped = false
        /// Whether files are repeated dumps of the same objects, so that the record in the last
        /// file wins.
        var isOfDumps = false
        var note: String?
    }

    /// The facts about the other inputs and the store that the inference of one entity uses.
    struct Surroundings {
        /// The names of all entities without case and separators, unchanged and in the singular.
        var entities: Set<String> = []
        /// The number of tables whose first column has a name; names are without case and
        /// separators.
        var firstColumns: [String: Int] = [:]
        var known = InferenceOptions()

        init(
            _ samples: [Sample], _ known: InferenceOptions, stored: [StoredEntity] = []
        ) {
            self.known = known
            for entity in stored {
                entities.insert(InferredNames.folded(entity.name))
                entities.insert(InferredNames.folded(InferredNames.singular(entity.name)))
            }
            for sample in samples {
                entities.insert(InferredNames.folded(sample.entityName))
                entities.insert(
                    InferredNames.folded(InferredNames.singular(sample.entityName)))
                guard let first = sample.columns?.first else { continue }
                firstColumns[InferredNames.folded(first), default: 0] += 1
            }
        }
    }

    let name: String
    let sample: Sample
    let root: FieldNode
    /// The number of objects that were read.
    let records: Int
    let owner: Owner?
    private(set) var leaves: [Leaf] = []
    /// The paths of objects that some record has null for.
    private(set) var nullObjects: [String] = []
    var key: Key?
    /// Whether objects with the same key occur under several owners and are equal.
    private(set) var isShared = false
    /// Whether only all fields together identify a record.
    var usesRowKey = false
    /// For each field that refers to another entity, by its index in `leaves`: the reference.
    var references: [Int: Reference] = [:]
    /// For each field that holds a list of objects, by its index in `leaves`: the index of the
    /// draft of these objects.
    var nested: [Int: Int] = [:]
    /// The two references of a join table that the store already knows as a relationship.
    ///
    /// The names of the columns decide this, regardless of the values.
    var storedPair: [Reference]?
    /// The indexes in `leaves` of fields that become no property, because another reference has the
    /// same content.
    var repeated: Set<Int> = []
    /// Notes for the user about what could not be inferred.
    var notes: [String] = []
    /// The fields whose names suggest a reference that their values do not confirm, with the reason.
    var unlinked: [String] = []
    /// Whether the records are objects of the store and not of any input.
    private(set) var isStored = false
    /// The keys of the entity's objects in the store.
    var storedKeys: DistinctValues?
    /// The records that repeat a value of a field that looks like the key.
    private(set) var repeats: RepeatedKey?
    private var givenTypes: [Int: AttributeType] = [:]
    /// The date patterns that the user specified, by the index of the field.
    private(set) var givenDates: [Int: String] = [:]
    /// The decimal separator of the table's numbers; `nil` unless the values of a column prove it.
    private(set) var decimalMark: Character?
    private var isTable: Bool { owner == nil && sample.isTable }

    /// The field that identifies records by itself; `nil` if the key has several or is scoped.
    var keyLeaf: Leaf? { keyPlace.map { leaves[$0] } }
    var keyPlace: Int? {
        guard let key, key.places.count == 1, !key.isScoped else { return nil }
        return key.places[0]
    }

    /// Creates a draft of a sample's records.
    init(_ sample: Sample, _ around: Surroundings) {
        self.init(
            name: sample.entityName, sample, sample.root, records: sample.records, owner: nil,
            around)
    }

    /// Creates a draft of a store's objects whose entity is in no input.
    init(_ stored: StoredEntity, _ around: Surroundings) {
        self.init(
            name: stored.name, stored.sample, stored.root, records: stored.count, owner: nil,
            around)
        givenTypes = [0: stored.key.type]
        key = Key(places: [0])
        isStored = true
    }

    /// Returns whether each value is the key of a record or of the entity's objects in the store.
    func hasKeys(_ values: DistinctValues) -> Bool {
        guard let keys = keyLeaf?.node.distinct else { return false }
        return values.isSubset(of: keys, or: storedKeys)
    }

    /// Returns the number of values that are the key of no object; `nil` without known keys.
    func unknownCount(of values: DistinctValues) -> Int? {
        keyLeaf?.node.distinct.map { values.missingCount(in: $0, or: storedKeys) }
    }

    /// Returns whether the value with a hash is the key of an object.
    func hasKey(_ hash: UInt64) -> Bool {
        keyLeaf?.node.distinct?.contains(hash) == true || storedKeys?.contains(hash) == true
    }

    init(
        name: String, _ sample: Sample, _ root: FieldNode, records: Int, owner: Owner?,
        _ around: Surroundings
    ) {
        self.name = name
        self.sample = sample
        self.root = root
        self.records = records
        self.owner = owner
        for member in root.members { collect(member, []) }
        for (place, leaf) in leaves.enumerated() {
            givenTypes[place] = around.known.types[leaf.source] ?? around.known.types[leaf.name]
            givenDates[place] = around.known.dates[leaf.source] ?? around.known.dates[leaf.name]
        }
        let marks = Set(leaves.compactMap(\.node.facts.decimalMark))
        decimalMark = marks.count == 1 ? marks.first : nil
        key = owner == nil ? givenKey(around.known.key) ?? ownKey(around) : nestedKey(around)
    }

    // MARK: Fields

    private mutating func collect(_ node: FieldNode, _ parent: [String]) {
        guard !node.name.isEmpty, !node.isLeftOut else { return }
        let path = parent + [node.text]
        let facts = node.facts
        let isObject = facts.count > 0 && facts.objects == facts.count
        let hasNameless = node.members.contains { $0.name.isEmpty }
        if isObject, !node.isTooWide, !node.members.isEmpty, !hasNameless {
            if node.hasNulls {
                nullObjects.append(path.map(FieldPath.escaped).joined(separator: "."))
            }
            for member in node.members { collect(member, path) }
            return
        }
        leaves.append(
            Leaf(
                node: node, path: path,
                source: isTable
                    ? node.text : path.map(FieldPath.escaped).joined(separator: "."),
                isEverywhere: facts.count == records && !node.comesTwice))
    }

    /// The fields that hold only lists of objects, with the merged structure of these objects.
    var objectLists: [(place: Int, items: ListFacts, element: FieldNode)] {
        leaves.indices.compactMap { place in
            let node = leaves[place].node
            guard let items = node.items, node.facts.lists == node.facts.count, !items.hasNulls,
                items.facts.objects > 0, items.facts.objects == items.facts.count,
                let element = items.element, !element.isTooWide, !element.members.isEmpty,
                !element.members.contains(where: { $0.name.isEmpty })
            else { return nil }
            return (place, items, element)
        }
    }

    /// Returns the type of a field, the format of its values, and a note for the user.
    func type(_ place: Int) -> TypeGuess {
        let leaf = leaves[place]
        let facts = leaf.node.facts
        if let type = givenTypes[place] {
            var guess = facts.guess(named: leaf.name, given: type, decimal: decimalMark)
            if let pattern = givenDates[place] { (guess.date, guess.number) = (pattern, nil) }
            return guess
        }
        let isNumber =
            key?.places.contains(place) == true && !KeyNames.isCode(InferredNames.folded(leaf.name))
        var found = facts.guess(named: leaf.name, isKey: isNumber, decimal: decimalMark)
        guard found.type == .transformable, found.note == nil else { return found }
        guard facts.lists == facts.count else {
            found.note = "an object, kept as JSON"
            return found
        }
        let hasObjects = (leaf.node.items?.facts.objects ?? 0) > 0
        found.note =
            hasObjects
            ? "a list of objects, kept as JSON, because no field identifies them"
            : "a list, kept as JSON"
        return found
    }

    // MARK: Key

    /// Returns the key that the user specified.
    private func givenKey(_ names: [String]) -> Key? {
        let places = names.compactMap { name in
            leaves.firstIndex { $0.source == name }
                ?? leaves.firstIndex { InferredNames.property($0.path) == name }
        }
        guard !names.isEmpty, places.count == names.count else { return nil }
        return Key(places: places)
    }

    private func ownKey(_ around: Surroundings) -> Key? {
        let found = leaves.indices.filter { mayBeKey(leaves[$0]) }
            .compactMap { place in rank(place, around).map { (rank: $0, place: place) } }
            .min { ($0.rank, $0.place) < ($1.rank, $1.place) }
        return found.flatMap { key($0.place, isFirst: $0.rank == KeyNames.firstColumn) }
    }

    /// The minimum number of records whose different values in a field are probably no chance.
    private static let possibleKeyRecordsMin = 20

    /// The first field with a different word or number in each of many records, although its name
    /// does not suggest a key; `nil` if there is none.
    var possibleKey: String? {
        guard owner == nil, records >= Self.possibleKeyRecordsMin else { return nil }
        return leaves.first { leaf in
            mayBeKey(leaf) && leaf.node.facts.isOneWord && leaf.node.distinct?.count == records
        }?.source
    }

    /// The reason why all fields together are the key.
    var rowKeyNote: String {
        let reason = "no field identifies a record, so all fields do"
        guard let field = possibleKey else { return reason }
        return reason + "; \(field) has a different value in each record: if it is the key, "
            + "--key \(CommandExample.shell(field))"
    }

    private func key(_ place: Int, isFirst: Bool) -> Key? {
        guard let distinct = leaves[place].node.distinct else { return nil }
        var key = Key(places: [place])
        if records == 0 {
            key.note = "guessed by its name"
        } else if distinct.isFull {
            key.note = "guessed: unique in \(distinct.count) values"
        } else if distinct.repeatsBetween {
            key.isOfDumps = true
            key.note =
                "guessed: unique in each of "
                + "\(ReportNumbers.several(sample.inputs.count, "file")); a later one updates"
        } else {
            key.note =
                "guessed: \(isFirst ? "the first column, " : "")unique in "
                + ReportNumbers.several(records, "record")
        }
        return key
    }

    /// Uses a field with a key's name as the key if few records repeat its values, as exact copies.
    ///
    /// - Parameter limit: The maximum number of records to read.
    mutating func takeRepeatedKey(
        _ around: Surroundings, limit: Int
    ) throws(RecordStreamError) {
        guard key == nil, owner == nil, records > 0 else { return }
        let found = leaves.indices.filter { mayBeKey(leaves[$0], repeats: true) }
            .compactMap { place in rank(place, around).map { (rank: $0, place: place) } }
            .filter { $0.rank <= KeyNames.numberOfOther }
            .sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }
        let few = RepeatedKey.countMax(of: records)
        for (rank, place) in found {
            // A field with a single value identifies no record.
            guard let distinct = leaves[place].node.distinct, distinct.count > 1 else { continue }
            let mayBeFew =
                distinct.repeatsBetween || !distinct.isWhole || records - distinct.count <= few
            guard mayBeFew || rank <= KeyNames.lastOfOwnIDs,
                let repeats = try sample.repeats(of: leaves[place], countMax: few, limit: limit)
            else { continue }
            guard repeats.isKey else {
                if self.repeats == nil { self.repeats = repeats }
                continue
            }
            self.repeats = repeats
            key = key(place, isFirst: false)
            key?.note? +=
                ", but for \(repeats.count) that repeat\(repeats.count == 1 ? "s" : "") another one"
            return
        }
    }

    /// Returns the key of objects in lists.
    ///
    /// The key is unique everywhere, identifies equal objects, or is unique for each owner.
    private mutating func nestedKey(_ around: Surroundings) -> Key? {
        if let key = storedKey(around.known.storeModel) { return key }
        let found = leaves.indices.filter { mayBeKey(leaves[$0]) }
            .compactMap { place -> (rank: Int, place: Int)? in
                let isPosition = KeyNames.isPosition(InferredNames.folded(leaves[place].name))
                let rank = rank(place, around) ?? (isPosition ? KeyNames.firstColumn : nil)
                return rank.map { ($0, place) }
            }
            .min { ($0.rank, $0.place) < ($1.rank, $1.place) }
        guard let found, let distinct = leaves[found.place].node.distinct, distinct.isWhole else {
            return nil
        }
        let several = ReportNumbers.several(records, "object")
        let isPosition = KeyNames.isPosition(InferredNames.folded(leaves[found.place].name))
        // An ID is unique everywhere. A code or a name, such as `sku`, may repeat with the next
        // owner.
        guard distinct.repeatsBetween || isPosition || found.rank > KeyNames.lastOfIDs else {
            return Key(places: [found.place], note: "guessed: unique in \(several)")
        }
        // Objects with the same key are one object if they are equal.
        let list = ownerItems
        if distinct.repeatsBetween, !isPosition, let list, list.objects.isWhole,
            list.objects.count == distinct.count
        {
            isShared = true
            return Key(
                places: [found.place], note: "guessed: objects with the same one are equal")
        }
        return Key(
            places: [found.place], isScoped: true,
            note: "guessed: unique in each list of \(several)")
    }

    /// Returns the store's key for the objects; `nil` if the fields cannot fill any.
    private func storedKey(_ model: ManagedObjectModel?) -> Key? {
        guard let model, let entity = InferredNames.match(name, model.entities.map(\.name)) else {
            return nil
        }
        for names in model.uniquenessConstraints(of: entity) {
            let attributes = names.filter { model.attribute($0, of: entity) != nil }
            let places = attributes.compactMap { name in
                leaves.firstIndex {
                    InferredNames.folded(InferredNames.property($0.path))
                        == InferredNames.folded(name)
                }
            }
            let others = names.count - attributes.count
            guard !places.isEmpty, places.count == attributes.count, others <= 1 else { continue }
            return Key(places: places, isScoped: others == 1, note: "the key of the store")
        }
        return nil
    }

    /// The facts about the lists that contain these objects.
    private var ownerItems: ListFacts? { root.list?.items }

    /// Returns whether the values of a field allow it to be a key: unique, and in every record.
    ///
    /// - Parameter repeats: Whether to require repeated values instead of unique ones.
    private func mayBeKey(_ leaf: Leaf, repeats: Bool = false) -> Bool {
        guard leaf.path.count == 1, leaf.isEverywhere, let distinct = leaf.node.distinct,
            distinct.hasRepeats == repeats, !distinct.hasEmpty, !distinct.isDropped,
            records > 0 || isTable
        else { return false }
        return KeyKind(leaf.node.facts.guess(named: leaf.name, isKey: true).type) != nil
    }

    /// Returns how likely a field is the key, with 0 as the best; `nil` if its name does not
    /// suggest it.
    private func rank(_ place: Int, _ around: Surroundings) -> Int? {
        let leaf = leaves[place]
        let folded = InferredNames.folded(leaf.name)
        let names = [name, InferredNames.singular(name)].map(InferredNames.folded)
        let isBetween = leaf.node.distinct?.repeatsBetween == true && owner == nil
        if let rank = names.compactMap({ KeyNames.rank(folded, of: $0) }).min() {
            // If a field `id` exists but is not a key, `name` is not a key either.
            if folded == "name", leaves.contains(where: { $0.name.lowercased() == "id" }) {
                return nil
            }
            return isBetween && rank > 7 ? nil : rank
        }
        // The key of an export whose records had none; `RowKey` of other systems is not unique.
        if leaf.name == InferredNames.rowKey { return KeyNames.exported }
        if place == 0, isTable, !isBetween, KeyNames.endsAsNumber(folded) {
            return KeyNames.numberOfOther
        }
        // A field named after another entity, or after another object of this entity, is a
        // reference.
        let others = around.entities
        let isReference =
            others.contains(folded) || InferredNames.meansOwnKind(folded, of: names)
            || ["id", "key", "code", "number", "no"].contains { ending in
                folded.hasSuffix(ending) && others.contains(String(folded.dropLast(ending.count)))
            }
        guard !isReference else { return nil }
        let isFirst = place == 0 && isTable
        let endsInId = ["Id", "ID", "_id", "-id", " id"].contains { leaf.name.hasSuffix($0) }
        // The first column of another table probably identifies the records of that table.
        if endsInId, isFirst || around.firstColumns[folded] == nil { return 3 }
        // In a single record, every field is unique.
        guard isFirst, records > 1, !isBetween, KeyNames.mayBeFirst(folded),
            leaf.node.facts.isOneWord
        else { return nil }
        return KeyNames.firstColumn
    }

    /// Returns the references of a join row, first the one that determines the object to change.
    ///
    /// A record whose owner is unknown cannot be reported like an unknown link, so the reference
    /// whose values are all known comes first.
    static func ordered(_ pair: [Reference]) -> [Reference] {
        pair[0].unknown > 0 && pair[1].unknown == 0 ? pair.reversed() : pair
    }

    /// The two references of each join row; `nil` if the sample is not a join table.
    var pair: [Reference]? {
        if let storedPair { return storedPair }
        guard owner == nil, key == nil, leaves.count == 2, references.count == 2,
            !sample.root.isTooWide, !sample.hasNamelessField
        else { return nil }
        let both = references.sorted { $0.key < $1.key }.map(\.value)
        guard both.allSatisfy({ !$0.isMany && !$0.isTag && $0.leaf.isEverywhere }),
            both[0].target != both[1].target
        else { return nil }
        return Self.ordered(both)
    }
}

/// The kinds of key values; equal values of different kinds are different keys.
enum KeyKind {
    case integer, text, uuid

    init?(_ type: AttributeType) {
        switch type {
        case .integer16, .integer32, .integer64: self = .integer
        case .string: self = .text
        case .uuid: self = .uuid
        default: return nil
        }
    }
}
