import Testing

@testable import GraphModel

@Suite("row 93: sorting in memory")
struct GraphSorterTests {
    private let records: [GraphRecord] = [
        ["n": 1, "name": "b", "rank": 2, "owner": ["name": "Zoe"]],
        ["n": 2, "name": "A", "rank": 2.5, "owner": nil],
        ["n": 3, "name": nil, "rank": nil, "owner": ["name": "adam"]],
        ["n": 4, "name": "a", "rank": 1, "owner": ["name": "Bob"]],
        ["n": 5, "name": "á", "rank": 2, "owner": ["name": nil]],
        ["n": 6, "name": "file 10", "rank": nil], ["n": 7, "name": "File 9", "rank": 2],
    ]

    private func order(_ descriptors: GraphSortDescriptor...) throws -> [Int64] {
        try GraphSortDescriptor.sorted(records, by: descriptors).compactMap {
            guard case .value(.integer(let number)) = $0.fields["n"] else { return nil }
            return number
        }
    }

    @Test("sorts texts in the order of each key")
    func ordersTexts() throws {
        #expect(try order(.init(["name"])) == [3, 2, 7, 4, 1, 6, 5])
        #expect(
            try order(.init(["name"], textOrder: .caseInsensitive)) == [3, 2, 4, 1, 6, 7, 5])
        #expect(
            try order(.init(["name"], textOrder: .caseAndDiacriticInsensitive))
                == [3, 2, 4, 5, 1, 6, 7])
        #expect(
            try order(.init(["name"], textOrder: .localizedStandard)) == [3, 4, 2, 5, 1, 7, 6])
    }

    @Test("sorts nil first or last as the key says, in either direction")
    func ordersNil() throws {
        #expect(try order(.init(["rank"])) == [3, 6, 4, 1, 5, 7, 2])
        #expect(try order(.init(["rank"], ascending: false)) == [2, 1, 5, 7, 4, 3, 6])
        #expect(try order(.init(["rank"], nullOrder: .last)) == [4, 1, 5, 7, 2, 3, 6])
        #expect(
            try order(.init(["rank"], ascending: false, nullOrder: .first))
                == [3, 6, 2, 1, 5, 7, 4])
    }

    @Test("sorts by the next key if one is equal, and follows to-one relationships")
    func ordersByKeys() throws {
        #expect(
            try order(
                .init(["rank"], nullOrder: .last), .init(["name"], ascending: false))
                == [4, 5, 1, 7, 2, 6, 3])
        #expect(
            try order(
                .init(["owner", "name"], textOrder: .caseInsensitive, nullOrder: .last),
                .init(["n"], ascending: false)) == [3, 4, 1, 7, 6, 5, 2])
        #expect(try order() == [1, 2, 3, 4, 5, 6, 7])
    }

    @Test("fails for values that have no order")
    func refuses() {
        let mixed: [GraphRecord] = [["x": 1], ["x": "a"]]
        #expect(throws: EvaluationError.self) {
            try GraphSortDescriptor.sorted(mixed, by: [.init(["x"])])
        }
        let several: [GraphRecord] = [["x": [1]], ["x": [2]]]
        #expect(throws: EvaluationError.severalValues) {
            try GraphSortDescriptor.sorted(several, by: [.init(["x"])])
        }
    }
}
