internal import Digests

extension PredicateFunction {
    /// The functions of strings.
    static let texts = [
        PredicateFunction(
            "lowercase", ["text": .text], gives: .text, meaning: "The string in lower case.",
            example: "lowercase('ÀBC')", is: "'àbc'", foundation: "lowercase:",
            by: .values { values, context throws(EvaluationError) in
                .text(
                    TextFunctions.cased(try values.first.neededText(), upper: false, context.arena))
            }),
        PredicateFunction(
            "uppercase", ["text": .text], gives: .text, meaning: "The string in upper case.",
            example: "uppercase('abc')", is: "'ABC'", foundation: "uppercase:",
            by: .values { values, context throws(EvaluationError) in
                .text(
                    TextFunctions.cased(try values.first.neededText(), upper: true, context.arena))
            }),
        PredicateFunction(
            "canonical", ["text": .text], gives: .text,
            meaning: "The string without case and diacritics, as `[cd]` compares it.",
            example: "canonical('Zoë')", is: "'zoe'", foundation: "canonical:",
            by: .values { values, context throws(EvaluationError) in
                // Strings that are equal under `[cd]` become identical.
                let folded = TextComparison.folded(
                    try values.first.neededText(), [.caseInsensitive, .diacriticInsensitive])
                return .text(context.arena.store(folded))
            }),
        PredicateFunction(
            "trim", ["text": .text], gives: .text,
            meaning: "The string without white space at its ends.",
            example: "trim('  a b ')", is: "'a b'",
            by: .values { values, _ throws(EvaluationError) in
                .text(TextFunctions.trimmed(try values.first.neededText()))
            }),
        PredicateFunction(
            "length", ["text": .text], gives: .count,
            meaning: "The number of UTF-16 units of the string.",
            example: "length('abc')", is: "3", foundation: "length:",
            by: .values { values, _ throws(EvaluationError) in
                .integer(Int64(ScalarParser.utf16Length(try values.first.neededText())))
            }),
        PredicateFunction(
            "substring", ["text": .text, "start": .number, "length": .number], optional: 1,
            gives: .text,
            meaning:
                "A part of the string, from an index that starts at 0; without a length, the rest.",
            example: "substring('2026-01-31', 5, 2)", is: "'01'",
            by: .values { values, _ throws(EvaluationError) in
                .text(
                    TextFunctions.substring(
                        try values.first.neededText(), from: try whole(values.second),
                        length: values.third.isNull ? nil : try whole(values.third)))
            }),
        PredicateFunction(
            "replace", ["text": .text, "part": .text, "other": .text], gives: .text,
            meaning: "The string with each occurrence of the part replaced.",
            example: "replace('a-b-c', '-', '')",
            is: "'abc'",
            by: .values { values, context throws(EvaluationError) in
                .text(
                    TextFunctions.replacing(
                        try values.first.neededText(), try values.second.neededText(),
                        try values.third.neededText(), context.arena))
            }),
        PredicateFunction(
            "split", ["text": .text, "separator": .text], gives: .texts,
            meaning: "The list of the parts of the string.", example: "split('a,b', ',')[0]",
            is: "'a'",
            by: .pieces { values, body throws(EvaluationError) in
                let bytes = try values.first.neededText()
                let cut = try values.second.neededText()
                var start = 0
                while let found = TextComparison.firstIndex(of: cut, in: bytes, from: start) {
                    guard try body(.text(ByteView(rebasing: bytes[start..<found]))) else {
                        return false
                    }
                    start = found + cut.count
                }
                return try body(.text(ByteView(rebasing: bytes[start...])))
            }),
        PredicateFunction(
            "join", ["texts": .texts, "separator": .text], gives: .text,
            meaning: "The strings of a list, joined; nil is skipped.",
            example: "join({'Ada', 'Lovelace'}, ' ')", is: "'Ada Lovelace'",
            traits: [.takesMoreOfRecords],
            by: .elements { elements, values, context throws(EvaluationError) in
                let between = try values.first.neededText()
                var joined: [UInt8] = []
                var isFirst = true
                for element in elements where !element.isNull {
                    if !isFirst { joined.append(contentsOf: between) }
                    isFirst = false
                    joined.append(contentsOf: try element.neededText())
                }
                return .text(context.arena.store(joined))
            }),
        PredicateFunction(
            "sha256", ["text": .text], gives: .text,
            meaning: "The SHA-256 of the string, in hexadecimal digits.",
            example: "substring(sha256('abc'), 0, 8)",
            is: "'ba7816bf'", traits: [.takesMoreOfRecords],
            by: .values { values, context throws(EvaluationError) in
                let bytes: ByteView
                switch values.first {
                case .binary(let data), .uuid(let data): bytes = data
                default: bytes = try values.first.neededText()
                }
                return .text(context.arena.store(ByteDigest.of(Array(bytes)).hexText.utf8))
            }),
    ]

    /// Returns an argument that must be an integer.
    private static func whole(_ value: EvaluatedValue) throws(EvaluationError) -> Int {
        switch try NumericValue(needed: value) {
        case .integer(let number): return Int(number)
        case .double(let number):
            guard let whole = Int(exactly: number) else {
                throw .wrongKind(needed: "A whole number", found: "a fraction")
            }
            return whole
        }
    }
}
