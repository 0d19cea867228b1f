import YAML

/// A block of a spec that fills an entity while it is fitted to a store: a stage, or a link with
/// `each`.
struct FittedBlock {
    /// The inferred entity.
    let own: String
    /// The store's entity.
    let entity: String
    /// The stage fills nothing but what `set` names.
    private(set) var isSetOnly: Bool
    /// What fills the inferred attributes.
    let inferred: YAMLNode
    /// What fills the inferred relationships.
    let inferredLinks: YAMLNode
    /// What fills the store's attributes.
    var set = YAMLNode([])
    /// What fills the store's relationships.
    var links = YAMLNode([])
    /// The columns that fill an attribute of their name, which needs no entry of `set`.
    private var plain: [String] = []
    private let block: YAMLNode

    init(_ node: YAMLNode, of own: String, to entity: String) {
        self.own = own
        self.entity = entity
        isSetOnly = node["set-only"] != nil
        inferred = node["set"] ?? YAMLNode([])
        inferredLinks = node["link"] ?? YAMLNode([])
        block = node
    }

    /// The whole block.
    var node: YAMLNode {
        var node = block
        node["set"] = set.entries.isEmpty ? nil : set
        node["link"] = links.entries.isEmpty ? nil : links
        if isSetOnly { node["set-only"] = .yes }
        return node
    }

    /// Lets a mapping, or else a column, fill an attribute.
    mutating func fill(_ name: String, by mapping: YAMLNode?, _ source: String) {
        if mapping == nil, name == source, !isSetOnly {
            plain.append(name)
        } else {
            set[name] = mapping ?? YAMLNode(text: source)
        }
    }

    /// Keeps columns from filling attributes of their name that they are not to fill.
    mutating func fillNothingElse() {
        guard !isSetOnly else { return }
        isSetOnly = true
        for name in plain { set[name] = YAMLNode(text: name) }
    }
}
