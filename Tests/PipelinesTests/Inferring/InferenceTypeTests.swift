import Foundation
import Testing

@testable import Pipelines

@Suite("Inferred types") struct InferenceTypeTests {
    /// Values of one field `x` as JSON, and the attribute that holds them.
    static let json: [([String], String)] = [
        (["1", "70"], "x: { type: Integer 16, optional: false }"),
        (["1", "70000"], "x: { type: Integer 32, optional: false }"),
        (["-3000000000", "1"], "x: { type: Integer 64, optional: false }"),
        (["1", "null"], "x: Integer 16"),
        (
            ["9223372036854775808", "1"],
            "x: { type: String, optional: false }  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (["1.5", "2"], "x: { type: Double, optional: false }"),
        (["1e3", "0.1"], "x: { type: Double, optional: false }"),
        (
            ["1.5", "9007199254740993"],
            "x: { type: String, optional: false }  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (
            ["0.12345678901234567890", "1"],
            "x: { type: String, optional: false }  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (["true", "false"], "x: { type: Boolean, optional: false }"),
        (["\"true\"", "\"false\""], "x: { type: String, optional: false }"),
        (["\"12\"", "\"13\""], "x: { type: String, optional: false }"),
        (
            ["\"2024-02-29\"", "\"2024-03-01T10:00:00Z\""],
            "x: { type: Date, optional: false }  # a day alone is its 00:00 UTC"
        ),
        (
            ["\"2024-03-01T10:00:00.123456+02:00\""],
            "x: { type: Date, optional: false }  # the moments are kept, in UTC; the offsets are "
                + "not"
        ),
        (["\"2024-03-01T10:00:00.1234567Z\""], "x: { type: String, optional: false }"),
        (["\"2024-02-30\""], "x: { type: String, optional: false }"),
        (
            ["\"a5f2e1d0-0000-4000-8000-000000000001\""], "x: { type: UUID, optional: false }"
        ),
        (["\"\"", "\"2024-02-29\""], "x: { type: String, optional: false }"),
        (
            ["1", "\"a\""],
            "x: { type: String, optional: false }  # numbers and texts, kept as text"
        ),
        (
            ["true", "\"a\""],
            "x: { type: Transformable, optional: false, transformer: json }  # values of several "
                + "kinds, kept as JSON"
        ),
        (
            ["{\"a\":1}", "3"],
            "x: { type: Transformable, optional: false, transformer: json }  # values of several "
                + "kinds, kept as JSON"
        ),
        (
            ["[1,[2]]", "[]"],
            "x: { type: Transformable, optional: false, transformer: json }  # a list, kept as JSON"
        ),
        (
            ["[{\"a\":1}]"],
            "x: { type: Transformable, optional: false, transformer: json }  # a list of objects, "
                + "kept as JSON; a link with `each` would make objects"
        ),
        (
            ["{}", "{}"],
            "x: { type: Transformable, optional: false, transformer: json }  # an object, kept as "
                + "JSON"
        ),
        (["null", "null"], "x: String  # no value in the data, so the type is open"),
        (["{\"a\":1}", "{\"a\":2}"], "xA: { type: Integer 16, optional: false }"),
        (["{\"a\":1}", "{}"], "xA: Integer 16"),
    ]

    @Test(arguments: json) func jsonValuesKeepWhatTheyAre(
        values: [String], attribute: String
    ) throws {
        let lines = values.map { "{\"x\":\($0)}" }.joined(separator: "\n")
        let found = try InferenceCase("rows.ndjson", lines)
        #expect(found.attributes == [attribute])
        #expect(try found.imported(["Row": ""])["Row"]?.count == values.count)
    }

    /// Values of one column `x`, and the attribute that holds them.
    static let columns: [([String], String)] = [
        (["1", "70"], "x: { type: Integer 16, optional: false }"),
        (["1", ""], "x: Integer 16"),
        (
            ["007", "12"],
            "x: { type: String, optional: false }  # leading zeros or long numbers, kept as text"
        ),
        (["12345678901234560000"], "x: { type: Double, optional: false }"),
        (
            ["12345678901234567891"],
            "x: { type: String, optional: false }  # leading zeros or long numbers, kept as text"
        ),
        (["-0", "1"], "x: { type: String, optional: false }"),
        (["1e5", "1"], "x: { type: String, optional: false }"),
        (["0.99", "1.5"], "x: { type: Double, optional: false }"),
        (
            ["0.99", "1.50"],
            "x: { type: Double, optional: false }  # exports write 1.50 as 1.5; say String to keep "
                + "the zeros"
        ),
        (
            ["1.1", "1.10"],
            "x: { type: String, optional: false }  # 1.10 and 1.1 may differ, so kept as text"
        ),
        (["true", "false"], "x: { type: Boolean, optional: false }"),
        (["True", "false"], "x: { type: String, optional: false }"),
        (["yes", "no"], "x: { type: String, optional: false }"),
        (["1", "a"], "x: { type: String, optional: false }"),
        (["\"\"", "1"], "x: { type: String, optional: false }"),
        (["\"a,\"\"b\"\"\nc\"", "d"], "x: { type: String, optional: false }"),
        (["", ""], "x: String  # no value in the data, so the type is open"),
    ]

    @Test(arguments: columns) func columnsKeepWhatTheyAre(
        values: [String], attribute: String
    ) throws {
        let rows = values.map { "r,\($0)\n" }.joined()
        let found = try InferenceCase("rows.csv", "kind,x\n" + rows)
        #expect(Array(found.attributes.dropFirst()) == [attribute])
        #expect(try found.imported(["Row": ""])["Row"]?.count == values.count)
    }

    @Test func digitsOfCodesStayText() throws {
        let found = try InferenceCase("shops.csv", "Zip Code,phone\n70174,49\n12227,50\n")
        #expect(
            found.attributes == [
                "zipCode: { type: String, optional: false }  # digits, but by its name no quantity",
                "phone: { type: String, optional: false }  # digits, but by its name no quantity",
            ])
    }

    @Test(arguments: [
        ("tasks.ndjson.gz", "Task"), ("in/categories-2024-05-01.csv", "Category"),
        ("people_001.json", "Person"), ("status.csv", "Status"), ("boxes.tsv", "Box"),
        ("order lines.csv", "OrderLine"), ("InvoiceLine.csv", "InvoiceLine"),
        ("2024.csv", "Record2024"), ("movies.v2.csv", "Movie"), ("...", "Record"),
    ]) func entitiesAreNamedAfterFiles(file: String, entity: String) {
        #expect(InferredNames.entity(ofFile: file) == entity)
    }

    @Test(arguments: [
        (["created_at"], "createdAt"), (["ArtistId"], "artistId"), (["ID"], "id"),
        (["URLPath"], "urlPath"), (["Full Name"], "fullName"), (["owner", "e-mail"], "ownerEMail"),
        (["2nd"], "field2nd"), (["%"], "field"), (["Größe"], "größe"), (["x"], "x"),
    ]) func propertiesAreNamedAfterFields(path: [String], name: String) {
        #expect(InferredNames.property(path) == name)
    }
}
