import TestSeeds
import Testing

@testable import GraphModel

/// Comparisons of fields with constants skip the program; the results must be the same.
@Suite("Comparisons with constants")
struct ConstantComparisonTests {
    private static let operators = [
        "==", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "==[c]", "CONTAINS[cd]",
    ]
    private static let constants = [
        "YES", "NO", "0", "1", "3", "5", "-1", "0.5", "2.25", "9007199254740993",
        "9223372036854775807", "''", "'5'", "'five'", "'Äpfel und Birnen'", "'\u{E9}'",
        "'2001-01-02'", "nil", "CAST(86400, 'NSDate')",
    ]

    /// The result of an evaluation.
    private enum Outcome: Equatable {
        case holds(Bool)
        case fails(EvaluationError)
        /// The constant is not a valid operand of the operator.
        case refused(GraphPredicateError.Code)
    }

    private static func outcome(_ predicate: GraphPredicate, _ row: TestRow) throws -> Outcome {
        do {
            let compiled = try CompiledPredicate(predicate) { row.slots[$0.joined(separator: ".")] }
            return .holds(try compiled.evaluate(row))
        } catch let error as EvaluationError {
            return .fails(error)
        } catch let error as GraphPredicateError {
            return .refused(error.code)
        }
    }

    @Test(
        "the fast path for constants gives the same answers as the program, also in AND and OR",
        arguments: operators)
    func agrees(op: String) throws {
        let row = TestRow()
        let yes = try ParsedPredicate(format: "three == 3").predicate
        let no = try ParsedPredicate(format: "title == 'x'").predicate
        for field in row.slots.keys.sorted() {
            for constant in Self.constants {
                let text = "\(field) \(op) \(constant)"
                let predicate = try ParsedPredicate(format: text).predicate
                // The fast path does not accept a negation.
                let expected = try Self.outcome(.not(.not(predicate)), row)
                #expect(try Self.outcome(predicate, row) == expected, "\(text)")
                for parts in [[predicate, yes], [yes, predicate], [predicate, no]] {
                    let all = GraphPredicate.and(parts)
                    let one = GraphPredicate.or(parts)
                    #expect(
                        try Self.outcome(all, row) == Self.outcome(.not(.not(all)), row),
                        "\(text) with AND")
                    #expect(
                        try Self.outcome(one, row) == Self.outcome(.not(.not(one)), row),
                        "\(text) with OR")
                }
            }
        }
    }

    @Test("reads short decimals as the nearest double and leaves other numbers to the parser")
    func shortDecimals() {
        let seed = TestSeed.ofThisRun
        var numbers = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let whole = numbers.next() % [10, 1_000, 10_000_000][Int(numbers.next() % 3)]
            let fraction = numbers.next() % [10, 1_000, 100_000_000][Int(numbers.next() % 3)]
            let text = (numbers.next() % 2 == 0 ? "-" : "") + "\(whole).\(fraction)"
            let read = Array(text.utf8).withUnsafeBufferPointer { NumericValue(plain: $0)?.double }
            if let read {
                #expect(read == Double(text), "\(text), seed \(seed)")
            } else {
                #expect(fraction == 0 || text.utf8.count > 15, "\(text), seed \(seed)")
            }
        }
        for text in ["", "-", ".5", "1.", "-0.0", "01.5", "-00.5", "1.5e3", "1..5", "+1.5", "1.5 "]
        {
            let read = Array(text.utf8).withUnsafeBufferPointer { NumericValue(plain: $0)?.double }
            #expect(read == nil, "\(text)")
        }
        // A number with a decimal point is not an integer.
        for (text, number) in [("1.0", 1.0), ("-30.00", -30.0), ("0.0", 0.0)] {
            let read = Array(text.utf8).withUnsafeBufferPointer { NumericValue(plain: $0) }
            guard case .double(let found)? = read else {
                Issue.record("\(text)")
                continue
            }
            #expect(found == number)
        }
    }
}
