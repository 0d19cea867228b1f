/// Paths of keys to a node, such as `stages[1].set.title`; items are counted from zero.
package enum YAMLKeyPath {
    /// Returns the path of a key in the mapping at `path`.
    package static func path(_ path: String, key: String) -> String {
        let isPlain = key.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_" || $0 == "-"
        }
        guard isPlain, !key.isEmpty else { return "\(path)[\"\(key)\"]" }
        return path.isEmpty ? key : "\(path).\(key)"
    }

    /// Returns the path of an item in the sequence at `path`.
    package static func path(_ path: String, index: Int) -> String {
        "\(path)[\(index)]"
    }
}
