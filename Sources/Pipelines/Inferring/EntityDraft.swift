import GraphModel
import RecordStreams

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
    /// It is taken for that because it stands first, and not for its name.
    private var isKeyByPlace = false
    /// References by the place of their field.
    var references: [Int: Reference] = [:]
    /// What could not be found out.
    var notes: [String] = []

    var name: String { sample.entityName }
    var key: Leaf? { keyPlace.map { leaves[$0] } }

    init(_ sample: Sample, entities: Set<String>) {
        self.sample = sample
        for member in sample.root.members { collect(member, []) }
        let key =
            leaves.indices.filter { mayBeKey(leaves[$0]) }
            .compactMap { place in
                rank(place, besides: entities).map { (rank: $0, place: place) }
            }
            .min { ($0.rank, $0.place) < ($1.rank, $1.place) }
        keyPlace = key?.place
        isKeyByPlace = key?.rank == KeyNames.firstColumn
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
                    ? path.map(FieldPath.escaped).joined(separator: ".") : node.text,
                isEverywhere: facts.count == sample.records && !node.comesTwice))
    }

    /// The type of a field and what is to be said of it.
    func type(_ place: Int) -> (type: AttributeType, note: String?) {
        let leaf = leaves[place]
        let facts = leaf.node.facts
        let isNumber =
            place == keyPlace && !KeyNames.isCode(InferredNames.folded(leaf.name))
        let found = facts.type(named: leaf.name, isKey: isNumber)
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

    /// How likely a field is the key, best first; nil where nothing says so.
    private func rank(_ place: Int, besides entities: Set<String>) -> Int? {
        let leaf = leaves[place]
        let folded = InferredNames.folded(leaf.name)
        if let rank = KeyNames.rank(folded, of: InferredNames.folded(name)) { return rank }
        // What names another entity, or another one of the kind, is a reference.
        let isReference =
            entities.contains(folded) || InferredNames.meansOwnKind(folded)
            || ["id", "key", "code", "number", "no"].contains { ending in
                folded.hasSuffix(ending) && entities.contains(String(folded.dropLast(ending.count)))
            }
        guard !isReference else { return nil }
        let endsInId = ["Id", "ID", "_id", "-id", " id"].contains { leaf.name.hasSuffix($0) }
        if endsInId { return 3 }
        // Of a single record every field is unique.
        guard place == 0, sample.columns != nil, sample.records > 1,
            KeyNames.mayBeFirst(folded), leaf.node.facts.isOneWord
        else { return nil }
        return KeyNames.firstColumn
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
        let records = ReportWords.several(sample.records, "record")
        return "guessed: \(isKeyByPlace ? "the first column, " : "")unique in \(records)"
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
