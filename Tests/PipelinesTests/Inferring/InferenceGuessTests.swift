import Diagnostics
import Foundation
import Testing
import YAML

@testable import Pipelines

/// Keys whose names are ambiguous, and words for true and false.
@Suite("Guesses of inference") struct InferenceGuessTests {
    @Test(
        "a field that looks like an identifier becomes the key, and codes become text",
        arguments: [
            ("sku,price\n100,1\n200,1\n", "sku", "Integer 64", ""),
            ("code,price\n100,1\n200,1\n", "code", "String", ""),
            ("price,number\n1,100\n1,200\n", "number", "Integer 64", ""),
            ("price,name,login\n1,a,x\n1,b,y\n", "login", "String", ""),
            ("price,item_no\n1,a\n1,b\n", "itemNo", "String", ""),
            ("ticket,price\nA-1,1\nA-2,1\n", "ticket", "String", "the first column, "),
            ("ref,price\n17,1\n18,1\n", "ref", "Integer 64", "the first column, "),
        ])
    func keys(_ table: String, _ key: String, _ type: String, _ place: String) throws {
        let found = try InferenceCase("items.csv", table)
        let attribute = "\(key): { type: \(type), optional: false }"
        #expect(found.attributes.contains { $0.hasPrefix(attribute) }, "\(found.attributes)")
        let unique = "unique: [[\(key)]]  # guessed: \(place)unique in 2 records\n"
        #expect(found.spec.contains(unique), "\(found.spec)")
        #expect(found.spec.contains("    key: \(key)\n"))
        for _ in 1...2 { #expect(try found.imported(["Items": ""])["Items"]?.count == 2) }
    }

    @Test(
        "without a unique field, the key is computed from the complete record",
        arguments: [
            "ticket,price\nA-1,1\nA-1,2\n", "ticket,price\nA-1,1\n,2\n",
            "ticket,price\nfirst one,1\nsecond one,2\n", "title,price\na,1\nb,2\n",
            "parent,price\na,1\nb,2\n", "ticket,price\nA-1,1\n",
        ])
    func noKey(_ table: String) throws {
        let found = try InferenceCase("items.csv", table)
        #expect(
            found.spec.contains(
                """
                    key: rowKey
                    set:
                      rowKey: { expr: "rowkey()" }

                """))
        let count = table.split(separator: "\n").count - 1
        for _ in 1...2 { #expect(try found.imported(["Items": ""])["Items"]?.count == count) }
    }

    @Test("a field without a key's name may be the key if its values differ in many records")
    func possibleKey() throws {
        func note(_ count: Int) throws -> String {
            let rows = (1...count).map { "\($0 % 2),P-\($0)\n" }
            let found = try InferenceCase("cars.csv", "color,plate\n" + rows.joined())
            let line = try #require(
                found.spec.split(separator: "\n").first { $0.contains("rowKey: { type") })
            return String(line.drop { $0 != "#" })
        }
        #expect(try note(19) == "# no field identifies a record, so all fields do")
        #expect(
            try note(20)
                == "# no field identifies a record, so all fields do; plate has a different value in "
                + "each record: if it is the key, --key plate")
    }

    @Test(
        "a column is linked to the file with the plural of its name, also in other languages",
        arguments: [
            ("kunden", "kunde"), ("kunden", "kunde_id"), ("ciudades", "ciudad"),
            ("clientes", "cliente"), ("Länder", "land_id"), ("produkte", "produkt"),
        ])
    func plurals(file: String, column: String) throws {
        let workspace = try Workspace()
        try workspace.write("\(file).csv", "id,name\n1,a\n2,b\n3,c\n")
        // Another entity whose name begins with the same word.
        try workspace.write("\(file)gruppen.csv", "id,name\n1,x\n2,y\n3,z\n")
        try workspace.write("bestellungen.csv", "id,\(column)\n10,1\n11,2\n12,1\n")
        let found = try InferenceCase(
            workspace, ["\(file).csv", "\(file)gruppen.csv", "bestellungen.csv"])
        let entity = InferredNames.entity(ofField: file)
        let name = InferredNames.property([column]).replacing("Id", with: "")
        #expect(
            found.spec.contains(
                """
                        relationships:
                          \(name): { to: \(YAMLWriter.scalar(entity)), inverse: bestellungen }

                """), "\(found.spec)")
    }

    @Test(
        "few keys that no object has do not refute a reference by name, but many do",
        arguments: [
            (["1", "2", "3", "4", "9"], "customer_id", true),
            (["1", "2", "3", "9"], "customer_id", false),
            (["1", "2", "3", "4", "9"], "order", false),
            (["1", "2", "3", "4", "9"], "reference_no", false),
        ])
    func danglingKeys(_ values: [String], _ column: String, _ isLink: Bool) throws {
        let workspace = try Workspace()
        let file = column == "order" ? "orders.csv" : "customers.csv"
        try workspace.write(file, "id\n1\n2\n3\n4\n5\n6\n")
        try workspace.write(
            "calls.csv",
            "id,\(column)\n" + values.enumerated().map { "1\($0),\($1)\n" }.joined())
        let found = try InferenceCase(workspace, ["calls.csv", file])
        #expect(found.spec.contains("missing: report") == isLink, "\(found.spec)")
        let codes = found.inference.warnings.map(\.code)
        #expect(codes == (isLink ? ["infer.missing-objects"] : []))
        let note =
            "      # 'customer_id' is not linked to Customers: only 3 of 4 values are its id\n"
        #expect(found.spec.contains(note) == (values.count == 4), "\(found.spec)")
        #expect(try workspace.check(found.inference.spec(modelFile: nil)) == "")
        let run = try workspace.run(found.inference.spec(modelFile: nil))
        #expect(run.status == .ok && run.text == "")
    }

    @Test("an unknown key in the key of nested objects is no link, because it rejects the record")
    func danglingKeyOfNestedObjects() throws {
        let workspace = try Workspace()
        let products = (1...20).map { "{\"sku\":\"S\($0)\",\"t\":\"x\"}\n" }
        try workspace.write("products.ndjson", products.joined())
        let carts = (1...20).map { number in
            "{\"id\":\(number),\"items\":[{\"sku\":\"S\(number)\",\"n\":1},"
                + "{\"sku\":\"S\(number == 3 ? 99 : number % 20 + 1)\",\"n\":2}]}\n"
        }
        try workspace.write("carts.ndjson", carts.joined())
        let found = try InferenceCase(workspace, ["products.ndjson", "carts.ndjson"])
        #expect(
            found.spec.contains(
                "'sku' is not linked to Products: only 20 of 21 values are its sku\n"),
            "\(found.spec)")
        #expect(try found.imported(["Carts": ""])["Carts"]?.count == 20)
    }

    @Test("a column of two Boolean words becomes a Boolean with a map of the words")
    func truths() throws {
        let found = try InferenceCase(
            "items.csv", "id,Active,sold,done\n1,Y,yes,true\n2,N,,false\n3,N,no,true\n")
        #expect(
            found.spec.hasSuffix(
                """
                    key: id
                    set:
                      active: { from: Active, map: { "Y": true, "N": false } }  # guessed: there is no \
                other word
                      sold: { from: sold, map: { "yes": true, "no": false } }  # guessed: there is no \
                other word

                """))
        #expect(
            try found.imported(["Items": ""])["Items"] as NSArray? == [
                ["id": 1, "active": true, "sold": true, "done": true],
                ["id": 2, "active": false, "sold": NSNull(), "done": false],
                ["id": 3, "active": false, "sold": false, "done": true],
            ] as NSArray)
    }

    @Test("the error for a missing file does not mention specs")
    func missing() throws {
        let failure = #expect(throws: RunFailure.self) {
            try Inference(from: ["no/such.csv"])
        }
        #expect(
            failure?.diagnostics.map(DiagnosticRenderer.text) == [
                """
                no/such.csv: error: The file does not exist [input.missing]
                  fix: check the name; a relative path starts at the working folder
                """
            ])
    }
}
