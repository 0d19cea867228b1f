import Foundation
import Testing

/// All faults of a rejected record, in whichever step each is found.
@Suite("All faults of a rejected record") struct RejectFaultsTests {
    private struct Place {
        let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
            try write(
                "model.yaml",
                """
                model: 1
                entities:
                  Item:
                    attributes:
                      id: { type: Integer 64 }
                      title: { type: String, optional: false, length: 1..5 }
                      n: { type: Integer 32, range: 0..10 }
                      code: String
                      mark: String
                    relationships:
                      cat: { to: Cat, inverse: items, optional: false }
                      tags: { to: Tag, many: true, inverse: items, count: 2..3 }
                      next: { to: Item, inverse: earlier }
                      earlier: { to: Item, many: true, inverse: next }
                    unique: [[id], [code], [mark, n]]
                    validate:
                      - { rule: "n != 5", message: five is bad }
                      - { rule: "title != 'abc'", message: abc is bad }
                  Cat:
                    attributes: { name: String }
                    relationships: { items: { to: Item, many: true, inverse: cat } }
                    unique: [[name]]
                  Tag:
                    attributes: { name: String }
                    relationships: { items: { to: Item, many: true, inverse: tags } }
                    unique: [[name]]
                """)
            try write("c.ndjson", "{\"name\":\"ok\"}\n")
            try run(
                "{ import: c.ndjson, into: Cat }",
                "{ import: tags, read: { files: c.ndjson }, into: Tag }")
        }

        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }

        @discardableResult
        func run(_ stages: String...) throws -> ToolResult {
            try write(
                "s.yaml",
                """
                etl: 1
                name: test
                rejects: { allow: 100%, abort: 100% }
                store: { at: s.sqlite, open: create, model: model.yaml }
                stages:
                \(stages.map { "  - \($0)" }.joined(separator: "\n"))
                """)
            return try Tool.etl(["run", "s.yaml"], in: folder.path)
        }

        /// Returns the reasons of the only record that the last run rejected.
        func reasons() throws -> [String] {
            let rejects = folder.path + "/rejects"
            let run = try #require(FileManager.default.contentsOfDirectory(atPath: rejects).first)
            let why = try Tool.contents("\(rejects)/\(run)/import-a.a.ndjson.why.ndjson")
            let reason =
                try JSONSerialization.jsonObject(with: Data(why.utf8)) as? [String: Any] ?? [:]
            try FileManager.default.removeItem(atPath: rejects)
            return ([reason] + (reason["others"] as? [[String: Any]] ?? [])).map {
                "\($0["code"] ?? ""), \($0["field"] as? String ?? ""): \($0["message"] ?? "")"
            }
        }

        func rows(_ query: String) throws -> [String] {
            try Tool.sqlite(folder.path + "/s.sqlite", query)
        }
    }

    private static let stage = """
        { import: a.ndjson, into: Item, key: id, unmet: ignore, link: { cat: { by: { name: cat } }, \
        tags: { by: { name: "tags[*]" } }, next: { by: { id: next } } } }
        """

    @Test(
        "reports the faults of values, links, required properties, and rules together",
        arguments: [
            (
                #"{"id":1,"n":3,"cat":"gone"}"#,
                [
                    "link, cat: No Cat has name 'gone'",
                    "required, title: 'title' is required and the record lacks it",
                ]
            ),
            (
                #"{"id":1,"title":"toolong","cat":"gone","n":5}"#,
                [
                    "validate, title: 'title' must have from 1 to 5 characters, and has 7",
                    "link, cat: No Cat has name 'gone'",
                    "validate, : five is bad",
                ]
            ),
            (
                #"{"id":1}"#,
                [
                    "required, title: 'title' is required and the record lacks it",
                    "required, cat: 'cat' is required and the record lacks it",
                ]
            ),
            (
                #"{"id":1,"title":"abc","n":5,"cat":"ok"}"#,
                ["validate, : five is bad", "validate, : abc is bad"]
            ),
            (
                #"{"id":1,"title":"ok","tags":["ok"],"cat":"ok","n":5}"#,
                [
                    "validate, tags[*]: 'tags' needs at least 2 objects and gets 1 (for 'tags')",
                    "validate, : five is bad",
                ]
            ),
            (
                #"{"id":1,"title":null,"n":"x","tags":["gone"],"cat":null}"#,
                [
                    "required, title: 'title' is required, and the record has null for it",
                    "cast, n: 'n' takes a whole number that fits Integer 32, not 'x'",
                    "required, cat: 'cat' needs an object, and 'cat' names none",
                    "link, tags[*]: No Tag has name 'gone' (for 'tags')",
                ]
            ),
            // Rules and checks for missing values skip rejected values; a link to a later record is
            // unresolved.
            (
                #"{"id":1,"title":"abc","n":50,"cat":"ok","next":99}"#,
                ["validate, n: 'n' must be from 0 to 10, and is 50", "validate, : abc is bad"]
            ),
            // Without a key, it is unknown whether the object is new.
            (
                #"{"n":5,"cat":"gone"}"#,
                ["key, id: The record has no 'id'", "link, cat: No Cat has name 'gone'"]
            ),
        ] as [(String, [String])])
    func allFaults(record: String, faults: [String]) throws {
        let place = try Place()
        try place.write("a.ndjson", record + "\n")
        let result = try place.run(Self.stage)
        #expect(result.status == 0, "\(result)")
        #expect(try place.reasons() == faults)
        #expect(try place.rows("SELECT count(*) FROM ZITEM") == ["0"])
    }

    @Test(
        "reports each uniqueness constraint that a record violates, with its other faults",
        arguments: [
            (
                #"{"id":3,"title":"abd","cat":"ok","code":"x","mark":"m","n":2}"#,
                [
                    "unique, n: Another Item has n 2 and mark 'm'",
                    "unique, code: Another Item has code 'x'",
                ]
            ),
            (
                #"{"id":3,"title":"abc","cat":"gone","code":"x","mark":"m","n":2}"#,
                [
                    "link, cat: No Cat has name 'gone'", "validate, : abc is bad",
                    "unique, code: Another Item has code 'x'",
                    "unique, n: Another Item has n 2 and mark 'm'",
                ]
            ),
            // The object exists, and already has the mark.
            (
                #"{"id":4,"code":"x","n":2}"#,
                ["unique, n: Another Item has n 2", "unique, code: Another Item has code 'x'"]
            ),
            (#"{"id":1,"code":"x","n":11}"#, ["validate, n: 'n' must be from 0 to 10, and is 11"]),
        ] as [(String, [String])])
    func constraints(record: String, faults: [String]) throws {
        let place = try Place()
        try place.write(
            "a.ndjson",
            """
            {"id":1,"title":"abd","cat":"ok","code":"x","mark":"l","n":2}
            {"id":2,"title":"abd","cat":"ok","code":"y","mark":"m","n":2}
            {"id":4,"title":"abd","cat":"ok","code":"z","mark":"m","n":3}

            """)
        #expect(try place.run(Self.stage) == .silentSuccess)
        try place.write("a.ndjson", record + "\n")
        #expect(try place.run(Self.stage).status == 0)
        let reasons = try place.reasons()
        #expect(reasons == faults)
        #expect(
            try place.rows("SELECT ZID, ZCODE, ZMARK, ZN FROM ZITEM ORDER BY 1") == [
                "1|x|l|2", "2|y|m|2", "4|z|m|3",
            ])
    }

    @Test("states that the links of a rejected record were not looked up if there are too many")
    func longList() throws {
        let place = try Place()
        let tags = (0...4096).map { "\"t\($0)\"" }.joined(separator: ",")
        try place.write(
            "a.ndjson", "{\"id\":1,\"title\":\"toolong\",\"cat\":\"gone\",\"tags\":[\(tags)]}\n")
        #expect(try place.run(Self.stage).status == 0)
        #expect(
            try place.reasons() == [
                "validate, title: 'title' must have from 1 to 5 characters, and has 7",
                "link, tags[*]: The 4097 objects of 'tags' were not looked up, because a rejected record"
                    + " has at most 4096",
                "link, cat: No Cat has name 'gone'",
            ])
    }

    @Test("does not report values as missing that the existing object has")
    func updates() throws {
        let place = try Place()
        try place.write("a.ndjson", "{\"id\":1,\"title\":\"abd\",\"n\":4,\"cat\":\"ok\"}\n")
        #expect(try place.run(Self.stage) == .silentSuccess)
        try place.write("a.ndjson", "{\"id\":1,\"n\":5,\"tags\":[\"gone\"]}\n")
        try place.run(Self.stage)
        #expect(
            try place.reasons() == [
                "link, tags[*]: No Tag has name 'gone' (for 'tags')", "validate, : five is bad",
            ])
        #expect(try place.rows("SELECT ZN FROM ZITEM") == ["4"])
    }

    @Test("reports unmapped fields and duplicate keys together with the other faults")
    func rulesOfKeys() throws {
        let place = try Place()
        try place.write(
            "a.ndjson", "{\"id\":1,\"title\":\"toolong\",\"id\":1,\"more\":2,\"cat\":\"gone\"}\n")
        try place.run(
            """
            { import: a.ndjson, into: Item, key: id, extra: reject, on: { duplicate-key: reject }, \
            link: { cat: { by: { name: cat } } } }
            """)
        #expect(
            try place.reasons() == [
                "duplicate-key, : An object of the record has a key twice",
                "extra, more: Nothing maps 'more'",
                "validate, title: 'title' must have from 1 to 5 characters, and has 7",
                "link, cat: No Cat has name 'gone'",
            ])
    }

    @Test(
        "collecting faults does not change the good records of the same batch")
    func nextToValidRecords() throws {
        let place = try Place()
        let records = (1...3000).map { number -> String in
            switch number % 4 {
            case 0: #"{"id":\#(number),"title":"toolong","cat":"gone"}"#
            case 1: #"{"id":\#(number),"title":"t","cat":"new\#(number)"}"#
            default: #"{"id":\#(number),"title":"t","cat":"ok","next":\#(number + 1)}"#
            }
        }
        try place.write("a.ndjson", records.joined(separator: "\n") + "\n")
        let stage = """
            { import: a.ndjson, into: Item, key: id, link: { cat: { by: { name: cat } }, \
            next: { by: { id: next }, missing: null } } }
            """
        #expect(try place.run(stage).status == 0)
        #expect(
            try place.rows("SELECT count(*), count(ZNEXT) FROM ZITEM") == ["1500|750"])
        #expect(try place.rows("SELECT count(*) FROM ZCAT") == ["1"])
    }
}
