import YAML

/// A mapping of the inferred spec that is adapted to the store's model.
///
/// It is a stage, or a link with `each`.
struct FittedBlock {
    /// The name that the inference gave the entity of the block's records.
    let own: String
    /// The name of the entity in the store that the block fills.
    let entity: String
    /// Whether the block fills only the attributes that `set` names.
    private(set) var isSetOnly: Bool
    /// The entries of the inferred block's `set`, by attribute.
    let inferred: [String: YAMLNode]
    /// The entries of the inferred block's `link`.
    let inferredLinks: YAMLNode
    /// The entries of `set` in the fitted block, with the store's attributes.
    var set = FittedMappings()
    /// The entries of `link` in the fitted block, with the store's relationships.
    var links = YAMLNode([])
    /// The columns that fill an attribute of the same name, for which `set` needs no entry.
    private var plain: [String] = []
    private let block: YAMLNode

    init(_ node: YAMLNode, of own: String, to entity: String) {
        self.own = own
        self.entity = entity
        isSetOnly = node["set-only"] != nil
        inferred = Dictionary((node["set"]?.entries ?? []).map { ($0.key, $0.value) }) {
            first, _ in first
        }
        inferredLinks = node["link"] ?? YAMLNode([])
        block = node
    }

    /// The fitted block as YAML, with all other keys of the inferred block.
    var node: YAMLNode {
        var node = block
        node["set"] = set.node
        node["link"] = links.entries.isEmpty ? nil : links
        if isSetOnly { node["set-only"] = .yes }
        return node
    }

    /// Fills an attribute by a mapping, or from a column if there is none.
    mutating func fill(_ name: String, by mapping: YAMLNode?, _ source: String) {
        if mapping == nil, name == source, !isSetOnly {
            plain.append(name)
        } else {
            set[name] = mapping ?? YAMLNode(text: source)
        }
    }

    /// Makes the block fill only the attributes in `set`, so that no other column fills an
    /// attribute of its name.
    mutating func fillNothingElse() {
        guard !isSetOnly else { return }
        isSetOnly = true
        for name in plain { set[name] = YAMLNode(text: name) }
    }
}

/// The entries of a `set`, in their order.
struct FittedMappings {
    private var entries: [(String, YAMLNode)] = []
    private var places: [String: Int] = [:]

    /// The mappings as YAML; `nil` if there are none.
    var node: YAMLNode? { entries.isEmpty ? nil : YAMLNode(entries) }

    /// The mapping of an attribute; setting `nil` has no effect.
    subscript(name: String) -> YAMLNode? {
        get { places[name].map { entries[$0].1 } }
        set {
            guard let newValue else { return }
            if let place = places[name] { return entries[place].1 = newValue }
            places[name] = entries.count
            entries.append((name, newValue))
        }
    }
}
