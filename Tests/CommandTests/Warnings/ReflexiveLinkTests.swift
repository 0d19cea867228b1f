import Foundation
import Testing

/// Links of a relationship that is its own inverse, set by an import.
@Suite("Links to objects of the same kind") struct ReflexiveLinkTests {
    @Test("an object that a new one links to gets a new version and a history entry")
    func inverseEnd() throws {
        let folder = try TemporaryFolder()
        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
        }
        try write(
            "model.yaml",
            """
            model: 1
            entities:
              Person:
                attributes: { name: String }
                relationships: { friends: { to: Person, many: true, inverse: friends } }
                unique: [[name]]
            """)
        try write(
            "s.yaml",
            """
            etl: 1
            name: test
            store: { at: s.sqlite, open: create, model: model.yaml, history: { keep: 7d } }
            stages:
              - import: people
                read: { files: a.ndjson }
                into: Person
                link: { friends: { by: { name: "friends[*]" } } }
            """)
        try write("a.ndjson", #"{"name":"ann"}"#)
        #expect(try Tool.etl(["run", "s.yaml"], in: folder.path).status == 0)
        try write("a.ndjson", #"{"name":"bob","friends":["ann"]}"#)
        #expect(try Tool.etl(["run", "s.yaml"], in: folder.path) == .silentSuccess)
        #expect(
            try Tool.sqlite(
                folder.path + "/s.sqlite", "SELECT ZNAME, Z_OPT FROM ZPERSON ORDER BY Z_PK")
                == ["ann|2", "bob|1"])
        let history = try Tool.etl(["history", "s.sqlite"], in: folder.path)
        #expect(history.standardOutput.contains("friends"), "\(history)")
    }
}
