/// Detects columns with two words, such as Y and N, that mean true and false.
///
/// A column must use one spelling, since `Y` and `y` might differ in meaning. Each of the two
/// values thus has exactly one word, and no information is lost.
struct TruthWords {
    /// The words for true and false.
    struct Pair: Equatable {
        var yes: String
        var no: String
    }

    private static let pairs = [
        ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("oui", "non"),
    ].flatMap { yes, no in
        [
            Pair(yes: yes, no: no), Pair(yes: yes.uppercased(), no: no.uppercased()),
            Pair(yes: InferredNames.capitalized(yes), no: InferredNames.capitalized(no)),
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

    /// The words, if the column has both of them and no other values.
    var pair: Pair? { hasYes && hasNo && others == 0 ? found : nil }

    /// The words, if at least one occurs, for a column that is known to hold truth values.
    var likely: Pair? { found }
}
