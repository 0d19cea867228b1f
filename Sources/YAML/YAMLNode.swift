/// A place in a YAML file.
package struct YAMLMark: Sendable, Hashable {
    /// From one.
    package var line: Int
    /// From one, in Unicode scalars.
    package var column: Int

    /// Makes a mark.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// A node of the tree that a YAML document describes, with its aliases already followed.
package struct YAMLNode: Sendable, Hashable {
    /// What a node holds.
    package indirect enum Content: Sendable, Hashable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// Entries in the order of the file; no key stands twice.
        case mapping([YAMLEntry])
    }

    /// What the node holds.
    package var content: Content
    /// Where it begins; for an alias, where the alias stands.
    package var mark: YAMLMark

    /// Makes a node.
    package init(_ content: Content, at mark: YAMLMark) {
        self.content = content
        self.mark = mark
    }

    /// Whether the node is the core schema's null.
    package var isNull: Bool {
        guard case .scalar(let scalar) = content else { return false }
        return scalar.value == .null
    }
}

/// One key of a mapping and what stands under it.
package struct YAMLEntry: Sendable, Hashable {
    /// The key as text, whatever it would resolve to as a value.
    package var key: String
    /// Where the key begins.
    package var keyMark: YAMLMark
    /// What stands under it.
    package var value: YAMLNode

    /// Makes an entry.
    package init(key: String, keyMark: YAMLMark, value: YAMLNode) {
        self.key = key
        self.keyMark = keyMark
        self.value = value
    }
}
