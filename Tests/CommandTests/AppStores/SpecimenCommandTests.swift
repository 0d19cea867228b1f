import AppStoreFixtures
import Foundation
import Testing

/// The commands on the stores of real apps.
@Suite(
    "etl on specimens of apps' stores",
    .enabled(if: CoreDataSpecimens.arePresent, "../shared/specimens is absent"))
struct SpecimenCommandTests {
    @Test("infer writes a model that the store accepts", arguments: CoreDataSpecimens.stores)
    func infer(_ store: CoreDataSpecimens.Store) throws {
        let folder = try TemporaryFolder()
        let name = URL(fileURLWithPath: try store.copy(to: folder.path)).lastPathComponent
        func etl(_ arguments: String...) throws -> ToolResult {
            try Tool.etl(arguments, in: folder.path)
        }
        #expect(try etl("infer", name, "--output", "out").status == 0)
        #expect(try etl("check", "out/pipeline.yaml").status == 0)
        let found = try etl("verify", name, "--model", "out/model.yaml", "--json")
        #expect(found.status == 0, "\(found)")
        let spec = try String(contentsOfFile: folder.path + "/out/pipeline.yaml", encoding: .utf8)
        for line in spec.split(separator: "\n") where line.hasPrefix("  - export: ") {
            let entity = String(line.dropFirst("  - export: ".count))
            let own = try etl("fetch", name, entity)
            let given = try etl("fetch", name, entity, "--model", "out/model.yaml")
            #expect(given.status == 0)
            #expect(given.standardOutput == own.standardOutput, "\(entity)")
        }
    }

    @Test("verify and fetch name the version of a bundle that matches the store")
    func versions() throws {
        let folder = try TemporaryFolder()
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "Bookmarks_V1.sqlite" })
        _ = try store.copy(to: folder.path)
        let bundle = try #require(store.bundle)
        let version = bundle + "/BookmarksModel.xcdatamodel"
        let advice = "name the version that the store has: `--model \(version)`\n"
        let verified = try Tool.etl(["verify", store.name, "--model", bundle], in: folder.path)
        #expect(verified.status == 1)
        #expect(verified.standardError == "To verify all of the store, " + advice)
        let fetched = try Tool.etl(["fetch", store.name, "--model", bundle], in: folder.path)
        #expect(fetched.status == 78)
        #expect(fetched.standardError.hasSuffix("[store.model-mismatch]\n  fix: " + advice))
        #expect(
            try Tool.etl(["verify", store.name, "--model", version], in: folder.path).status == 0)
    }

    @Test("a given model lets etl write and repair a store whose cached model is unreadable")
    func unreadableCache() throws {
        let folder = try TemporaryFolder()
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "SampleModel_V1.sqlite" })
        _ = try store.copy(to: folder.path)
        func etl(_ arguments: String...) throws -> ToolResult {
            try Tool.etl(arguments, in: folder.path)
        }
        #expect(try etl("model", "convert", store.name, "model.yaml").status == 0)
        _ = try Tool.run(
            "sqlite3",
            [folder.path + "/" + store.name, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'010203'"])
        try """
        etl: 1
        store: { at: \(store.name), model: model.yaml }
        stages:
          - update: ages
            entity: Person
            where: TRUEPREDICATE
            set: { firstName: "uppercase(firstName)" }
        """.write(toFile: folder.path + "/spec.yaml", atomically: true, encoding: .utf8)
        let run = try etl("run", "spec.yaml")
        #expect(run.status == 0, "\(run.standardError)")
        #expect(run.standardError.contains("The given model is used [store.of-app]"))
        let repaired = try etl(
            "verify", store.name, "--model", "model.yaml", "--repair", "new.sqlite")
        #expect(
            repaired.standardOutput == """
                lost: The model in Z_MODELCACHE cannot be read, and is replaced by the given one

                """)
        let fetched = try etl(
            "fetch", "new.sqlite", "Person", "--where", "firstName != uppercase(firstName)",
            "--count")
        #expect(fetched.standardOutput == "0\n", "\(fetched.standardError)")
        #expect(fetched.standardError == "")
    }

    @Test("the repair names the version that the store has, and saves that model in the new store")
    func versionForRepair() throws {
        let folder = try TemporaryFolder()
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "CoreDataMigration_Example_3.sqlite" })
        let bundle = try #require(store.bundle)
        let path = try store.copy(to: folder.path)
        let root = try Tool.sqlite(
            path, "SELECT rootpage FROM sqlite_master WHERE name = 'Z_MODELCACHE'")
        let page = try #require(root.first.flatMap(Int.init))
        let file = URL(filePath: path)
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096))
        try bytes.write(to: file)
        let repair = ["verify", store.name, "--repair", "new.sqlite", "--model"]
        let refused = try Tool.etl(repair + [bundle], in: folder.path)
        let version = bundle + "/CoreDataMigration_Example 3.xcdatamodel"
        #expect(
            refused
                == ToolResult(
                    status: 78,
                    standardError: """
                        error: \(store.name) was created with another version of the model; these \
                        entities differ: Post [store.model-mismatch]
                          fix: name the version that the store has: `--model \(version)`

                        """))
        let repaired = try Tool.etl(repair + [version], in: folder.path)
        #expect(repaired.status == 1)
        #expect(
            repaired.standardOutput.hasSuffix(
                "lost: The model in Z_MODELCACHE cannot be read, and is replaced by the given one\n"
            ), "\(repaired.standardOutput)")
        let again = try Tool.etl(["verify", "new.sqlite"], in: folder.path)
        #expect(again == .silentSuccess)
    }

    @Test("verify prints a remark to stdout, as a line and as JSON")
    func remarks() throws {
        let folder = try TemporaryFolder()
        let store = try #require(
            CoreDataSpecimens.stores.first { $0.name == "SampleModel_V2.sqlite" })
        _ = try store.copy(to: folder.path)
        let lines = try Tool.etl(["verify", store.name], in: folder.path)
        #expect(
            lines
                == ToolResult(
                    status: 0,
                    standardOutput: """
                        remark: The store still calls the entity 'LuxuryCar' by an older name, \
                        'ExpensiveSportCar'

                        """))
        let json = try Tool.etl(["verify", store.name, "--json"], in: folder.path)
        #expect(
            json.standardOutput == """
                {
                  "complete" : true,
                  "findings" : [

                  ],
                  "remarks" : [
                    "The store still calls the entity 'LuxuryCar' by an older name, \
                'ExpensiveSportCar'"
                  ],
                  "sound" : true,
                  "store" : "SampleModel_V2.sqlite"
                }

                """)
    }
}
