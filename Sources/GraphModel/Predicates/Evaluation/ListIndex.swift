/// An index of a long list of strings on the right of IN, which is built once per program.
///
/// For a value, it returns the strings that can be equal to it, so that a record is not compared
/// with the complete list. A string is found by its bytes, and by the double nearest to its number:
/// equal numbers have the same nearest double.
struct ListIndex {
    /// The minimum number of strings for which an index is faster than a search.
    static let countMin = 16

    /// The positions of the strings, by the hash of their bytes.
    private var texts: [Int: [Int]] = [:]
    /// The positions of the strings that are numbers, by the nearest double.
    private var numbers: [Double: [Int]] = [:]
    /// The positions of numbers without a finite nearest double.
    private var others: [Int] = []

    init(_ strings: [ByteView]) {
        for (position, string) in strings.enumerated() {
            texts[Self.hash(string), default: []].append(position)
            if let number = ScalarParser.double(string) {
                numbers[number, default: []].append(position)
            } else if ExactDecimal(string) != nil {
                others.append(position)
            }
        }
    }

    /// Returns the positions of the strings that can be equal to a value, or `nil` if any can be.
    func candidates(_ value: EvaluatedValue) -> [Int]? {
        if value.isNull { return [] }
        switch value {
        case .text(let bytes): return texts[Self.hash(bytes)] ?? []
        case .untypedText(let bytes):
            let same = texts[Self.hash(bytes)] ?? []
            if let number = ScalarParser.double(bytes) {
                return same + (numbers[number] ?? []) + others
            }
            return ExactDecimal(bytes) == nil ? same : nil
        case .integer(let number): return (numbers[Double(number)] ?? []) + others
        case .double(let number): return (numbers[number] ?? []) + others
        case .number(let bytes), .decimal(let bytes):
            return ScalarParser.double(bytes).map { (numbers[$0] ?? []) + others }
        default: return nil
        }
    }

    private static func hash(_ bytes: ByteView) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        return hasher.finalize()
    }
}
