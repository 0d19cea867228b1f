import Foundation
import GraphModel
import Testing

@testable import GraphStore

/// SQL, the evaluator, and a third, plain implementation of the text options.
///
/// SQL and the evaluator share code, so they may agree on a mistake; the third implementation
/// checks both.
@Suite("Options of string comparisons") struct TextOptionTests {
    private static let entities = """
        Task:
          attributes:
            id: { type: Integer 32, optional: false }
            plain: String
            kept: { type: String, searchable: true }
            other: String
          unique: [[id]]
        """
    private static let texts = [
        "", "a", "A", "b", "B", "Z", "é", "É", "e", "E", "e\u{301}", "ab", "aB", "Ab", "AB", "áb",
        "a\u{301}B", "\u{301}", "ß", "SS", "_", "be", "BÉ",
    ]
    private static let literals = ["", "a", "A", "b", "B", "é", "E", "e\u{301}", "aB", "áb", "ß"]
    private static let operators = [
        "==", "!=", "<", "<=", ">", ">=", "CONTAINS", "BEGINSWITH", "ENDSWITH",
    ]

    /// Returns the second text of an object.
    private static func other(_ index: Int) -> String { texts[(index * 7 + 3) % texts.count] }

    private static func folded(_ text: String, _ options: String) -> [UInt8] {
        guard options.contains("c") || options.contains("d") else { return Array(text.utf8) }
        var text = text
        if options.contains("d") {
            let marked = text.decomposedStringWithCanonicalMapping.unicodeScalars
            let bare = marked.filter { $0.properties.generalCategory != .nonspacingMark }
            text = bare.map { String($0) }.joined()
        }
        if options.contains("c") { text = text.uppercased().lowercased() }
        return Array(text.precomposedStringWithCanonicalMapping.utf8)
    }

    private static func holds(_ left: [UInt8], _ op: String, _ right: [UInt8]) -> Bool {
        switch op {
        case "==": return left == right
        case "!=": return left != right
        case "<": return left.lexicographicallyPrecedes(right)
        case ">": return right.lexicographicallyPrecedes(left)
        case "<=": return !right.lexicographicallyPrecedes(left)
        case ">=": return !left.lexicographicallyPrecedes(right)
        case "BEGINSWITH": return !right.isEmpty && left.starts(with: right)
        case "ENDSWITH": return !right.isEmpty && left.reversed().starts(with: right.reversed())
        default:
            let starts = 0...max(0, left.count - right.count)
            return !right.isEmpty && starts.contains { left[$0...].starts(with: right) }
        }
    }

    @Test(
        "SQL and the evaluator apply string options the same way",
        arguments: ["", "[c]", "[d]", "[cd]", "[n]"])
    func agree(options: String) throws {
        try withStore(Self.entities) { store in
            try store.container.load(
                BulkPlan(
                    entity: "Task", key: ["id"], attributes: ["id", "plain", "kept", "other"]),
                Self.texts.enumerated().map { index, text in
                    [
                        .integer(Int64(index)), .text(text), .text(text),
                        .text(Self.other(index)),
                    ]
                })

            /// Checks the objects that a comparison finds.
            ///
            /// - Parameter rest: The text after the attribute.
            func check(_ rest: String, _ expected: [Int]) throws {
                for attribute in ["plain", "kept"] {
                    let predicate = try GraphPredicate(format: "\(attribute) \(rest)")
                    let cursor = try store.container.newContext().cursor(
                        RowRequest(
                            entityName: "Task", predicate: predicate,
                            order: [GraphSortDescriptor(["id"])], fields: [["id"]]))
                    let found = try cursor.integers().map { Int($0) }
                    #expect(found == expected, "SQL: \(attribute) \(rest)")
                }
                let predicate = try GraphPredicate(format: "plain \(rest)")
                let found = try Self.texts.indices.filter { index in
                    try predicate.evaluate(with: [
                        "plain": .value(.string(Self.texts[index])),
                        "other": .value(.string(Self.other(index))),
                    ])
                }
                #expect(found == expected, "memory: plain \(rest)")
            }

            let folded = Self.texts.map { Self.folded($0, options) }
            let others = Self.texts.indices.map { Self.folded(Self.other($0), options) }
            let needles = Self.literals.map {
                (GraphExpression.constant(.string($0)).description, Self.folded($0, options))
            }
            for op in Self.operators {
                try check(
                    "\(op)\(options) other",
                    folded.indices.filter { Self.holds(folded[$0], op, others[$0]) })
                for (literal, needle) in needles {
                    try check(
                        "\(op)\(options) \(literal)",
                        folded.indices.filter { Self.holds(folded[$0], op, needle) })
                }
            }
            for (index, (literal, needle)) in needles.enumerated() {
                let (last, end) = needles[(index + 3) % needles.count]
                try check(
                    "IN\(options) {\(literal), \(last)}",
                    folded.indices.filter { folded[$0] == needle || folded[$0] == end })
                try check(
                    "BETWEEN\(options) {\(literal), \(last)}",
                    folded.indices.filter {
                        Self.holds(folded[$0], ">=", needle) && Self.holds(folded[$0], "<=", end)
                    })
            }
        }
    }
}
