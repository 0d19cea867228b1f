import Diagnostics
import Foundation
import Testing

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
