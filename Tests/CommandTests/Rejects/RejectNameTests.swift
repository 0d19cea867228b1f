import Foundation
import Testing

/// Names of reject files: no input or stage replaces the rejects of another.
@Suite("Names of reject files") struct RejectNameTests {
    private static func rejects(_ place: DriftPlace) throws -> String {
        let folder = place.folder.path + "/rejects"
        let run = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
        return "\(folder)/\(run)"
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".run.json" }
            .sorted()
    }

    @Test("an input may be named like the reasons or links of another one")
    func reasons() throws {
        let place = try DriftPlace()
        for name in ["a.ndjson", "a.ndjson.why.ndjson", "a.ndjson.LINKS.ndjson"] {
            try place.write(name, "{\"id\":\"\(name)\"}\n")
        }
        let run = try place.run(
            "{ import: tasks, read: { files: \"a.*\" }, into: Task, set: { id: id } }",
            head: "rejects: { allow: 9 }")
        #expect(run == .silentSuccess)
        let folder = try Self.rejects(place)
        let names = [
            "tasks.a.ndjson", "tasks.a.ndjson%2ELINKS-cff53a00.ndjson",
            "tasks.a.ndjson%2Ewhy-a5c8e896.ndjson",
        ]
        #expect(
            try Self.names(folder) == names.flatMap { [$0, "\($0).why.ndjson"] }.sorted())
        #expect(
            try names.map { try Tool.contents("\(folder)/\($0)") } == [
                "{\"id\":\"a.ndjson\"}\n", "{\"id\":\"a.ndjson.LINKS.ndjson\"}\n",
                "{\"id\":\"a.ndjson.why.ndjson\"}\n",
            ])
    }

    @Test("two stages keep their rejects apart even if their names contain dots")
    func stages() throws {
        let place = try DriftPlace()
        try place.write("b.c.ndjson", "{\"id\":\"x\"}\n")
        try place.write("c.ndjson", "{\"id\":\"y\"}\n")
        let run = try place.run(
            "{ import: a, read: { files: b.c.ndjson }, into: Task, set: { id: id } }",
            "{ import: a.b, read: { files: c.ndjson }, into: Task, set: { id: id } }",
            head: "rejects: { allow: 9 }")
        #expect(run == .silentSuccess)
        let folder = try Self.rejects(place)
        let names = ["a%2Eb.c-efdd112e.ndjson", "a.b.c.ndjson"]
        #expect(
            try Self.names(folder) == names.flatMap { [$0, "\($0).why.ndjson"] }.sorted())
        #expect(
            try names.map { try Tool.contents("\(folder)/\($0)") } == [
                "{\"id\":\"y\"}\n", "{\"id\":\"x\"}\n",
            ])
        try "{\"id\":1}\n".write(
            toFile: "\(folder)/\(names[0])", atomically: true, encoding: .utf8)
        try "{\"id\":2}\n".write(
            toFile: "\(folder)/\(names[1])", atomically: true, encoding: .utf8)
        let name = URL(fileURLWithPath: folder).lastPathComponent
        #expect(
            try Tool.etl(["replay", "rejects/\(name)"], in: place.folder.path) == .silentSuccess)
        #expect(try place.rows("SELECT ZID FROM ZTASK ORDER BY 1") == ["1", "2"])
        #expect(try Self.names(folder) == [])
    }

    @Test("with `once`, `min-records` holds only for runs that have new files")
    func quietNight() throws {
        let place = try DriftPlace()
        try place.write("a.ndjson", "{\"id\":1}\n{\"id\":2}\n")
        let stage = """
            { import: tasks, read: { files: "?.ndjson", once: true, min-records: 2 }, into: Task, \
            set: { id: id } }
            """
        for _ in 0..<2 { #expect(try place.run(stage) == .silentSuccess) }
        try place.write("b.ndjson", "{\"id\":3}\n")
        let few = ToolResult(
            status: 66,
            standardError: """
                error: 'tasks' has read 1 record, and `read.min-records` is 2 [input.too-few-records]
                  stage: s.yaml:5:5 import tasks
                  fix: check that the inputs are complete, or lower `read.min-records`

                """)
        for _ in 0..<2 { #expect(try place.run(stage) == few) }
        try place.write("b.ndjson", "{\"id\":3}\n{\"id\":4}\n")
        for _ in 0..<2 { #expect(try place.run(stage) == .silentSuccess) }
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["4"])
    }
}
