import GraphStore
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

    @Test("every digit comes in, and goes out again as it was")
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

    @Test("the same records again change nothing; without the key the store stays as it is")
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

    @Test("updates take constants of many digits, and expressions")
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

    @Test("a store that was made the other way is not changed by the key")
    func otherWay() throws {
        let folder = try filled()
        let run = try folder.run(
            Self.spec("- { export: Item, to: out.csv }", "exact-decimals: false"))
        #expect(run.status == .configuration)
        #expect(
            run.text.contains(
                "store.sqlite keeps decimals as exact texts; how a store keeps them is chosen when"
                    + " it is made"))
    }
}
