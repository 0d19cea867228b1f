import Crypto
package import Diagnostics
import FoundationEssentials
import GraphModel

extension Stage {
    /// What the stage says, wherever it stands in its file; equal as long as it says the same.
    ///
    /// Worked out from all that it says each time: a run asks its journal, which remembers it.
    var fingerprint: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        // Nothing that a stage says refuses to be encoded; what did would never be the same.
        let words = (try? encoder.encode(kind)) ?? Data(UUID().uuidString.utf8)
        return Fingerprint.of(name + " " + String(decoding: words, as: UTF8.self))
    }
}

extension SourceLocation: Encodable {
    /// Writes nothing: where something stands is no part of what it says.
    package func encode(to encoder: any Encoder) throws {}
}

/// A short text that tells whether something is what it was.
enum Fingerprint {
    static func of(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).prefix(16).hexText
    }
}

/// The running SHA-256 of an input's bytes, compared on the way with what an earlier run read.
final class InputDigest {
    /// What comparing came to.
    enum Comparison {
        /// The bytes to be compared were not all read yet.
        case pending
        case same
        case different
    }

    private var hash = SHA256()
    private(set) var byteCount = 0
    private let expected: InputPosition?
    private(set) var comparison: Comparison

    /// - Parameter expected: what the first bytes must be; nil compares nothing.
    init(expected: InputPosition?) {
        self.expected = expected
        comparison = expected == nil ? .same : .pending
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard case .pending = comparison, let expected,
            byteCount + bytes.count >= expected.offset
        else {
            hash.update(bufferPointer: bytes)
            byteCount += bytes.count
            return
        }
        let first = expected.offset - byteCount
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[..<first]))
        comparison = value == expected.digest ? .same : .different
        hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[first...]))
        byteCount += bytes.count
    }

    /// The digest of the bytes so far.
    var value: [UInt8] { Array(hash.finalize()) }
}
