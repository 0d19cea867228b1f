import Testing

@testable import GraphModel

/// Functions that generate values of records.
@Suite("random, pick and lorem")
struct DrawingTests {
    /// A record that has only its number.
    private struct Row: EvaluationRow {
        var number: Int64

        func value(at slot: Int) -> EvaluatedValue { .integer(number) }
    }

    /// Returns the values of an expression for rows from 0.
    private func values(
        _ format: String, rows: Int64 = 1000, name: String = "Task.size", seed: Int64 = 7
    ) throws -> [EvaluatedValue] {
        let expression = try CompiledExpression(
            GraphExpression(format: format),
            drawing: Drawing(name: name, seed: seed, rowPath: ["row"])
        ) { $0 == ["row"] ? 0 : nil }
        return try (0..<rows).map { try expression.evaluate(Row(number: $0)) }
    }

    private func integers(_ values: [EvaluatedValue]) -> [Int64] {
        values.compactMap { if case .integer(let number) = $0 { number } else { nil } }
    }

    private func texts(_ format: String, rows: Int64 = 1000) throws -> [String] {
        let expression = try CompiledExpression(
            GraphExpression(format: format),
            drawing: Drawing(name: "Task.title", seed: 7, rowPath: ["row"])
        ) { _ in 0 }
        return try (0..<rows).map { row in
            String(decoding: try expression.evaluate(Row(number: row)).neededText(), as: UTF8.self)
        }
    }

    @Test("random draws whole numbers evenly, including both bounds")
    func wholeNumbers() throws {
        let drawn = integers(try values("random(-1, 2)"))
        #expect(drawn.count == 1000)
        for number in Int64(-1)...2 {
            #expect((200...300).contains(drawn.count { $0 == number }), "\(number)")
        }
        #expect(Set(drawn) == [-1, 0, 1, 2])
        #expect(Set(integers(try values("random(5, 5)"))) == [5])
        let whole = integers(try values("random(-9223372036854775807 - 1, 9223372036854775807)"))
        #expect(Set(whole).count == 1000)
    }

    @Test("random draws other numbers and dates between their bounds")
    func bounds() throws {
        for value in try values("random(0.5, 2)") {
            guard case .double(let number) = value else {
                Issue.record("\(value)")
                return
            }
            #expect((0.5..<2).contains(number))
        }
        let dates = try values("random(cast('2001-01-01', 'Date'), cast('2001-01-02', 'Date'))")
        for value in dates {
            guard case .date(let seconds) = value else {
                Issue.record("\(value)")
                return
            }
            #expect((0...86_400).contains(seconds) && seconds == seconds.rounded())
        }
    }

    @Test("a random value depends on the seed, the row, the attribute, and its position")
    func streams() throws {
        let first = integers(try values("random(0, 1000000)"))
        #expect(first == integers(try values("random(0, 1000000)")))
        #expect(first != integers(try values("random(0, 1000000)", seed: 8)))
        #expect(first != integers(try values("random(0, 1000000)", name: "Task.other")))
        let differences = integers(try values("random(0, 1000000) - random(0, 1000000)"))
        #expect(differences.count { $0 == 0 } < 5)
        #expect(Set(first).count > 990)
    }

    @Test("pick draws each element of a list, and lorem gives N words")
    func texts() throws {
        let picked = try texts("pick({'low', 'high'})")
        #expect(Set(picked) == ["low", "high"])
        #expect((400...600).contains(picked.count { $0 == "low" }))
        let words = try texts("lorem(4)", rows: 100)
        #expect(words.allSatisfy { $0.split(separator: " ").count == 4 })
        #expect(Set(words).count == 100)
        #expect(Set(try texts("lorem(0)", rows: 3)) == [""])
    }

    @Test("nil gives nil; reversed bounds and values that are not lists are errors")
    func mistakes() throws {
        #expect(try values("random(nil, 1)", rows: 1).first?.isNull == true)
        #expect(try values("pick({})", rows: 1).first?.isNull == true)
        let reversed = EvaluationError.wrongKind(
            needed: "A lower bound, then a higher one", found: "the other way round")
        for bounds in [
            "2, 1", "2.5, 1.5", "cast('2001-01-02', 'Date'), cast('2001-01-01', 'Date')",
        ] {
            #expect(throws: reversed) { try values("random(\(bounds))", rows: 1) }
        }
        #expect(throws: EvaluationError.self) { try values("lorem(-1)", rows: 1) }
        #expect(throws: GraphPredicateError.self) { try values("pick(3)", rows: 1) }
        #expect(throws: GraphPredicateError.self) {
            try CompiledExpression(GraphExpression(format: "random(0, 1)")) { _ in 0 }
        }
    }
}
