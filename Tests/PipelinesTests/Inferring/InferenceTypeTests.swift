import Foundation
import Testing

@testable import Pipelines

@Suite("Inferred types") struct InferenceTypeTests {
    /// Values of one field `x` as JSON, and the inferred attribute.
    static let json: [([String], String)] = [
        (["1", "70"], "x: Integer 64"),
        (["1", "70000"], "x: Integer 64"),
        (["-3000000000", "1"], "x: Integer 64"),
        (["1", "null"], "x: Integer 64"),
        (
            ["9223372036854775808", "1"],
            "x: String  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (["1.5", "2"], "x: Double"),
        (["1e3", "0.1"], "x: Double"),
        (
            ["1.5", "9007199254740993"],
            "x: String  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (
            ["0.12345678901234567890", "1"],
            "x: String  # numbers that Integer 64 and Double would not "
                + "hold as they are"
        ),
        (["true", "false"], "x: Boolean"),
        (["\"true\"", "\"false\""], "x: String"),
        (["\"12\"", "\"13\""], "x: String"),
        (
            ["\"2024-02-29\"", "\"2024-03-01T10:00:00Z\""],
            "x: Date  # a day alone is its 00:00 UTC"
        ),
        (
            ["\"2024-03-01T10:00:00.123456+02:00\""],
            "x: Date  # the moments are kept, in UTC; the offsets are "
                + "not"
        ),
        (["\"2024-03-01T10:00:00.1234567Z\""], "x: String"),
        (["\"2024-02-30\""], "x: String"),
        (
            ["\"a5f2e1d0-0000-4000-8000-000000000001\""], "x: UUID"
        ),
        (["\"\"", "\"2024-02-29\""], "x: String"),
        (
            ["1", "\"a\""],
            "x: String  # numbers and texts, kept as text"
        ),
        (
            ["true", "\"a\""],
            "x: { type: Transformable, transformer: json }  # values of several "
                + "kinds, kept as JSON"
        ),
        (
            ["{\"a\":1}", "3"],
            "x: { type: Transformable, transformer: json }  # values of several "
                + "kinds, kept as JSON"
        ),
        (
            ["[1,[2]]", "[]"],
            "x: { type: Transformable, transformer: json }  # a list, kept as JSON"
        ),
        (
            ["[{\"a\":1}]"],
            "x: { type: Transformable, transformer: json }  # a list of objects, "
                + "kept as JSON, because no field identifies them"
        ),
        (
            ["{}", "{}"],
            "x: { type: Transformable, transformer: json }  # an object, kept as "
                + "JSON"
        ),
        (["null", "null"], "x: String  # no value in the data, so the type is open"),
        (["{\"a\":1}", "{\"a\":2}"], "xA: Integer 64"),
        (["{\"a\":1}", "{}"], "xA: Integer 64"),
    ]

    @Test(arguments: json) func infersTheAttributeFromJSONValues(
        values: [String], attribute: String
    ) throws {
        let lines = values.map { "{\"x\":\($0)}" }.joined(separator: "\n")
        let found = try InferenceCase("rows.ndjson", lines)
        #expect(found.attributes == [attribute])
        #expect(try found.imported(["Rows": ""])["Rows"]?.count == values.count)
    }

    /// Values of one column `x`, and the inferred attribute.
    static let columns: [([String], String)] = [
        (["1", "70"], "x: Integer 64"),
        (["1", ""], "x: Integer 64"),
        (
            ["007", "12"],
            "x: String  # leading zeros or long numbers, kept as text"
        ),
        (["12345678901234560000"], "x: Double"),
        (
            ["12345678901234567891"],
            "x: String  # leading zeros or long numbers, kept as text"
        ),
        (["-0", "1"], "x: String"),
        (["1e5", "1"], "x: String"),
        (["0.99", "1.5"], "x: Decimal"),
        (["0.12345", "1.5"], "x: Double"),
        (
            ["0.99", "1.50"],
            "x: Decimal  # exports write 1.50 as 1.5; say String to keep "
                + "the zeros"
        ),
        (
            ["1.1", "1.10"],
            "x: Decimal  # exports write 1.50 as 1.5; say String to keep "
                + "the zeros"
        ),
        (["NULL", "1"], "x: Integer 64"),
        (["\\N", "a"], "x: String"),
        (["NA", "5", "-"], "x: Integer 64"),
        (["NA", "DE"], "x: String"),
        (["31.12.2024", "1.2.2024"], "x: Date  # guessed: each value is such a date"),
        (["12/31/2024", "01/02/2024"], "x: Date  # guessed: each value is such a date"),
        (
            ["01/02/2024", "03/04/2024"],
            "x: String  # kept as text: the day and the month of its dates cannot be distinguished"
        ),
        (["\"1,5\"", "\"1.234,56\""], "x: Decimal  # guessed: a number in this form"),
        (
            ["\"1,234\"", "\"5,678\""],
            "x: String  # kept as text: it is unknown whether the comma of 1,234 groups thousands"
        ),
        (["\"1,234,567\"", "\"5,678\""], "x: Decimal  # guessed: a number in this form"),
        (["true", "false"], "x: Boolean"),
        (["True", "false"], "x: String"),
        (["yes", "no", "", "yes"], "x: Boolean"),
        (["Y", "N"], "x: Boolean"),
        (["Ja", "Nein", ""], "x: Boolean"),
        (["Y", "Y"], "x: String"),
        (["Y", "n"], "x: String"),
        (["y", "n", "?"], "x: String"),
        (["1", "a"], "x: String"),
        (["\"\"", "1"], "x: String"),
        (["\"a,\"\"b\"\"\nc\"", "d"], "x: String"),
        (["", ""], "x: String  # no value in the data, so the type is open"),
    ]

    @Test(arguments: columns) func infersTheAttributeFromColumnValues(
        values: [String], attribute: String
    ) throws {
        let rows = values.map { "r,\($0)\n" }.joined()
        let found = try InferenceCase("rows.csv", "kind,x\n" + rows)
        #expect(Array(found.attributes.dropFirst()) == [attribute])
        #expect(try found.imported(["Rows": ""])["Rows"]?.count == values.count)
    }

    @Test func infersStringForZipCodesAndPhoneNumbers() throws {
        let found = try InferenceCase("shops.csv", "Zip Code,phone\n70174,49\n12227,50\n")
        #expect(
            found.attributes == [
                "zipCode: String  # digits, but by its name no quantity",
                "phone: String  # digits, but by its name no quantity",
            ])
    }

    @Test(arguments: [
        ("tasks.ndjson.gz", "Tasks"), ("in/categories-2024-05-01.csv", "Categories"),
        ("people_001.json", "People"), ("status.csv", "Status"), ("boxes.tsv", "Boxes"),
        ("order lines.csv", "OrderLines"), ("InvoiceLine.csv", "InvoiceLine"),
        ("2024.csv", "Record2024"), ("movies.v2.csv", "Movies"), ("...", "Record"),
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
