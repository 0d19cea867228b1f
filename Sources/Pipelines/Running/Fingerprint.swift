import Digests
import GraphModel
import YAML

extension Stage {
    /// What the stage says, wherever it stands in its file; equal as long as it says the same.
    ///
    /// Worked out from all that it says each time: a run asks its journal, which remembers it.
    var fingerprint: String { Fingerprint.of(name + " " + words) }
}

extension YAMLNode {
    /// All that the node says, without its places, comments and layout.
    ///
    /// Texts are preceded by their length, so that no two nodes come to the same words unless
    /// they say the same. The order of keys is part of it: that of an export's columns matters.
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

/// A short text that tells whether something is what it was.
enum Fingerprint {
    static func of(_ text: String) -> String {
        var digest = ByteDigest()
        digest.add(text: text)
        return digest.value.prefix(16).hexText
    }
}

/// The running SHA-256 of an input's bytes, compared on the way with what an earlier run read.
final class InputDigest {
    private var hash = ByteDigest()
    private(set) var byteCount = 0
    /// What is still to be compared, in the order of the input.
    private var expected: ArraySlice<InputPosition>
    private var differs = false

    /// - Parameter expected: what the bytes before these must be, in the order of the input.
    init(expected: [InputPosition]) {
        self.expected = expected[...]
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while let next = expected.first, byteCount + rest.count >= next.offset {
            let first = max(0, next.offset - byteCount)
            hash.add(UnsafeRawBufferPointer(rebasing: rest[..<first]))
            byteCount += first
            rest = UnsafeRawBufferPointer(rebasing: rest[first...])
            if value != next.digest { differs = true }
            expected.removeFirst()
        }
        hash.add(rest)
        byteCount += rest.count
    }

    /// Whether all is as expected so far, and nothing of what comes before a place is left to be
    /// compared.
    func agrees(upTo place: InputPosition?) -> Bool {
        !differs && place.map { expected.first != $0 } != false
    }

    /// The digest of the bytes so far.
    var value: [UInt8] { hash.value }
}
