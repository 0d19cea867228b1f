@_spi(_Unicode) internal import Swift

/// Sorts long runs of marks into canonical order, which is slow in the standard library.
///
/// The standard library sorts a run by insertion in quadratic time: minutes for a string of a
/// million marks. A run that is already sorted takes linear time.
enum MarkOrder {
    /// The maximum length of runs that are left to the standard library.
    private static let shortRunMax = 32

    /// Returns the string, or a canonically equivalent one.
    static func ordered(_ text: String) -> String {
        var run = 0
        for scalar in text.unicodeScalars {
            run = isMark(scalar) ? run + 1 : 0
            if run > shortRunMax { return sorted(text) }
        }
        return text
    }

    private static func sorted(_ text: String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var marks: [UInt8: [UInt8]] = [:]
        func endRun() {
            for order in marks.keys.sorted() { result += marks[order] ?? [] }
            marks.removeAll(keepingCapacity: true)
        }
        for scalar in text.unicodeScalars {
            guard isMark(scalar) else {
                endRun()
                result.append(contentsOf: UTF8.encode(scalar) ?? .init())
                continue
            }
            for part in parts(of: scalar) {
                marks[part.properties.canonicalCombiningClass.rawValue, default: []]
                    .append(contentsOf: UTF8.encode(part) ?? .init())
            }
        }
        endRun()
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether the decomposition of a scalar begins with a mark.
    ///
    /// Three Tibetan vowel signs consist of two marks, although their own class is that of letters.
    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x300 else { return false }
        return scalar.properties.canonicalCombiningClass != .notReordered || isPair(scalar)
    }

    private static func isPair(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0xF73 || scalar.value == 0xF75 || scalar.value == 0xF81
    }

    /// Returns the marks of which a scalar consists, which can have different classes.
    private static func parts(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        isPair(scalar) ? Array(String(scalar)._nfd) : [scalar]
    }
}
