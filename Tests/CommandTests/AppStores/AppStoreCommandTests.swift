import AppStoreFixtures
import Foundation
import GraphModel
import Testing

@Suite("Commands on apps' stores") struct AppStoreCommandTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let store: String
    private let before: [String]

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        store = folder.path + "/Shelf.sqlite"
        let (model, diagnostics) = ModelFile.read(text: AppStoreFixture.modelText)
        try AppStoreFixture.make(at: store, try #require(model, "\(diagnostics)"))
        before = try folderDigest(folder.path)
    }

    private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try folderDigest(folder.path) == before, sourceLocation: sourceLocation)
    }

    @Test func fetchPrintsObjectsAndKeepsTheFolderUnchanged() throws {
        #expect(
            try Tool.etl(["fetch", store])
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        {"entity":"Author","objects":3,"parent":null,"abstract":false}
                        {"entity":"Item","objects":5,"parent":null,"abstract":true}
                        {"entity":"Book","objects":3,"parent":"Item","abstract":false}
                        {"entity":"Film","objects":2,"parent":"Item","abstract":false}
                        {"entity":"Passport","objects":1,"parent":null,"abstract":false}
                        {"entity":"Person","objects":4,"parent":null,"abstract":false}
                        {"entity":"Shelf","objects":2,"parent":null,"abstract":false}
                        {"entity":"Tag","objects":3,"parent":null,"abstract":false}

                        """))
        #expect(
            try Tool.etl([
                "fetch", store, "Item", "--sort", "title", "--fields",
                "title,addedOn,shelf,tags,settings",
            ])
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        {"title":"Lost","addedOn":null,"shelf":null,"tags":[],"settings":null}
                        {"title":"Rocannon","addedOn":"2000-01-02T00:00:00Z","shelf":2,"tags":[],"settings":null}
                        {"title":"Solaris","addedOn":"2023-03-08T20:26:40.25Z","shelf":1,"tags":["classic","space"],"settings":"\(opaque)"}
                        {"title":"Stalker","addedOn":null,"shelf":1,"tags":["zone"],"settings":null}
                        {"title":"The Dispossessed","addedOn":"2023-03-08T20:26:40Z","shelf":1,"tags":["classic","space"],"settings":{"fonts":["Söhne","Mono"],"since":"2001-01-01T00:00:00.5Z","size":12}}

                        """))
        #expect(
            try Tool.etl(["fetch", store, "Book", "--where", "author.name == 'Ursula'", "--count"])
                == ToolResult(status: 0, standardOutput: "2\n"))
        try expectUntouched()
    }

    /// The bytes that the column contains.
    private var opaque: String {
        let bytes = try? Tool.sqlite(
            "file:\(store)?immutable=1", "SELECT hex(ZSETTINGS) FROM ZITEM WHERE Z_PK = 2"
        ).first
        let digits = Array((bytes ?? "").utf8)
        let data = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
        return Data(data).base64EncodedString()
    }

    @Test func historyListsTheChangesOfTheApp() throws {
        let result = try Tool.etl(["history", store])
        #expect(result.status == 0 && result.standardError == "")
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(
            lines.first?.contains(
                #""author":"sync","change":"update","entity":"Book","object":1,"#) == true)
        #expect(lines.first?.contains(#""properties":["author","pages"]"#) == true)
        #expect(lines.dropFirst().first?.contains(#""tombstone":{"title":"Gone"}"#) == true)
        try expectUntouched()
    }

    @Test("the history of an app's store is not purged, and the message does not name permissions")
    func historyPurge() throws {
        #expect(
            try Tool.etl(["history", "purge", store, "--before", "2025-01-01"])
                == ToolResult(
                    status: 78,
                    standardError: """
                        error: \(store) was created by an app, and etl does not purge the history of an \
                        app [history.app-store]
                          fix: purge it in the app, which knows who still reads its history

                        """))
        #expect(try Tool.etl(["history", store]).standardOutput.split(separator: "\n").count == 3)
    }

    @Test func modelShowAndVerifyKeepTheFolderUnchanged() throws {
        let shown = try Tool.etl(["model", "show", store])
        #expect(shown.status == 0)
        #expect(shown.standardOutput.contains("bookCount"))
        let found = try Tool.etl(["verify", store])
        #expect(
            found
                == ToolResult(
                    status: 1,
                    standardOutput: """
                        Item: 1 row does not count its changes (object 9)
                        Item.shelf: 1 link leads nowhere (object 9)
                        Tag.items: 1 link leads nowhere (object 3)

                        """,
                    standardError: """
                        `etl verify \(store) --repair NEW` recovers what can be read into a new \
                        store and repairs what it can; this store stays unchanged

                        """))
        try expectUntouched()
    }

    /// `infer` writes a spec that exports everything; running it needs neither a lock nor notes.
    @Test func inferAndItsExportsKeepTheFolderUnchanged() throws {
        let inferred = try Tool.etl(["infer", store, "--output", outside.path])
        #expect(inferred.status == 0, "\(inferred.standardError)")
        let run = try Tool.etl(["run", outside.path + "/pipeline.yaml"], in: outside.path)
        #expect(run.status == 0, "\(run.standardError)")
        let files =
            FileManager.default.enumerator(atPath: outside.path)?
            .compactMap { $0 as? String }.filter { $0.contains("Tag") } ?? []
        let tags = try Tool.contents(outside.path + "/" + (try #require(files.first)))
        for name in ["classic", "space", "zone"] { #expect(tags.contains(name)) }
        try expectUntouched()
    }

    @Test func fetchUsesTheGivenModelIfTheStoreHasNone() throws {
        _ = try Tool.run("sqlite3", [store, "DROP TABLE Z_MODELCACHE"])
        let given = outside.path + "/shelf.yaml"
        try AppStoreFixture.modelText.write(toFile: given, atomically: true, encoding: .utf8)
        let result = try Tool.etl([
            "fetch", store, "Film", "--where", "note != nil", "--fields", "title,note", "--model",
            given,
        ])
        #expect(
            result
                == ToolResult(status: 0, standardOutput: #"{"title":"Stalker","note":"f4"}"# + "\n")
        )
        let without = try Tool.etl(["fetch", store, "Film", "--count"])
        #expect(without.standardOutput == "2\n")
        #expect(
            without.standardError.contains("names are in lowercase"), "\(without.standardError)")
    }

    /// The archive in a store and a compiled model describe the same model as the model file.
    @Test func modelReadFromAnArchiveEqualsItsYAML() throws {
        let text = """
            model: 1
            version: place-1
            entities:
              Owner:
                attributes: { name: String }
                relationships: { places: { to: Place, many: true, inverse: owner } }
                fetched: { large: { entity: Place, where: "owner == $FETCH_SOURCE AND area > 100" } }
              Place:
                attributes: { area: Double, name: String }
                relationships: { owner: { to: Owner, inverse: places } }
                indexes:
                  byName: [name, area desc]
                  large: { properties: [name], where: "area > 100" }
            configurations: { All: [Owner, Place] }
            requests: { large: { entity: Place, where: "area > $least", limit: 3 } }
            """
        try text.write(
            toFile: outside.path + "/place.yaml", atomically: true, encoding: .utf8)
        let (read, diagnostics) = ModelFile.read(text: text)
        let model = try #require(read, "\(diagnostics)")
        try "{}".write(toFile: outside.path + "/a.ndjson", atomically: true, encoding: .utf8)
        try """
        etl: 1
        store: { at: place.sqlite, model: place.yaml, open: create }
        stages: [{ import: a.ndjson, into: Place, when-found: append, set: { name: name } }]
        """.write(toFile: outside.path + "/fill.yaml", atomically: true, encoding: .utf8)
        let run = try Tool.etl(["run", "fill.yaml"], in: outside.path)
        #expect(run.status == 0, "\(run.standardError)")
        try AppStoreFixture.disown(outside.path + "/place.sqlite", model)
        let bundle = outside.path + "/Place.momd"
        try FileManager.default.createDirectory(
            atPath: bundle, withIntermediateDirectories: true)
        try Data(AppStoreFixture.archivedModel(model)).write(
            to: URL(fileURLWithPath: bundle + "/Place 2.mom"))
        let shown = try Tool.etl(["model", "show", "place.yaml"], in: outside.path)
        for archive in ["place.sqlite", "Place.momd", "Place.momd/Place 2.mom"] {
            #expect(
                try Tool.etl(["model", "diff", "place.yaml", archive], in: outside.path)
                    == .silentSuccess)
            #expect(try Tool.etl(["model", "show", archive], in: outside.path) == shown)
            let convert = ["model", "convert", "--force", archive, "back.yaml"]
            #expect(try Tool.etl(convert, in: outside.path) == .silentSuccess)
            #expect(
                try Tool.etl(["model", "diff", "place.yaml", "back.yaml"], in: outside.path)
                    == .silentSuccess)
        }
        #expect(shown.standardOutput.contains("Configurations"))
    }
}
