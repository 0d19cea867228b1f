import Foundation
import Testing

@Suite("Names of stores") struct StoreNameTests {
    @Test(
        "a store name that is special in SQLite still names a file",
        arguments: [":memory:", "file:y.sqlite?mode=memory"])
    func names(name: String) throws {
        let folder = try TemporaryFolder()
        try "{\"n\":1}\n".write(
            toFile: folder.path + "/d.ndjson", atomically: true, encoding: .utf8)
        try """
        etl: 1
        store:
          at: "\(name)"
          model: { entities: { T: { attributes: { n: Integer 64 } } } }
          open: create
        stages:
          - { import: d.ndjson, into: T, when-found: append }

        """.write(toFile: folder.path + "/s.yaml", atomically: true, encoding: .utf8)
        for _ in 1...2 {
            let run = try Tool.etl(["run", "s.yaml"], in: folder.path)
            #expect(run.status == 0, "\(run)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains(name))
        let fetched = try Tool.etl(["fetch", name, "T", "--count"], in: folder.path)
        #expect(fetched == ToolResult(status: 0, standardOutput: "2\n"), "\(fetched)")
    }
}
