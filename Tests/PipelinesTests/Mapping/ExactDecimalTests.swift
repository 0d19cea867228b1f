import GraphModel
import GraphStore
import SQLite
import Testing

@testable import Pipelines

/// `store.exact-decimals`.
@Suite("Exact decimals")
struct ExactDecimalTests {
    private static let model = """
        model: 1
        entities:
          Item:
            attributes:
              sku: { type: String, optional: false }
              price: { type: Decimal, range: 0.. }
            unique: [[sku]]
        """
    private static let records = """
        {"sku":"a","price":12345678901234567890.12345678901234567}
        {"sku":"b","price":"1.50"}
        {"sku":"c","price":1e3}
        {"sku":"d","price":123456789012345678901234567890123456789}
        {"sku":"e","price":"-0.00000000000000000001"}
        {"sku":"f","price":"x"}
        """

    private static func spec(_ stages: String, _ store: String = "exact-decimals: true") -> String {
        """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, open: create, \(store) }
        rejects: { allow: 3 }
        stages:
        \(stages)
        """
    }

    private func filled() throws -> Workspace {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("items.ndjson", Self.records)
        let run = try folder.run(
            Self.spec("- { import: items.ndjson, into: Item }"))
        #expect(run.status == .ok)
        return folder
    }

    private func change(_ folder: Workspace, _ sql: String) throws {
        try Connection(path: folder.path("store.sqlite"), mode: .readWrite).execute(sql)
    }

    @Test("imports and exports every digit of a decimal")
    func roundTrip() throws {
        let folder = try filled()
        #expect(
            try folder.rows("SELECT ZSKU, ZPRICE FROM ZITEM") == [
                "a|12345678901234567890.12345678901234567", "b|1.5", "c|1000",
            ])
        let reasons = try folder.reasons()
        #expect(
            reasons == [
                "cast price: 'price' takes a decimal number of at most 38 digits, not "
                    + "123456789012345678901234567890123456789",
                "validate price: 'price' must be at least 0, and is -0.00000000000000000001",
                "cast price: 'price' takes a decimal number, not 'x'",
            ])
        let exported = try folder.run(
            Self.spec(
                """
                - { export: all, entity: Item, fields: [price, sku], to: out.ndjson, order: [price desc] }
                - { export: large, entity: Item, fields: [price, sku], to: out.csv, where: "price > 12345678901234567890" }
                """))
        #expect(exported.text == "")
        let lines = try folder.text("out.ndjson")
        #expect(
            lines == """
                {"price":12345678901234567890.12345678901234567,"sku":"a"}
                {"price":1000,"sku":"c"}
                {"price":1.5,"sku":"b"}

                """)
        let table = try folder.text("out.csv")
        #expect(
            table
                == "price,sku\n12345678901234567890.12345678901234567,a\n")
    }

    @Test("the reason for a number out of range names the allowed digits")
    func exponents() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "items.ndjson",
            """
            {"sku":"a","price":1e164}
            {"sku":"b","price":1e-128}
            {"sku":"c","price":1e165}
            {"sku":"d","price":"1e-165"}
            {"sku":"e","price":1e400}
            """)
        let run = try folder.run(Self.spec("- { import: items.ndjson, into: Item }"))
        #expect(run.status == .ok)
        #expect(
            try folder.rows("SELECT ZSKU, length(ZPRICE) FROM ZITEM ORDER BY ZSKU")
                == ["a|165", "b|130"])
        let wanted = "a decimal number of at most 165 digits before the point and 128 after it"
        #expect(
            try folder.reasons() == [
                "cast price: 'price' takes \(wanted), not 1e165",
                "cast price: 'price' takes \(wanted), not '1e-165'",
                "cast price: 'price' takes \(wanted), not 1e400",
            ])
    }

    @Test("importing the same records again changes nothing, with or without the key")
    func again() throws {
        let folder = try filled()
        let stage = "- { import: items.ndjson, into: Item }"
        for store in ["exact-decimals: true", ""] {
            let run = try folder.run(Self.spec(stage, store))
            #expect(run.status == .ok)
            let records = run.outcome.stages.first?.records
            #expect(records?.unchanged == 3)
            #expect(records?.updated == 0)
        }
    }

    @Test("an update sets constants of many digits, and results of expressions")
    func updates() throws {
        let folder = try filled()
        let run = try folder.run(
            Self.spec(
                """
                - { update: b, entity: Item, where: "sku == 'b'", set: { price: "'98765432109876543210.5'" } }
                - { update: c, entity: Item, where: "sku == 'c'", set: { price: "price / 8" } }
                """))
        #expect(run.text == "")
        #expect(
            try folder.rows("SELECT ZSKU, ZPRICE FROM ZITEM WHERE ZSKU <> 'a'")
                == ["b|98765432109876543210.5", "c|125"])
    }

    @Test("the key cannot change how an existing store keeps decimals")
    func otherWay() throws {
        let folder = try filled()
        let run = try folder.run(
            Self.spec("- { export: Item, to: out.csv }", "exact-decimals: false"))
        #expect(run.status == .configuration)
        #expect(
            run.text.contains(
                "store.sqlite keeps decimals as exact texts; this is chosen when the store is "
                    + "created"))
    }

    @Test("numbers of many digits are compared and computed exactly in a store of exact decimals")
    func manyDigits() throws {
        let folder = try filled()
        try folder.write(
            "more.ndjson",
            """
            {"sku":"g","net":0.1,"tax":0.2}
            {"sku":"h","net":12345678901234567890.1,"tax":0.02}
            {"sku":"i","net":5,"tax":2}
            """)
        // The spec omits the key, since the store already has it.
        let run = try folder.run(
            Self.spec(
                """
                - import: more.ndjson
                  into: Item
                  set: { sku: sku, price: { expr: net + tax } }
                - { update: a, entity: Item, where: "price == 12345678901234567890.12345678901234567", set: { price: price + 0.00000000000000003 } }
                - { update: b, entity: Item, where: "sku == 'b'", set: { price: 123456789012345678901234567890.5 } }
                - { delete: Item, where: "price > 12345678901234567890.11 AND price < 12345678901234567890.121" }
                """, ""))
        #expect(run.text == "")
        let rows = try folder.rows("SELECT ZSKU, ZPRICE FROM ZITEM ORDER BY ZSKU")
        #expect(
            rows == [
                "a|12345678901234567890.1234567890123457", "b|123456789012345678901234567890.5",
                "c|1000", "g|0.3", "i|7",
            ])
    }

    @Test("a number of a record is an integer only if it has no point and no exponent")
    func wholeNumbers() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write(
            "net.ndjson",
            """
            {"sku":"a","net":3.0}
            {"sku":"b","net":3}
            {"sku":"c","net":1e1}
            """)
        let run = try folder.run(
            Self.spec(
                """
                - import: net.ndjson
                  into: Item
                  set: { sku: sku, price: { expr: net / 4 } }
                """))
        #expect(run.text == "")
        #expect(
            try folder.rows("SELECT ZSKU, ZPRICE FROM ZITEM ORDER BY ZSKU")
                == ["a|0.75", "b|0", "c|2.5"])
    }

    @Test("without exact decimals, numbers of many digits in expressions are doubles")
    func longNumbersOfPlainStores() throws {
        let folder = try Workspace()
        try folder.write("model.yaml", Self.model)
        try folder.write("discs.ndjson", #"{"sku":"a","r":2}"#)
        let run = try folder.run(
            Self.spec(
                """
                - import: discs.ndjson
                  into: Item
                  set: { sku: sku, price: { expr: r * 3.14159265358979323846 } }
                """, "exact-decimals: false"))
        #expect(run.text == "")
        #expect(try folder.rows("SELECT ZSKU, ZPRICE FROM ZITEM") == ["a|6.28318530717959"])
    }

    @Test("verification finds decimal texts of other programs that are not canonical")
    func verifies() throws {
        let folder = try filled()
        try change(folder, "UPDATE ZITEM SET ZPRICE = '1.50' WHERE ZSKU = 'b'")
        try change(folder, "UPDATE ZITEM SET ZPRICE = x'37' WHERE ZSKU = 'c'")
        let findings = try PersistentContainer.verify(at: folder.path("store.sqlite"), .full)
            .findings.map(\.message)
        #expect(
            findings == [
                "Item.price: 2 values are not in the canonical form of a Decimal: '1.50' should be"
                    + " '1.5'"
            ])
    }

    @Test("without its stored model, a store still compares decimals exactly")
    func withoutModel() throws {
        let folder = try filled()
        try change(folder, "DROP TABLE ETL_MODEL")
        let verification = try PersistentContainer.verify(at: folder.path("store.sqlite"), .full)
        #expect(verification.findings.filter { $0.kind == .value } == [])
        var options = StoreOptions()
        options.isReadOnly = true
        let container = try PersistentContainer(
            model: nil, .sqlite(at: folder.path("store.sqlite"), options: options))
        var request = FetchRequest<ManagedObject>(entityName: "Item")
        request.predicate = try GraphPredicate(
            format: "price == 12345678901234567890.12345678901234567")
        #expect(try container.newContext().fetch(request).count == 1)
    }
}
