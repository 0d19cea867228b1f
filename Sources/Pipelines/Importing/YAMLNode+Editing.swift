import YAML

/// Methods that edit a spec before it runs.
extension YAMLNode {
    /// Creates a node for text.
    init(text: String) {
        self.init(.scalar(YAMLScalar(text: text)), at: Self.nowhere)
    }

    /// Creates a node for `true`.
    static var yes: YAMLNode { YAMLNode(.scalar(YAMLScalar(plain: "true")), at: nowhere) }

    /// Creates a node for names: a list, or the only one.
    init(names: [String]) {
        let nodes = names.map { YAMLNode(text: $0) }
        self = nodes.count == 1 ? nodes[0] : YAMLNode(.sequence(nodes), at: Self.nowhere)
    }

    /// Creates a mapping.
    init(_ entries: [(String, YAMLNode)]) {
        self.init(
            .mapping(
                entries.map { YAMLEntry(key: $0.0, keyMark: Self.nowhere, value: $0.1) }),
            at: Self.nowhere)
    }

    private static let nowhere = YAMLMark(line: 1, column: 1)

    /// The entries of a mapping; empty for other nodes.
    var entries: [YAMLEntry] {
        if case .mapping(let entries) = content { entries } else { [] }
    }

    /// The items of a list; a node that is not a list is its own only item.
    var itemsOrOne: [YAMLNode] {
        if case .sequence(let items) = content { items } else { [self] }
    }

    /// The text of a scalar.
    var text: String? {
        if case .scalar(let scalar) = content { scalar.text } else { nil }
    }

    /// The value of a key.
    ///
    /// Setting `nil` removes the entry. A new key goes to the end.
    subscript(key: String) -> YAMLNode? {
        get { entries.first { $0.key == key }?.value }
        set {
            var edited = entries
            let place = edited.firstIndex { $0.key == key }
            switch (place, newValue) {
            case (let place?, let value?): edited[place].value = value
            case (let place?, nil): edited.remove(at: place)
            case (nil, let value?):
                edited.append(YAMLEntry(key: key, keyMark: Self.nowhere, value: value))
            case (nil, nil): return
            }
            content = .mapping(edited)
        }
    }

    /// The document's text.
    ///
    /// A list of mappings, such as the stages, has one line per key.
    var documentText: String {
        entries.map { entry in
            guard case .sequence(let items) = entry.value.content,
                items.allSatisfy({ !$0.entries.isEmpty })
            else { return YAMLWriter.text([(entry.key, entry.value.block)]) }
            let lines = items.flatMap { item in
                YAMLWriter.text(item.entries.map { ($0.key, $0.value.output) })
                    .split(separator: "\n").enumerated()
                    .map { ($0.offset == 0 ? "  - " : "    ") + $0.element + "\n" }
            }
            return "\(YAMLWriter.scalar(entry.key)):\n" + lines.joined()
        }.joined()
    }

    /// The node with each entry of a mapping on its own line.
    private var block: YAMLOutput {
        switch content {
        case .mapping(let entries): .block(entries.map { ($0.key, $0.value.output) })
        case .sequence, .scalar: output
        }
    }

    private var output: YAMLOutput {
        switch content {
        case .scalar(let scalar): scalar.value == .text ? .text(scalar.text) : .plain(scalar.text)
        case .sequence(let items): .list(items.map(\.output))
        case .mapping(let entries): .mapping(entries.map { ($0.key, $0.value.output) })
        }
    }
}
