import GraphModel
import SQLite

/// A constant for string comparisons with options, folded once and not for every row.
struct TextNeedle {
    private let op: ComparisonOperator
    private let options: ComparisonOptions
    private let needle: [UInt8]
    private let isASCII: Bool
    /// Whether bytes are compared without folding.
    private let isPlain: Bool

    init(_ text: String, _ op: ComparisonOperator, _ options: ComparisonOptions) {
        self.op = op
        self.options = options
        isPlain = options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
        let bytes = Array(text.utf8)
        needle =
            isPlain
            ? bytes
            : bytes.withUnsafeBufferPointer { TextComparison.folded($0, options) }
        isASCII = needle.allSatisfy { $0 < 0x80 }
    }

    /// The function that returns 1 if its first argument satisfies the comparison, otherwise 0.
    var function: BoundFunction {
        BoundFunction { call throws(FunctionError) in
            let holds = call.storage(0) == .text && self.holds(call.bytes(0))
            call.setResult(holds ? Int64(1) : 0)
        }
    }

    private func holds(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        needle.withUnsafeBufferPointer { needle in
            // Folding composes characters even without options.
            if isPlain { return TextComparison.holds(op, text, needle, []) }
            if Self.isASCII(text) {
                switch op {
                // For ASCII, folding changes only the case.
                case .contains, .beginsWith, .endsWith, .equal:
                    return isASCII && holds(ascii: text, needle)
                default: break
                }
            }
            return TextComparison.folded(text, options).withUnsafeBufferPointer {
                TextComparison.holds(op, $0, needle, [])
            }
        }
    }

    private func holds(
        ascii text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard !needle.isEmpty else { return op == .equal && text.isEmpty }
        guard text.count >= needle.count else { return false }
        let last = text.count - needle.count
        switch op {
        case .equal: return last == 0 && matches(text, needle, at: 0)
        case .beginsWith: return matches(text, needle, at: 0)
        case .endsWith: return matches(text, needle, at: last)
        default:
            if needle.count > TextComparison.shortPartMax {
                return TextComparison.folded(text, options).withUnsafeBufferPointer {
                    TextComparison.holds(.contains, $0, needle, [])
                }
            }
            let first = needle[0]
            let other =
                options.contains(.caseInsensitive) && first >= 0x61 && first <= 0x7A
                ? first & 0xDF : first
            for start in 0...last where text[start] == first || text[start] == other {
                if matches(text, needle, at: start) { return true }
            }
            return false
        }
    }

    @inline(__always)
    private func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ needle: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Bool {
        let foldsCase = options.contains(.caseInsensitive)
        for index in needle.indices {
            var byte = text[start + index]
            if foldsCase, byte &- 0x41 <= 25 { byte |= 0x20 }
            if byte != needle[index] { return false }
        }
        return true
    }

    /// Returns whether all bytes are ASCII, testing 8 bytes at a time; most strings are, and skip
    /// folding.
    private static func isASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let bytes = UnsafeRawBufferPointer(text)
        var all: UInt64 = 0
        var place = 0
        while place + 8 <= bytes.count {
            all |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            place += 8
        }
        while place < bytes.count {
            all |= UInt64(bytes[place])
            place += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
