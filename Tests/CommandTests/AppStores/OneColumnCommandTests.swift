import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// Commands on stores that keep one-to-one relationships on one side.
///
/// The results are the same as on the store with both columns.
@Suite("etl on one-to-one relationships with one column") struct OneColumnCommandTests {
    /// A store in a separate folder, with the file that its app would have.
    private struct Place {
        let folder: TemporaryFolder
        let store: String

        init(_ store: String, _ make: (String) throws -> Void) throws {
            folder = try TemporaryFolder()
            self.store = store
            try make(folder.path + "/" + store)
        }

        func etl(_ arguments: String...) throws -> ToolResult {
            try Tool.etl(arguments, in: folder.path)
        }

        func sql(_ query: String) throws -> [String] {
            try Tool.sqlite(folder.path + "/" + store, query)
        }

        func write(_ text: String, to name: String) throws {
            try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }

        func contents(_ name: String) throws -> String {
            try Tool.contents(folder.path + "/" + name)
        }
    }

    private static let layouts = ["ZPERSON.ZPASSPORT", "ZPASSPORT.ZHOLDER"]

    /// Creates an app's store with two more passports, with or without one of the columns.
    private func shelf(without dropped: String? = nil) throws -> Place {
        let place = try Place("Shelf.sqlite") { path in
            let (model, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
            try AppStoreFixture.make(at: path, #require(model, "\(diagnostics)"))
        }
        let path = place.folder.path + "/Shelf.sqlite"
        try AppStoreFixture.execute(
            """
            INSERT INTO ZPASSPORT VALUES (2, 5, 1, 4, x'10112233445566778899AABBCCDDEEFF'),
            (3, 5, 1, NULL, x'20112233445566778899AABBCCDDEEFF');
            UPDATE ZPERSON SET ZPASSPORT = 2 WHERE Z_PK = 4;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Passport';
            """, at: path)
        if let dropped { try AppStoreFixture.drop(dropped, at: path) }
        return place
    }

    private static let exports = """
        etl: 1
        name: shelf
        store: { at: Shelf.sqlite }
        stages:
          - { export: Person, to: people.json }
          - { export: Passport, to: passports.csv }
          - export: Person
            to: nested.ndjson
            fields: [name, passport.number, passport.holder.name]
        """

    @Test(
        "fetch, export, verify, and infer give the same bytes with one column as with two",
        arguments: layouts)
    func reading(dropped: String) throws {
        let (both, one) = (try shelf(), try shelf(without: dropped))
        for arguments in [
            ["Person"], ["Passport"], ["Person", "--where", "passport != nil"],
            ["Person", "--where", "passport.number == '00112233-4455-6677-8899-AABBCCDDEEFF'"],
            ["Passport", "--where", "holder.name == 'Bob'"],
            ["Passport", "--where", "holder.passport.holder == nil"],
            ["Person", "--fields", "name,passport,passport.number"],
            ["Passport", "--fields", "holder,holder.name,holder.passport.number,objectID"],
            ["Person", "--sort", "passport.number desc, objectID"],
            ["Passport", "--sort", "holder.name, objectID"],
            ["Person", "--count", "--where", "passport == nil"],
        ] {
            let expected = try Tool.etl(
                ["fetch", "Shelf.sqlite"] + arguments, in: both.folder.path)
            let found = try Tool.etl(["fetch", "Shelf.sqlite"] + arguments, in: one.folder.path)
            #expect(found == expected, "\(arguments)")
            #expect(expected.status == 0, "\(expected)")
        }
        for place in [both, one] {
            try place.write(Self.exports, to: "shelf.yaml")
            let result = try place.etl("run", "shelf.yaml")
            #expect(result.status == 0, "\(result)")
        }
        for name in ["people.json", "passports.csv", "nested.ndjson"] {
            #expect(try one.contents(name) == both.contents(name), "\(name)")
        }
        for arguments in [
            ["verify", "Shelf.sqlite"], ["infer", "Shelf.sqlite", "--output", "out"],
        ] {
            let expected = try Tool.etl(arguments, in: both.folder.path)
            #expect(try Tool.etl(arguments, in: one.folder.path) == expected)
        }
        #expect(try one.contents("out/model.yaml") == both.contents("out/model.yaml"))
        let given = try one.etl(
            "fetch", "Shelf.sqlite", "Person", "--model", "out/model.yaml", "--fields",
            "passport.number")
        #expect(given.status == 0, "\(given)")
    }

    /// `verify` finds the dangling links of the fixture, and nothing about the column.
    @Test("verify has no finding about the missing column", arguments: layouts)
    func verify(dropped: String) throws {
        let found = try shelf(without: dropped).etl("verify", "Shelf.sqlite")
        #expect(!found.standardOutput.contains("assport"), "\(found)")
        #expect(found == (try shelf().etl("verify", "Shelf.sqlite")))
    }

    @Test("a repair keeps the links and the columns", arguments: layouts)
    func repair(dropped: String) throws {
        let place = try shelf(without: dropped)
        let links = [
            "SELECT name FROM pragma_table_info('ZPERSON')",
            "SELECT name FROM pragma_table_info('ZPASSPORT')",
            dropped == "ZPERSON.ZPASSPORT"
                ? "SELECT Z_PK, Z_OPT, ZHOLDER, hex(ZNUMBER) FROM ZPASSPORT"
                : "SELECT Z_PK, Z_OPT, ZPASSPORT, ZNAME FROM ZPERSON",
        ]
        let before = try links.flatMap(place.sql)
        let repaired = try place.etl("verify", "Shelf.sqlite", "--repair", "new.sqlite")
        #expect(!repaired.standardError.contains("assport"), "\(repaired)")
        let after = try links.flatMap {
            try Tool.sqlite(place.folder.path + "/new.sqlite", $0)
        }
        #expect(after == before)
    }

    @Test("migrate fills both columns of the new store", arguments: layouts)
    func migrate(dropped: String) throws {
        let place = try shelf(without: dropped)
        try place.write(
            AppStoreFixture.modelText.replacing("version: shelf-3", with: "version: shelf-4")
                .replacing("weight: Float }", with: "weight: Float, height: Double }"),
            to: "next.yaml")
        let done = try place.etl("migrate", "Shelf.sqlite", "--to", "next.yaml")
        #expect(done.status == 0, "\(done)")
        #expect(
            try place.sql("SELECT Z_PK, ZPASSPORT FROM ZPERSON ORDER BY 1")
                == ["1|", "2|1", "3|", "4|2"])
        #expect(
            try place.sql("SELECT Z_PK, ZHOLDER FROM ZPASSPORT ORDER BY 1") == ["1|2", "2|4", "3|"])
    }
}
