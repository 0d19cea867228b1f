import Testing

@testable import Pipelines

/// The results of `keep-if` and `expr` for values that occur in records but not in attributes.
@Suite("Values of records in predicates and expressions")
struct RecordValueTests {
    private static let model = """
        model: 1
        entities:
          Item:
            attributes:
              id: { type: String, optional: false }
              text: String
              ratio: Double
              count: Integer 32
            unique: [[id]]
        """
    private static let nested = """
        {"id":"1","tags":["x","y"],"items":[{"q":1}],"o":{"k":1,"l":[]}}
        {"id":"2","tags":null}
        {"id":"3"}
        {"id":"4","tags":[],"o":{}}
        """

    /// Returns the column of each item after an import, and the reasons of the rejects.
    private func column(
        _ name: String, _ keys: String, _ records: String, file: String = "items.ndjson"
    ) throws -> [String] {
        let folder = try Workspace()
        try folder.write(file, records)
        let run = try folder.run(
            model: Self.model,
            """
            - import: \(file)
              into: Item
              \(keys)
            """, top: "rejects: { allow: 100% }")
        #expect(run.text == "")
        return try folder.rows("SELECT \(name) FROM ZITEM ORDER BY ZID") + folder.reasons()
    }

    @Test(
        "a list or an object is not nil, but a missing field is",
        arguments: [
            ("tags != nil", ["1", "4"]), ("tags == nil", ["2", "3"]), ("items != nil", ["1"]),
            ("nil == o", ["2", "3"]), ("o != nil AND o.k == 1", ["1"]), ("o.l != nil", ["1"]),
            ("tags == nil OR items == nil", ["2", "3", "4"]),
        ])
    func nilTests(filter: String, kept: [String]) throws {
        #expect(try column("ZID", "keep-if: \"\(filter)\"", Self.nested) == kept)
    }

    @Test(
        "any other operation on a list or an object rejects the record",
        arguments: [
            ("tags == 'x'", "'tags' is a list", 2), ("tags CONTAINS 'x'", "'tags' is a list", 2),
            ("tags IN {'x', nil}", "'tags' is a list", 2), ("o > 1", "'o' is an object", 2),
            ("o.l + 1 > 0", "'o.l' is a list", 1), ("length(items) > 0", "'items' is a list", 1),
            ("coalesce(tags, 'none') != nil", "'tags' is a list", 2),
        ])
    func misuse(filter: String, message: String, count: Int) throws {
        let reason = "expr keep-if: \(message), of which only `== nil` and `!= nil` can be asked"
        let found = try column("ZID", "keep-if: \"\(filter)\"", Self.nested)
        #expect(found.filter { $0.hasPrefix("expr") } == Array(repeating: reason, count: count))
    }

    @Test("rejects a list or an object as a result, and `coalesce` does not replace it")
    func results() throws {
        let list = "expr text: 'tags' is a list, of which only `== nil` and `!= nil` can be asked"
        let object = "expr text: 'o' is an object, of which only `== nil` and `!= nil` can be asked"
        #expect(
            try column("ZTEXT", #"set: { text: { expr: "coalesce(tags, 'none')" } }"#, Self.nested)
                == ["none", "none", list, list])
        #expect(
            try column("ZTEXT", #"set: { text: { expr: "o" } }"#, Self.nested)
                == ["NULL", "NULL", object, object])
        #expect(
            try column(
                "ZTEXT", #"set: { text: { expr: "TERNARY(tags == nil, 'no', 'yes')" } }"#,
                Self.nested) == ["yes", "no", "no", "yes"])
    }

    @Test(
        "only numbers without a point and an exponent are integers",
        arguments: [
            (
                "items.ndjson",
                """
                {"id":"1","price":3.0}
                {"id":"2","price":2.5}
                {"id":"3","price":3}
                {"id":"4","price":1E1}
                {"id":"5","price":3.00000000000000000000}
                """
            ),
            (
                "items.csv",
                "id,price\n1,3.0\n2,2.5\n3,3\n4,1E1\n5,3.00000000000000000000\n"
            ),
        ])
    func wholeNumbers(file: String, records: String) throws {
        #expect(
            try column("ZRATIO", #"set: { ratio: { expr: "price / 2" } }"#, records, file: file)
                == ["1.5", "1.25", "1.0", "5.0", "1.5"])
        #expect(
            try column(
                "ZRATIO", #"set: { ratio: { expr: "cast(price, 'Double') / 2" } }"#, records,
                file: file) == ["1.5", "1.25", "1.5", "5.0", "1.5"])
        // Every notation of a number is the same number.
        #expect(
            try column("ZID", #"keep-if: "price == 3 OR price IN {10}""#, records, file: file)
                == ["1", "3", "4", "5"])
        #expect(
            try column(
                "ZCOUNT", #"set: { count: { expr: "price * 2" } }"#, records, file: file)
                == ["6", "5", "6", "20", "6"])
    }
}
