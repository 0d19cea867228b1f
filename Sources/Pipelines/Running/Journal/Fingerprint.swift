import Digests
import GraphModel
import YAML

extension Stage {
    /// A digest of the stage's name and keys, which changes if the user edits the stage.
    ///
    /// It does not depend on the position of the stage in the file.
    ///
    /// It is computed on each access; the run journal caches it.
    var fingerprint: String { Fingerprint.of(name + " " + words) }
}

extension YAMLNode {
    /// A canonical encoding of the node's content, without positions, comments, and layout.
    ///
    /// Each text is preceded by its length, so different nodes have different encodings. The order
    /// of keys is included, because the order of an export's columns matters.
    var words: String {
        var words = ""
        addWords(to: &words)
        return words
    }

    private func addWords(to words: inout String) {
        switch content {
        case .scalar(let scalar):
            words += scalar.value == .text ? "'" : "="
            Self.add(scalar.text, to: &words)
        case .sequence(let items):
            words += "["
            for item in items { item.addWords(to: &words) }
            words += "]"
        case .mapping(let entries):
            words += "{"
            for entry in entries {
                Self.add(entry.key, to: &words)
                entry.value.addWords(to: &words)
            }
            words += "}"
        }
    }

    private static func add(_ text: String, to words: inout String) {
        words += "\(text.utf8.count):"
        words += text
    }
}

/// Digests that show whether a text has changed.
enum Fingerprint {
    static func of(_ text: String) -> String {
        var digest = ByteDigest()
        digest.add(text: text)
        return digest.value.prefix(16).hexText
    }
}
