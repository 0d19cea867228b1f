import Foundation
import GraphModel
import GraphStore
import Testing

/// The stores that each release wrote, as `Tests/golden` collected them.
///
/// `finished.store` has objects, and the files `….out.ndjson` have its content as that release
/// exported it. `unfinished.store` has the position of a run whose input was cut off.
@Suite("Stores of releases") struct ReleaseStoreTests {
    private static let folder = "Tests/CommandTests/Fixtures/Releases"
    private static let exports = ["tasks.out.ndjson", "folders.out.ndjson", "tags.out.ndjson"]

    static let versions: [String] = {
        let names = (try? Repository.files(in: folder)) ?? []
        return names.filter { $0 != "input" && !$0.hasPrefix(".") }
    }()

    /// Returns a copy of a release's folder.
    private static func stores(of version: String) throws -> FailureFolder {
        let copy = try FailureFolder()
        try copy.shell("cp '\(Repository.path("\(folder)/\(version)"))'/* .")
        return copy
    }

    @Test("a store of a release is intact, and its export is the one of that release")
    func exports() throws {
        try #require(!Self.versions.isEmpty)
        for version in Self.versions {
            let copy = try Self.stores(of: version)
            let verified = try copy.shell("exec \"$E\" verify finished.store")
            #expect(verified.status == 0, "\(version): \(verified)")
            let expected = Self.exports.map(copy.text)
            try copy.shell("rm -f *.out.ndjson")
            let exported = try copy.run("-q", spec: "export.yaml")
            #expect(exported.status == 0 && exported.errors == "", "\(version): \(exported)")
            #expect(Self.exports.map(copy.text) == expected, "\(version)")
        }
    }

    @Test("the same import into a store of a release changes nothing", arguments: versions)
    func sameImport(_ version: String) throws {
        let copy = try Self.stores(of: version)
        let result = try copy.run("-v", spec: "finished.yaml")
        #expect(result.status == 0)
        #expect(
            result.errors.hasPrefix("import tasks: 4 read, 4 unchanged ("), "\(version): \(result)")
    }

    @Test("the library opens, changes, and saves a store of a release", arguments: versions)
    func saves(_ version: String) throws {
        let copy = try Self.stores(of: version)
        let path = "\(copy.path)/finished.store"
        do {
            let context = try PersistentContainer(model: nil, .sqlite(at: path)).newContext()
            #expect(try context.count(for: Self.all("Task")) == 4)
            #expect(try context.count(for: Self.all("Folder")) == 2)
            #expect(try context.count(for: Self.all("Tag")) == 2)
            let tasks = try context.fetch(Self.all("Task", "id"))
            let first = try #require(tasks.first)
            #expect(
                try first.value(forKey: "title").value(as: String.self) == "all values")
            try first.setValue(PropertyValue("changed"), forKey: "title")
            try first.setValue(PropertyValue([tasks[1]]), forKey: "steps")
            let tag = try context.insert("Tag")
            try tag.setValue("c", forKey: "name")
            try first.setValue(PropertyValue([tag]), forKey: "tags")
            try context.save()
        }
        let verified = try copy.shell("exec \"$E\" verify finished.store")
        #expect(verified.status == 0, "\(verified)")
        let rows = try copy.shell(
            "exec \"$E\" fetch finished.store Task --where 'id <= 3' --fields id,title,tags.name,steps.id"
                + " --format ndjson")
        #expect(
            rows.output == """
                {"id":1,"title":"changed","tags.name":["c"],"steps.id":[2]}
                {"id":2,"title":"é, \\"quotes\\", 😀","tags.name":["b"],"steps.id":[]}
                {"id":3,"title":null,"tags.name":[],"steps.id":[]}

                """, "\(rows)")
    }

    @Test(
        "an unfinished run of a release is completed, or refused with its reason",
        arguments: versions)
    func completesTheRun(_ version: String) throws {
        let copy = try Self.stores(of: version)
        try copy.shell("cp more-complete.json more.json")
        let result = try copy.run("-v", spec: "unfinished.yaml")
        let titles = try copy.query(
            "SELECT ZID, ZTITLE FROM ZTASK ORDER BY ZID, Z_PK",
            store: "unfinished.store")
        func rows(_ count: Int) -> String { (1...count).map { "\($0)|t\($0)\n" }.joined() }
        if result.status == 0 {
            // Another day is another run, but the import resumes at its position.
            let resumed = ["[run.resumed]", "[run.new-input]"].contains(
                where: result.errors.contains)
            #expect(resumed, "\(version): \(result)")
            #expect(titles == rows(40))
        } else {
            let run = result.errors.firstMatch(of: #/The run (\S+) is/#)?.output.1 ?? ""
            #expect(
                result.errors == """
                    error: The run \(run) is unfinished, and another version of etl started it \
                    [run.cannot-resume]
                      fix: complete it with that version, or start over with --restart

                    """)
            #expect(result.status == 65)
            #expect(titles == rows(25))
        }
    }

    private static func all(
        _ entity: String, _ order: String? = nil
    ) -> FetchRequest<ManagedObject> {
        FetchRequest(
            entityName: entity, sortDescriptors: order.map { [GraphSortDescriptor([$0])] } ?? [])
    }
}
