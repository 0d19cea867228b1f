/// Finds columns of two words, such as Y and N, that stand for true and false.
///
/// A column has them in one spelling only: of `Y` and `y` nobody knows whether they differ. So each
/// of the two values has a word of its own, and nothing is lost.
struct TruthWords {
    /// The words for true and false.
    struct Pair: Equatable {
        var yes: String
        var no: String
    }

    private static let pairs = [("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f")]
        .flatMap { yes, no in
            [
                Pair(yes: yes, no: no), Pair(yes: yes.uppercased(), no: no.uppercased()),
                Pair(
                    yes: InferredNames.capitalized(yes), no: InferredNames.capitalized(no)),
            ]
        }

    private var found: Pair?
    private var hasYes = false
    private var hasNo = false
    private var others = 0
    private static let othersMax = 100

    mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard others == 0 || found == nil && others < Self.othersMax else { return }
        let word = bytes.count <= 5 ? String(decoding: bytes, as: UTF8.self) : ""
        if found == nil { found = Self.pairs.first { $0.yes == word || $0.no == word } }
        guard let found, word == found.yes || word == found.no else {
            others += 1
            return
        }
        if word == found.yes { hasYes = true } else { hasNo = true }
    }

    /// The words, where both came and nothing else.
    var pair: Pair? { hasYes && hasNo && others == 0 ? found : nil }

    /// The words of which one came, for a column that is known to hold truth values.
    var likely: Pair? { found }
}
