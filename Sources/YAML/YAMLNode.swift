/// A position in a YAML file.
package struct YAMLMark: Sendable, Hashable {
    /// The line, counted from 1.
    package var line: Int
    /// The column, counted from 1 in Unicode scalars.
    package var column: Int

    /// Creates a mark.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A node of a YAML document's tree, in which aliases are already replaced by their nodes.
package struct YAMLNode: Sendable, Hashable {
    /// The content of a node.
    package indirect enum Content: Sendable, Hashable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// Entries in the order of the file, with unique keys.
        case mapping([YAMLEntry])
    }

    /// The content of the node.
    package var content: Content
    /// The beginning of the node; for an alias, the position of the alias.
    package var mark: YAMLMark

    /// Creates a node.
    package init(_ content: Content, at mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }

    /// Whether the node is null in the core schema.
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.value == .null
    }
}

/// A key of a mapping and its value.
package struct YAMLEntry: Sendable, Hashable {
    /// The key as text, even if it would resolve to another type as a value.
    package var key: String
    /// The beginning of the key.
    package var keyMark: YAMLMark
    /// The value of the key.
    package var value: YAMLNode

    /// Creates an entry.
    package init(key: String, keyMark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.keyMark = keyMark
        self.value = value
    }
}
