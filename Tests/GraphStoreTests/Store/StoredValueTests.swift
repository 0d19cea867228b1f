import GraphModel
import GraphStore
import Testing

@Suite("Stored values") struct StoredValueTests {
    private let entities = """
        Thing:
          attributes:
            id: { type: UUID, optional: false }
            small: Integer 16
            large: Integer 64
            flag: Boolean
            ratio: Double
            price: Decimal
            name: String
            when: Date
            data: Binary
            link: URI
          unique: [[id]]
        """
    private let plan = BulkPlan(
        entity: "Thing", key: ["id"],
        attributes: [
            "id", "small", "large", "flag", "ratio", "price", "name", "when", "data", "link",
        ])
    private let uuid: [UInt8] = Array(0x10..<0x20)

    @Test func storesValuesInTheTypesOfTheLayout() throws {
        try withStore(entities) { store in
            try store.container.load(
                plan,
                [
                    [
                        .blob(uuid), -32768, .integer(.min), 1, 2.0, 0.99, "a\0é",
                        .real(86_400), .blob([0, 1]), "https://example.org/",
                    ],
                    [
                        .blob(uuid.reversed()), 32767, .integer(.max), 0, 0.5, 3.0, "",
                        .real(86_400.25), .blob([]), nil,
                    ],
                ])
            let columns = [
                "ZID", "ZSMALL", "ZLARGE", "ZFLAG", "ZRATIO", "ZPRICE", "ZNAME", "ZWHEN", "ZDATA",
                "ZLINK",
            ]
            let types = columns.map { "typeof(\($0))" }.joined(separator: ", ")
            #expect(
                try store.lines(
                    "SELECT Z_ENT, Z_OPT, \(columns.joined(separator: ", ")) FROM ZTHING")
                    == [
                        "1|1|x101112131415161718191a1b1c1d1e1f|-32768|-9223372036854775808|1|2.0"
                            + "|0.99|a\0é|86400|x0001|https://example.org/",
                        "1|1|x1f1e1d1c1b1a19181716151413121110|32767|9223372036854775807|0|0.5|3"
                            + "||86400.25|x|-",
                    ])
            // Whole seconds are stored as integers, doubles as reals.
            #expect(
                try store.lines("SELECT \(types) FROM ZTHING") == [
                    "blob|integer|integer|integer|real|real|text|integer|blob|text",
                    "blob|integer|integer|integer|real|integer|text|real|blob|null",
                ])
            #expect(try store.lines("SELECT Z_MAX FROM Z_PRIMARYKEY") == ["2"])
        }
    }

    @Test func equalValuesOfAnotherNumericTypeAreUnchanged() throws {
        try withStore(entities) { store in
            let record: [TestValue] = [
                .blob(uuid), 1, 2, 1, 2.0, 3.0, "é", .real(86_400), .blob([]), "urn:x",
            ]
            try store.container.load(plan, [record])
            let again = try store.container.load(
                plan, [record.map { $0 == 3.0 ? 3 : $0 == .real(86_400) ? 86_400 : $0 }])
            #expect(again.counts == "0 new, 0 changed, 1 same, 0 superseded, 0 rejected")
            // Text is compared as bytes: the same letter in another normal form is a different
            // text.
            let other = try store.container.load(
                plan, [record.map { $0 == "é" ? "e\u{301}" : $0 }])
            #expect(other.counts == "0 new, 1 changed, 0 same, 0 superseded, 0 rejected")
        }
    }

    @Test func newObjectsGetDefaultsForAbsentValues() throws {
        try withStore(
            """
            Thing:
              attributes:
                key: { type: String, optional: false }
                count: { type: Integer 16, optional: false, default: 7 }
                name: { type: String, default: "it's" }
                token: { type: UUID, default: 00112233-4455-6677-8899-aabbccddeeff }
                other: { type: Double, default: 0.5 }
              unique: [[key]]
            """
        ) { store in
            let plan = BulkPlan(
                entity: "Thing", key: ["key"], attributes: ["key", "count", "name"])
            try store.container.load(
                plan, [["a", .absent, .absent], ["b", 1, nil], ["c", .absent, "x"]])
            #expect(
                try store.lines("SELECT ZKEY, ZCOUNT, ZNAME, ZTOKEN, ZOTHER FROM ZTHING") == [
                    "a|7|it's|x00112233445566778899aabbccddeeff|0.5",
                    "b|1|-|x00112233445566778899aabbccddeeff|0.5",
                    "c|7|x|x00112233445566778899aabbccddeeff|0.5",
                ])
        }
    }
}
