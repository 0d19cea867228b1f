import Foundation
import Testing

/// Stores for tests, from generated records.
@Suite("etl seed and read.generate")
struct SeedTests {
    private static func folder(
        store: String = "open: create", seed: Int = 7, set: String = ""
    ) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            params: { rows: { type: int, default: 300 } }
            store: { at: store.sqlite, model: model.yaml, \(store) }
            stages:
              - import: tasks
                read: { generate: "${rows}", seed: \(seed) }
                into: Task
                keep-if: "row != 5"
                set:
                  id:    { expr: "$row + 100" }
                  title: { expr: "lorem(random(2, 3))" }
                  size:  { expr: "random(0, 99)" }
                  \(set)
                link:
                  owner: { by: { name: { expr: "pick({'Ann', 'Bob'})" } }, missing: create }
                  tags:  { by: { name: { expr: "pick({'Ann', 'Bob'})" } }, missing: create }
              - { export: Task, to: out.csv }
            """)
        return folder
    }

    /// Returns the content of the store, except its UUID.
    private static func dump(_ folder: FailureFolder) throws -> String {
        try folder.write(".dump.py", KillTests.dump)
        return try folder.shell("python3 .dump.py").output
    }

    @Test("equal seeds give equal stores and exports, and another seed gives others")
    func equalSeeds() throws {
        let first = try Self.folder()
        let second = try Self.folder()
        let other = try Self.folder(seed: 8)
        for folder in [first, second, other] {
            let result = try folder.shell("\"$E\" seed spec.yaml")
            #expect(result.status == 0)
            #expect(result.errors == "")
        }
        #expect(try Self.dump(first) == Self.dump(second))
        #expect(first.text("out.csv") == second.text("out.csv"))
        #expect(first.text("out.csv") != other.text("out.csv"))
        #expect(
            try first.query(
                """
                SELECT count(*), min(ZID), max(ZID), count(DISTINCT ZSIZE) > 80, \
                count(DISTINCT ZOWNER), sum(ZID = 105) FROM ZTASK
                """) == "299|100|399|1|2|0\n")
        // The random choices for one relationship are independent of those for another.
        let pairs = try first.query(
            """
            SELECT count(DISTINCT p.ZNAME || t.ZNAME) FROM ZTASK k \
            JOIN ZPERSON p ON p.Z_PK = k.ZOWNER JOIN Z_2TASKS j ON j.Z_3TASKS = k.Z_PK \
            JOIN ZTAG t ON t.Z_PK = j.Z_2TAGS
            """)
        #expect(pairs == "4\n")
    }

    @Test("seed creates a missing store despite `open: existing`, and --fresh recreates it")
    func opening() throws {
        let folder = try Self.folder(store: "open: existing")
        #expect(try folder.run().status == 66)
        #expect(try folder.shell("\"$E\" seed spec.yaml --set rows=10").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "9\n")
        #expect(try folder.shell("\"$E\" seed spec.yaml --set rows=3").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "9\n")
        #expect(try folder.shell("\"$E\" seed --fresh spec.yaml --set rows=3").status == 0)
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "3\n")
    }

    @Test(
        "mistakes in `generate` are reported with their location",
        arguments: [
            ("read: { generate: -1 }", "19:", "'generate' must be from 0 to 1000000000"),
            (
                "read: { generate: 5, files: a.csv }", "19:",
                "'generate' creates the records, so 'files' has no effect"
            ),
            ("read: { generate: 5 }\n    where: x", "20:", "The key 'where' is unknown here"),
        ])
    func mistakes(_ read: String, _ line: String, _ message: String) throws {
        let folder = try Self.folder()
        let spec = folder.text("spec.yaml")
        try folder.write("spec.yaml", spec + "\n  - import: more\n    \(read)\n    into: Tag\n")
        let result = try folder.shell("\"$E\" check spec.yaml")
        #expect(result.status == 78)
        #expect(result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("spec.yaml:\(line)"), "\(result.errors)")
    }

    @Test("`random` fails for records that are read, and in predicates")
    func refused() throws {
        let folder = try Self.folder()
        try folder.write("a.ndjson", "{\"id\":1}")
        try folder.write(
            "spec.yaml",
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            stages:
              - import: a.ndjson
                into: Task
                set: { size: { expr: "random(0, 9)" } }
              - { delete: old, entity: Task, where: "size == random(0, 9)" }
            """)
        let result = try folder.shell("\"$E\" check spec.yaml")
        #expect(result.status == 78)
        let told = "'random' makes values of generated records, and nothing else"
        #expect(result.errors.components(separatedBy: told).count == 3, "\(result.errors)")
    }
}
