import GraphModel

/// An entity in the making: the fields of a sample, sorted into attributes and relationships.
struct EntityDraft {
    /// A relationship whose other end is known.
    struct Reference {
        var leaf: Leaf
        /// The entity, which has a draft of its own or, for tags, is made for this.
        var target: String
        var isMany: Bool
        var isTag = false
    }

    let sample: Sample
    private(set) var leaves: [Leaf] = []
    /// The place of the field that tells records apart.
    private(set) var keyPlace: Int?
    /// References by the place of their field.
    var references: [Int: Reference] = [:]
    /// What could not be found out.
    var notes: [String] = []

    var name: String { sample.entityName }
    var key: Leaf? { keyPlace.map { leaves[$0] } }

    init(_ sample: Sample, entities: Set<String>) {
        self.sample = sample
        for member in sample.root.members { collect(member, []) }
        keyPlace =
            leaves.indices.filter { mayBeKey(leaves[$0]) }
            .compactMap { place in
                rank(leaves[place].name, besides: entities).map { (rank: $0, place: place) }
            }
            .min { ($0.rank, $0.place) < ($1.rank, $1.place) }?.place
    }

    // MARK: Fields

    private mutating func collect(_ node: FieldNode, _ parent: [String]) {
        guard !node.name.isEmpty else { return }
        let path = parent + [node.text]
        let facts = node.facts
        let isObject = facts.count > 0 && facts.objects == facts.count
        let hasNameless = node.members.contains { $0.name.isEmpty }
        if isObject, !node.isTooWide, !node.members.isEmpty, !hasNameless {
            for member in node.members { collect(member, path) }
            return
        }
        leaves.append(
            Leaf(
                node: node, path: path,
                source: sample.columns == nil
                    ? path.map(PathStep.escaped).joined(separator: ".") : node.text,
                isEverywhere: facts.count == sample.records && !node.comesTwice))
    }

    /// The type of a field and what is to be said of it.
    func type(_ place: Int) -> (type: AttributeType, note: String?) {
        let leaf = leaves[place]
        let facts = leaf.node.facts
        let found = facts.type(named: leaf.name, isKey: place == keyPlace)
        guard found.type == .transformable, found.note == nil else { return found }
        guard facts.lists == facts.count else {
            return (.transformable, "an object, kept as JSON")
        }
        let hasObjects = (leaf.node.items?.facts.objects ?? 0) > 0
        return (
            .transformable,
            hasObjects
                ? "a list of objects, kept as JSON; a link with `each` would make objects"
                : "a list, kept as JSON"
        )
    }

    // MARK: Key

    private func mayBeKey(_ leaf: Leaf) -> Bool {
        guard leaf.path.count == 1, leaf.isEverywhere, let distinct = leaf.node.distinct,
            !distinct.hasRepeats, !distinct.hasEmpty, sample.records > 0
        else { return false }
        return KeyKind(leaf.node.facts.type(named: leaf.name, isKey: true).type) != nil
    }

    /// How likely a name is that of a key, best first; nil for other names.
    private func rank(_ name: String, besides entities: Set<String>) -> Int? {
        let folded = InferredNames.folded(name)
        let own = InferredNames.folded(self.name)
        switch folded {
        case "id": return 0
        case "uuid", "guid": return 1
        case own + "id", own + "uuid", own + "key": return 2
        case "key": return 4
        case "email": return 5
        case "name": return 6
        default: break
        }
        let endsInId = ["Id", "ID", "_id", "-id", " id"].contains { name.hasSuffix($0) }
        guard endsInId, !entities.contains(String(folded.dropLast(2))),
            !InferredNames.meansOwnKind(folded)
        else { return nil }
        return 3
    }

    /// The two references that every record consists of, where the sample is a mere table of pairs.
    var pair: [Reference]? {
        guard keyPlace == nil, leaves.count == 2, references.count == 2, !sample.root.isTooWide,
            !sample.hasNamelessField
        else { return nil }
        let both = references.sorted { $0.key < $1.key }.map(\.value)
        guard both.allSatisfy({ !$0.isMany && !$0.isTag && $0.leaf.isEverywhere }),
            both[0].target != both[1].target
        else { return nil }
        return both
    }

    var keyNote: String? {
        guard let distinct = key?.node.distinct else { return nil }
        if distinct.isFull {
            return "guessed: unique as far as \(distinct.count) values tell"
        }
        return "guessed: unique in \(sample.records) record\(sample.records == 1 ? "" : "s")"
    }
}

/// The kinds of values that keys have; equal values of different kinds are different keys.
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
