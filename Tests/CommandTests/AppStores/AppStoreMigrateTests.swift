import AppStoreFixtures
import Foundation
import GraphModel
import Testing

/// `etl migrate` on an app's store, by the versions of the app's Xcode bundle.
@Suite("Migrating apps' stores by command") struct AppStoreMigrateTests {
    private let work: AppStoreFolder
    private var store: String { work.store }

    init() throws {
        work = try AppStoreFolder()
        try AppStoreFixture.make(at: store, work.model)
        let second = AppStoreFixture.modelText
            .replacing(
                "  Author:\n", with: "  Album:\n    attributes: { title: String }\n  Author:\n"
            )
            .replacing("  Film:\n", with: "  Movie:\n    renamed-from: Film\n")
            .replacing("version: shelf-3", with: "version: shelf-4")
        let third =
            second
            .replacing("    renamed-from: Film\n", with: "")
            .replacing("version: shelf-4", with: "version: shelf-5")
            .replacing(
                "label: { type: String, renamed-from: title }",
                with: "label: String, size: Integer 16")
        let bundle = work.outside.path + "/Shelf.xcdatamodeld"
        try FileManager.default.createDirectory(
            atPath: bundle, withIntermediateDirectories: true)
        for (name, text) in [
            ("Shelf", AppStoreFixture.modelText), ("Shelf 2", second), ("Shelf 3", third),
        ] {
            try work.write("model.yaml", [text])
            let result = try Tool.etl(
                ["model", "convert", "model.yaml", "\(name).xcdatamodel"], in: work.outside.path)
            try #require(result.status == 0, "\(result.standardError)")
            try FileManager.default.moveItem(
                atPath: work.outside.path + "/\(name).xcdatamodel",
                toPath: "\(bundle)/\(name).xcdatamodel")
        }
        try work.write(
            "Shelf.xcdatamodeld/.xccurrentversion",
            [
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
                "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key>",
                "<string>Shelf 3.xcdatamodel</string></dict></plist>",
            ])
        try FileManager.default.createDirectory(
            atPath: work.outside.path + "/migrations", withIntermediateDirectories: true)
        try work.write(
            "migrations/shelf-4-shelf-5.yaml",
            ["mapping: 1", "entities: { Shelf: { set: { size: \"length(label)\" } } }"])
    }

    private func migrate(_ flags: String...) throws -> ToolResult {
        try Tool.etl(
            ["migrate", store, "--to", "Shelf.xcdatamodeld"] + flags, in: work.outside.path)
    }

    @Test func migratesThroughTheVersionsOfTheBundle() throws {
        let digest = try folderDigest(work.folder.path)
        let planned = try migrate("--dry-run")
        #expect(planned.status == 0, "\(planned.standardOutput)\(planned.standardError)")
        #expect(planned.standardOutput.hasPrefix("To version 'shelf-4':\n"))
        for line in [
            "~ Movie: renamed from 'Film'", "Movie: 2 objects", "Author: 3 objects",
            "Note: the column ZITEM.ZLEFTBEHIND, which the model does not name, is not copied",
        ] {
            #expect(
                planned.standardOutput.contains(line + "\n"), "\(planned.standardOutput)")
        }
        #expect(planned.standardOutput.contains("\nTo version 'shelf-5':\n"))
        #expect(try folderDigest(work.folder.path) == digest)
        let done = try migrate()
        #expect(done.status == 0, "\(done.standardError)")
        #expect(
            done.standardOutput == planned.standardOutput + "The old store is \(store).bak-v1\n")
        #expect(
            try work.names() == [
                ".Shelf.sqlite.bak-v1_SUPPORT", ".Shelf_SUPPORT", "Shelf.sqlite",
                "Shelf.sqlite.bak-v1", "Shelf.sqlite.etl-lock",
            ])
        try work.expect(
            store, "SELECT Z_PK, Z_ENT, Z_OPT, ZLABEL, ZSIZE FROM ZSHELF",
            ["1|8|4|Upper|5", "2|8|1|Lower|5"])
        try work.expect(store, "SELECT * FROM Z_9ITEMS WHERE Z_9TAGS = 1", ["1|1", "1|2"])
        try work.expect(
            store, "SELECT count(*) FROM sqlite_master WHERE name LIKE 'ETL%'", ["0"])
        let model = ["--model", "Shelf.xcdatamodeld"]
        let fetched = try Tool.etl(
            ["fetch", store, "Movie", "--fields", "title", "--sort", "title", "--format", "csv"]
                + model, in: work.outside.path)
        #expect(fetched.standardOutput == "title\nLost\nStalker\n", "\(fetched.standardError)")
        // The store has the faults that its app left, and no others.
        let verified = try Tool.etl(["verify", store] + model, in: work.outside.path)
        #expect(
            verified.standardOutput == """
                Item.shelf: 1 link leads nowhere (object 9)
                Tag.items: 1 link leads nowhere (object 3)

                """)
        let again = try migrate()
        #expect(again.status == 0 && again.standardOutput == "", "\(again.standardOutput)")
        #expect(try work.names().contains("Shelf.sqlite.bak-v2") == false)
    }

    @Test func aRunWithABundleUsesTheVersionOfTheStore() throws {
        let spec = work.outside.path + "/spec.yaml"
        try """
        etl: 1
        store: { at: \(store), model: Shelf.xcdatamodeld }
        stages:
          - update: relabel
            entity: Shelf
            where: "label != nil"
            set: { label: "'Top'" }
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        let run = try Tool.etl(["run", "-v", spec], in: work.outside.path)
        let bundle = work.outside.path + "/Shelf.xcdatamodeld"
        #expect(run.status == 0)
        #expect(
            run.standardError.contains(
                """
                \(spec):2:\(23 + store.count): warning: The store '\(store)' does not have the \
                current version of '\(bundle)'; the version that it has, 'Shelf.xcdatamodel', is used [spec.model-version]
                  in: store.model
                  fix: name this version (`model: \(bundle)/Shelf.xcdatamodel`), or bring the store to the current \
                one: etl migrate \(store) --to \(bundle)

                """),
            "\(run.standardError)")
        #expect(run.standardError.components(separatedBy: "spec.model-version").count == 2)
        #expect(try Tool.etl(["run", spec], in: work.outside.path).standardError == "")
        try work.expect(store, "SELECT ZLABEL FROM ZSHELF", ["Top", "Top"])
        #expect(try migrate().status == 0)
        let next = try Tool.etl(["run", spec], in: work.outside.path)
        #expect(next.status == 0, "\(next.standardError)")
        #expect(!next.standardError.contains("spec.model-version"))
    }

    @Test func wrongModelVersionErrorNamesTheVersionOfTheStore() throws {
        let spec = work.outside.path + "/spec.yaml"
        let version = work.outside.path + "/Shelf.xcdatamodeld/Shelf 2.xcdatamodel"
        try """
        etl: 1
        store: { at: \(store), model: "\(version)" }
        stages: [{ update: relabel, entity: Shelf, where: "label != nil", set: { label: "'Top'" } }]
        """.write(toFile: spec, atomically: true, encoding: .utf8)
        let run = try Tool.etl(["run", spec], in: work.outside.path)
        #expect(run.status == 78)
        #expect(
            run.standardError.contains(
                "  fix: name the version that the store has: "
                    + "`model: \(work.outside.path)/Shelf.xcdatamodeld/Shelf.xcdatamodel`\n"),
            "\(run.standardError)")
    }

    @Test func rejectsMirroredStoreWithoutAllowCloudKit() throws {
        _ = try Tool.run(
            "sqlite3", [store, "CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)"], in: nil)
        let refused = try migrate()
        #expect(refused.status == 65, "\(refused.standardError)")
        #expect(refused.standardError.contains("`--allow-cloudkit`"))
        #expect(!refused.standardError.contains("allowsCloudKit"), "\(refused.standardError)")
        let renumbered = try migrate("--allow-cloudkit")
        #expect(renumbered.status == 65, "\(renumbered.standardError)")
        #expect(renumbered.standardError.contains("migrate it with the app"))
    }
}
