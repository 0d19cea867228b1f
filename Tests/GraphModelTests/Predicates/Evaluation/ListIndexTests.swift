import TestSeeds
import Testing

@testable import GraphModel

@Suite("IN with a long list")
struct ListIndexTests {
    private struct Row: EvaluationRow {
        var value: EvaluatedValue

        func value(at slot: Int) -> EvaluatedValue { value }
    }

    private static func predicate(_ list: [String]) throws -> CompiledPredicate {
        try CompiledPredicate(
            GraphPredicate(format: "a IN $list"), lists: ["list": list], slotOf: { _ in 0 })
    }

    /// Returns the value of a string as text, as a number, and as the field of a table.
    private static func values(_ bytes: ByteView) -> [EvaluatedValue] {
        var values: [EvaluatedValue] = [.text(bytes), .untypedText(bytes), .null]
        if ScalarParser.double(bytes) != nil { values.append(.number(bytes)) }
        if let number = ScalarParser.integer(bytes) { values.append(.integer(number)) }
        if let number = ScalarParser.double(bytes) { values.append(.double(number)) }
        return values
    }

    @Test("finds the same values as lists that are too short for an index")
    func agrees() throws {
        var random = SeededGenerator(seed: TestSeed.ofThisRun)
        let words = [
            "1", "1.0", "01", "1e0", "10e-1", "-0", "0", "0.0", "9007199254740992",
            "9007199254740993", "9007199254740993.0", "1e400", "10e399", "0.1", "0.10",
            "0.1000000000000000055511151231257827", "a", "A", "", " 1", "yes", "2026-01-31",
        ]
        for _ in 0..<200 {
            let list = (0..<40).map { _ in
                random.chance(50) ? random.pick(words) : "x\(random.pick(50))"
            }
            let long = try Self.predicate(list)
            let short = try stride(from: 0, to: 40, by: 8).map {
                try Self.predicate(Array(list[$0..<($0 + 8)]))
            }
            for word in words + ["x1", "x2"] {
                try Array(word.utf8).withUnsafeBufferPointer { bytes in
                    for value in Self.values(bytes) {
                        let row = Row(value: value)
                        let expected = try short.contains { try $0.evaluate(row) }
                        #expect(try long.evaluate(row) == expected, "\(value) in \(list)")
                    }
                }
            }
        }
    }

    @Test("compares a record with few strings of a long list")
    func candidates() {
        let texts = (0..<10_000).map { Array("\($0)".utf8) }
        let arena = EvaluationArena()
        let index = ListIndex(texts.map { arena.store($0) })
        Array("77".utf8).withUnsafeBufferPointer { bytes in
            #expect(index.candidates(.text(bytes)) == [77])
            #expect(index.candidates(.number(bytes)) == [77])
        }
        #expect(index.candidates(.integer(9_999)) == [9_999])
        #expect(index.candidates(.double(0.5)) == [])
        #expect(index.candidates(.boolean(true)) == nil)
    }
}
