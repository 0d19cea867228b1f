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
            marks[scalar.properties.canonicalCombiningClass.rawValue, default: []]
                .append(contentsOf: UTF8.encode(scalar) ?? .init())
        }
        endRun()
        return String(decoding: result, as: UTF8.self)
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}
