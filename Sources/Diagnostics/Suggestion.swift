/// Suggestions for misspelled names.
package enum Suggestion {
    /// Returns the candidate with the smallest edit distance to `word`; `nil` if none is similar.
    package static func closest(to word: String, among candidates: some Sequence<String>) -> String?
    {
        let limit = max(1, word.count / 3)
        let scalars = Array(word.lowercased().unicodeScalars)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let others = Array(candidate.lowercased().unicodeScalars)
            // The distance is at least the difference in length.
            guard abs(scalars.count - others.count) <= limit else { continue }
            let distance = editDistance(scalars, others)
            if distance <= limit, distance < best?.distance ?? Int.max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// Returns the first eight names, such as `'a', 'b', and 10 more`.
    package static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        return shown + (names.count > 8 ? ", and \(names.count - 8) more" : "")
    }

    /// Returns `. Did you mean 'x'?`, or an empty string.
    package static func phrase(for word: String, among candidates: some Sequence<String>) -> String
    {
        closest(to: word, among: candidates).map { ". Did you mean '\($0)'?" } ?? ""
    }

    /// Returns the Levenshtein distance, with a swap of two adjacent characters as one step.
    private static func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + Array(repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = min(
                    last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = min(row[j], beforeLast[j - 2] + 1)
                }
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
