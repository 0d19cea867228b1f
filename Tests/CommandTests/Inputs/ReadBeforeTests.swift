import Foundation
import Testing

/// Imports that append records that an earlier run has already appended.
@Suite("Inputs that were appended before") struct ReadBeforeTests {
    private static let records = "{\"id\":1}\n{\"id\":2}\n"

    private func warning(_ text: String, _ fix: String, at place: String = "s.yaml:5:5") -> String {
        """
        \(place): warning: An earlier run has appended the same 2 records of \(text) \
        [import.read-before]
          in: stages[0]
          fix: \(fix), or update by a `key`

        """
    }

    @Test("warns if standard input was appended before, even if another input came in between")
    func standardInput() throws {
        let place = try DriftPlace(isUnique: false)
        try place.write("a.ndjson", Self.records)
        try place.write("b.ndjson", "{\"id\":3}\n")
        try place.write([
            "{ import: in, read: { files: \"-\", as: ndjson }, into: Task, when-found: append }"
        ])
        func run(_ name: String) throws -> ToolResult {
            try Tool.run(
                "sh", ["-c", "\"$0\" run s.yaml < \(name)", Tool.etlPath],
                in: place.folder.path)
        }
        #expect(try run("a.ndjson") == .silentSuccess)
        #expect(try run("b.ndjson") == .silentSuccess)
        let again = try run("a.ndjson")
        #expect(again.status == 0)
        #expect(again.standardError == warning("standard input", "give each input once"))
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["5"])
    }

    @Test("warns if the output of a command was appended before")
    func command() throws {
        let place = try DriftPlace(isUnique: false)
        try place.write("a.ndjson", Self.records)
        let stage = """
            { import: in, read: { command: [cat, a.ndjson], as: ndjson }, into: Task, \
            when-found: append }
            """
        #expect(try place.run(stage) == .silentSuccess)
        let again = try place.run(stage)
        #expect(again.status == 0)
        #expect(
            again.standardError == warning("the command `cat a.ndjson`", "give each input once"))
    }

    @Test("warns if another pipeline has appended a file to the same entity")
    func otherPipeline() throws {
        let place = try DriftPlace(isUnique: false)
        try place.write("a.ndjson", Self.records)
        let stage = "{ import: first, read: { files: a.ndjson }, into: Task, when-found: append }"
        #expect(try place.run(stage) == .silentSuccess)
        try place.write(
            spec: "o.yaml", name: "other",
            [
                "{ import: a.ndjson, into: Task, when-found: append }"
            ])
        let other = try Tool.etl(["run", "o.yaml"], in: place.folder.path)
        #expect(other.status == 0)
        #expect(
            other.standardError
                == warning(
                    "a.ndjson in stage 'first' of the pipeline 'test'",
                    "let one of the two pipelines import it", at: "o.yaml:5:5"))
        // An import into another entity duplicates nothing.
        try place.write(
            spec: "p.yaml", name: "persons",
            [
                """
                { import: a.ndjson, into: Person, when-found: append, set-only: true, \
                set: { name: { expr: "cast(id, 'String')" } } }
                """
            ])
        #expect(try Tool.etl(["run", "p.yaml"], in: place.folder.path) == .silentSuccess)
    }

    @Test("warns if a file has content again that it had before")
    func earlierContent() throws {
        let place = try DriftPlace(isUnique: false)
        let stage = "{ import: a.ndjson, into: Task, when-found: append }"
        for text in [Self.records, "{\"id\":3}\n"] {
            try place.write("a.ndjson", text)
            #expect(try place.run(stage) == .silentSuccess)
        }
        try place.write("a.ndjson", Self.records)
        let again = try place.run(stage)
        #expect(again.standardError == warning("a.ndjson", "set `read.once: true`"))
    }

    @Test("--restart warns of the records that a stopped run has appended")
    func restart() throws {
        let place = try DriftPlace(isUnique: false)
        try place.write("a.ndjson", Self.records + "{\"id\":3,\"size\":\"x\"}\n{\"id\":4}\n")
        let stage = "{ import: a.ndjson, into: Task, when-found: append }"
        #expect(try place.run(stage).status == 65)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["3"])
        try place.write("a.ndjson", Self.records + "{\"id\":3}\n{\"id\":4}\n")
        let again = try place.run(stage, flags: ["--restart"])
        #expect(again.status == 0)
        #expect(
            again.standardError == """
                warning: An earlier run has read 4 records of 'import-a' and saved the appended \
                objects, and --restart appends them again [import.read-before]
                  stage: s.yaml:5:5 import import-a
                  fix: remove those objects, or complete the run without --restart

                """)
        #expect(try place.rows("SELECT count(*) FROM ZTASK") == ["7"])
    }
}
