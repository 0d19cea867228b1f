/// Where the functions that make values of generated rows draw from.
///
/// A value depends on the seed, on the place of its function in its expression, and on the row, and
/// on nothing else: rows may be made in any order, and again, and are always the same.
package struct Drawing: Sendable, Hashable {
    /// The name of what the expression fills, in words that tell it from every other.
    package var name: String
    package var seed: Int64
    /// The key path of a row's number.
    package var rowPath: [String]

    package init(name: String, seed: Int64, rowPath: [String]) {
        self.name = name
        self.seed = seed
        self.rowPath = rowPath
    }

    /// The stream of the function that is the `place`th of its expression.
    package func stream(_ place: Int) -> Int64 {
        // FNV-1a; `mix` spreads it.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let seeded = Self.mix(hash ^ Self.mix(UInt64(bitPattern: seed)))
        return Int64(bitPattern: Self.mix(seeded &+ UInt64(place)))
    }

    /// A number for a stream and a row: the output function of SplitMix64.
    package static func draw(stream: Int64, row: Int64, round: UInt64 = 0) -> UInt64 {
        mix(mix(UInt64(bitPattern: stream) ^ mix(UInt64(bitPattern: row))) &+ round)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// A number from 0 up to `count`, each as likely as the others as far as matters here.
    package static func place(_ number: UInt64, below count: UInt64) -> UInt64 {
        number.multipliedFullWidth(by: count).high
    }

    /// Words that mean nothing, from the text that printers have used since the 1500s.
    package static let words = [
        "lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do",
        "eiusmod", "tempor", "incididunt", "ut", "labore", "et", "dolore", "magna", "aliqua",
        "enim", "ad", "minim", "veniam", "quis", "nostrud", "exercitation", "ullamco", "laboris",
        "nisi", "aliquip", "ex", "ea", "commodo", "consequat", "duis", "aute", "irure", "in",
        "reprehenderit", "voluptate", "velit", "esse", "cillum", "eu", "fugiat", "nulla",
        "pariatur", "excepteur", "sint", "occaecat", "cupidatat", "non", "proident", "sunt",
        "culpa", "qui", "officia", "deserunt", "mollit", "anim", "id", "est", "laborum",
    ]
}

extension EvaluationFunction {
    /// Whether the function makes a value of a generated row.
    var isDrawn: Bool {
        switch self {
        case .random, .pick, .lorem: true
        default: false
        }
    }
}

extension EvaluationProgram {
    private static var lastWords: Int64 { 10_000 }

    /// `random(low, high)`, `pick(list)` and `lorem(words)`, with the stream and the row as the
    /// last two arguments.
    func draw<Graph>(
        _ function: EvaluationFunction, _ arguments: List, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        let streamNode = arguments[arguments.count - 2]
        let rowNode = arguments[arguments.count - 1]
        guard case .integer(let stream) = try NumericValue(needed: value(streamNode, scope)),
            case .integer(let row) = try NumericValue(needed: value(rowNode, scope))
        else { throw .wrongKind(needed: "The number of a row", found: "another value") }
        if function == .pick { return try pick(arguments[0], stream, row, scope) }
        let first = try value(arguments[0], scope)
        if function == .lorem { return try words(first, stream, row) }
        let number = Drawing.draw(stream: stream, row: row)
        return try between(first, try value(arguments[1], scope), number)
    }

    private func pick<Graph>(
        _ base: Int, _ stream: Int64, _ row: Int64, _ scope: EvaluationScope<Graph>
    ) throws(EvaluationError) -> EvaluatedValue {
        var values: [EvaluatedValue] = []
        _ = try visit(base, scope) {
            (element: EvaluatedElement<Graph.Node>) throws(EvaluationError) -> Bool in
            values.append(self.value(of: element, scope))
            return true
        }
        guard !values.isEmpty else { return .null }
        let number = Drawing.draw(stream: stream, row: row)
        return values[Int(Drawing.place(number, below: UInt64(values.count)))]
    }

    private func words(
        _ count: EvaluatedValue, _ stream: Int64, _ row: Int64
    ) throws(EvaluationError) -> EvaluatedValue {
        guard !count.isNull else { return .null }
        guard case .integer(let count) = try NumericValue(needed: count),
            (0...Self.lastWords).contains(count)
        else {
            throw .wrongKind(
                needed: "A whole number from 0 to \(Self.lastWords)", found: "another number")
        }
        var text: [UInt8] = []
        for place in 0..<UInt64(count) {
            let number = Drawing.draw(stream: stream, row: row, round: place)
            if place > 0 { text.append(UInt8(ascii: " ")) }
            let word = Drawing.words[Int(Drawing.place(number, below: UInt64(Drawing.words.count)))]
            text.append(contentsOf: word.utf8)
        }
        return .text(context.arena.store(text))
    }

    /// Both bounds are drawn of whole numbers and of dates, which have whole seconds; of other
    /// numbers the lower one is.
    private func between(
        _ low: EvaluatedValue, _ high: EvaluatedValue, _ number: UInt64
    ) throws(EvaluationError) -> EvaluatedValue {
        if low.isNull || high.isNull { return .null }
        if case .date(let first) = low, case .date(let last) = high {
            let span = (last - first).rounded(.down)
            guard span >= 0, span < 1e15 else { throw Self.emptyRange }
            return .date(first + Double(Drawing.place(number, below: UInt64(span) + 1)))
        }
        switch (try NumericValue(needed: low), try NumericValue(needed: high)) {
        case (.integer(let first), .integer(let last)):
            guard first <= last else { throw Self.emptyRange }
            let span = UInt64(bitPattern: last &- first)
            let step = span == .max ? number : Drawing.place(number, below: span + 1)
            return .integer(first &+ Int64(bitPattern: step))
        case (let first, let last):
            let (first, last) = (Self.double(first), Self.double(last))
            guard first <= last else { throw Self.emptyRange }
            let share = Double(number >> 11) * 0x1p-53
            return .double(first + (last - first) * share)
        }
    }

    private static func double(_ value: NumericValue) -> Double {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        }
    }

    private static var emptyRange: EvaluationError {
        .wrongKind(needed: "A lower bound, then a higher one", found: "the other way round")
    }
}
