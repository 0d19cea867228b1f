/// Finds repetitions inside repetitions without compiling the expression.
enum PatternLimits {
    /// A counted repetition of more than this is as slow as an unbounded one.
    private static let countMax = 16

    private static let bytesMax = 4_096
    private static let depthMax = 64

    /// Throws where an unbounded repetition repeats another, or the expression is too large.
    static func check(_ pattern: [UInt8]) throws(CompiledPattern.PatternError) {
        guard pattern.count <= bytesMax else { throw .tooLarge }
        var scanner = Scanner(pattern: pattern)
        let offset = scanner.nestedRepetition()
        guard scanner.depth <= depthMax else { throw .tooLarge }
        if let offset { throw .nestedRepetition(byteOffset: offset) }
    }

    private struct Scanner {
        let pattern: [UInt8]
        var index = 0
        /// Whether each open group has a repetition without bound so far.
        var groups = [false]
        /// Whether the last atom was a group with one inside.
        var lastAtomRepeats = false
        /// The most groups and classes that were open at once.
        var depth = 0

        init(pattern: [UInt8]) {
            self.pattern = pattern
        }

        mutating func nestedRepetition() -> Int? {
            while index < pattern.count {
                let start = index
                if let isUnbounded = repetition() {
                    if isUnbounded {
                        if lastAtomRepeats { return start }
                        groups[groups.count - 1] = true
                    }
                    lastAtomRepeats = lastAtomRepeats || isUnbounded
                    continue
                }
                atom()
            }
            return nil
        }

        private mutating func atom() {
            lastAtomRepeats = false
            switch pattern[index] {
            case UInt8(ascii: "\\"):
                skipEscape()
            case UInt8(ascii: "["):
                skipClass()
            case UInt8(ascii: "("):
                groups.append(false)
                self.depth = max(self.depth, groups.count - 1)
                index += 1
                if index < pattern.count, pattern[index] == UInt8(ascii: "?") { index += 1 }
            case UInt8(ascii: ")"):
                index += 1
                guard groups.count > 1 else { return }
                lastAtomRepeats = groups.removeLast()
                if lastAtomRepeats { groups[groups.count - 1] = true }
            default:
                index += 1
            }
        }

        /// A quantifier with its `?` or `+`, if one is next: whether it is without bound.
        private mutating func repetition() -> Bool? {
            let isUnbounded: Bool
            switch pattern[index] {
            case UInt8(ascii: "*"), UInt8(ascii: "+"):
                isUnbounded = true
                index += 1
            case UInt8(ascii: "?"):
                isUnbounded = false
                index += 1
            case UInt8(ascii: "{"):
                guard let counted = counted() else { return nil }
                isUnbounded = counted
            default:
                return nil
            }
            if index < pattern.count,
                pattern[index] == UInt8(ascii: "?") || pattern[index] == UInt8(ascii: "+")
            {
                index += 1
            }
            return isUnbounded
        }

        private mutating func counted() -> Bool? {
            guard let end = pattern[index...].firstIndex(of: UInt8(ascii: "}")) else { return nil }
            let parts = pattern[(index + 1)..<end].split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard let last = parts.last, parts.count <= 2 else { return nil }
            let text = String(decoding: last, as: UTF8.self).filter { $0 != " " }
            if !text.isEmpty, !text.allSatisfy(\.isNumber) { return nil }
            index = end + 1
            guard let most = Int(text) else { return true }
            return most > PatternLimits.countMax
        }

        private mutating func skipEscape() {
            index += 1
            guard index < pattern.count else { return }
            let escaped = pattern[index]
            index += 1
            if escaped == UInt8(ascii: "Q") {
                while index < pattern.count {
                    if pattern[index] == UInt8(ascii: "\\"), index + 1 < pattern.count,
                        pattern[index + 1] == UInt8(ascii: "E")
                    {
                        index += 2
                        return
                    }
                    index += 1
                }
            } else if index < pattern.count, pattern[index] == UInt8(ascii: "{"),
                [
                    UInt8(ascii: "p"), UInt8(ascii: "P"), UInt8(ascii: "N"), UInt8(ascii: "u"),
                    UInt8(ascii: "x"), UInt8(ascii: "k"), UInt8(ascii: "g"), UInt8(ascii: "o"),
                ].contains(escaped)
            {
                while index < pattern.count, pattern[index] != UInt8(ascii: "}") { index += 1 }
                if index < pattern.count { index += 1 }
            }
        }

        /// A class in brackets, with the classes in it; its content never repeats.
        private mutating func skipClass() {
            var depth = 0
            repeat {
                switch pattern[index] {
                case UInt8(ascii: "\\"): index += 1
                case UInt8(ascii: "["):
                    depth += 1
                    self.depth = max(self.depth, depth)
                case UInt8(ascii: "]"): depth -= 1
                default: break
                }
                index += 1
            } while index < pattern.count && depth > 0
        }
    }
}
