extension PredicateFunction {
    /// The functions that generate values for records, such as `random` and `lorem`.
    static let generators = [
        PredicateFunction(
            "random", ["low": .any, "high": .any], gives: .common,
            meaning: "A random number or date from the first to the second argument.",
            example: "random(1, 6)",
            traits: [.isOfGeneratedRecords],
            by: .values { values, _ throws(EvaluationError) in
                try between(
                    values.first, values.second, Drawing.draw(seed: try seed(values.third)))
            }),
        PredicateFunction(
            "pick", ["list": .list], gives: .common, meaning: "One of the values.",
            example: "pick({'low', 'high'})", traits: [.isOfGeneratedRecords],
            by: .elements { elements, values, _ throws(EvaluationError) in
                guard !elements.isEmpty else { return .null }
                let number = Drawing.draw(seed: try seed(values.first))
                return elements[Int(Drawing.place(number, below: UInt64(elements.count)))]
            }),
        PredicateFunction(
            "lorem", ["words": .number], gives: .text, meaning: "A text of N random words.",
            example: "lorem(4)", traits: [.isOfGeneratedRecords],
            by: .values { values, context throws(EvaluationError) in
                guard case .integer(let count) = try NumericValue(needed: values.first),
                    (0...lastWords).contains(count)
                else {
                    throw .wrongKind(
                        needed: "A whole number from 0 to \(lastWords)", found: "another number")
                }
                var text: [UInt8] = []
                for place in 0..<UInt64(count) {
                    let number = Drawing.draw(seed: try seed(values.second), round: place)
                    if place > 0 { text.append(UInt8(ascii: " ")) }
                    let words = Drawing.words
                    text += words[Int(Drawing.place(number, below: UInt64(words.count)))].utf8
                }
                return .text(context.arena.store(text))
            }),
    ]

    private static let lastWords: Int64 = 10_000

    /// Returns the pseudorandom number that was passed to a call as its hidden argument.
    private static func seed(_ value: EvaluatedValue) throws(EvaluationError) -> UInt64 {
        guard case .integer(let number) = value else { throw .overflow }
        return UInt64(bitPattern: number)
    }

    /// Returns a value between two bounds.
    ///
    /// Integers and dates, in steps of 1 s, include both bounds. Other numbers include only the
    /// lower one.
    private static func between(
        _ low: EvaluatedValue, _ high: EvaluatedValue, _ number: UInt64
    ) throws(EvaluationError) -> EvaluatedValue {
        if case .date(let first) = low, case .date(let last) = high {
            let span = (last - first).rounded(.down)
            guard span >= 0, span < 1e15 else { throw emptyRange }
            return .date(first + Double(Drawing.place(number, below: UInt64(span) + 1)))
        }
        switch (try NumericValue(needed: low), try NumericValue(needed: high)) {
        case (.integer(let first), .integer(let last)):
            guard first <= last else { throw emptyRange }
            let span = UInt64(bitPattern: last &- first)
            let step = span == .max ? number : Drawing.place(number, below: span + 1)
            return .integer(first &+ Int64(bitPattern: step))
        case (let first, let last):
            let (first, last) = (first.double, last.double)
            guard first <= last else { throw emptyRange }
            let share = Double(number >> 11) * 0x1p-53
            return .double(first + (last - first) * share)
        }
    }

    private static var emptyRange: EvaluationError {
        .wrongKind(needed: "A lower bound, then a higher one", found: "the other way round")
    }
}
