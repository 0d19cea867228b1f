import Foundation
import Testing

/// An input that the next day's file overwrites, after a run whose rejects no user has read.
@Suite("Inputs that are overwritten") struct OverwrittenInputTests {
    private static let spec = """
        etl: 1
        name: d
        store: { at: store.sqlite, model: model.yaml, open: create }
        stages: [{ import: d.csv, into: Task }]
        """

    private static func folder() throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write(
            "model.yaml",
            """
            model: 1
            entities:
              Task: { attributes: { id: Integer 64, n: Integer 64 }, unique: [[id]] }
            """)
        try folder.write("spec.yaml", spec)
        try folder.write("d.csv", "id,n\n1,bad\n2,3\n")
        return folder
    }

    /// Returns the rejected records of all files.
    private static func rejects(_ folder: FailureFolder) throws -> String {
        try folder.shell("find rejects -name '*.csv' | sort | xargs -r cat").output
    }

    @Test("the rejects of an overwritten input stay and can be replayed with the next ones")
    func rejectsStay() throws {
        let folder = try Self.folder()
        #expect(try folder.run().status == 65)
        try folder.write("d.csv", "id,n\n9,3\n8,worse\n")
        let next = try folder.run()
        #expect(next.status == 65)
        #expect(next.errors.contains("d.csv has changed"), "\(next.errors)")
        #expect(try Self.rejects(folder) == "id,n\n8,worse\nid,n\n1,bad\n")
        // A third day, without rejects.
        try folder.write("d.csv", "id,n\n7,3\n")
        #expect(try folder.run().status == 0)
        #expect(try Self.rejects(folder) == "id,n\n8,worse\nid,n\n1,bad\n")
        try folder.shell("sed -i 's/bad/11/; s/worse/88/' rejects/*/*.csv")
        let replay = try folder.shell("\"$E\" replay rejects/*")
        #expect(replay.status == 0, "\(replay)")
        #expect(
            try folder.query("SELECT ZID || ' ' || ZN FROM ZTASK ORDER BY 1")
                == "1 11\n2 3\n7 3\n8 88\n9 3\n")
    }

    @Test("reading an input again deletes its earlier rejects")
    func rejectsGo() throws {
        let folder = try Self.folder()
        #expect(try folder.run().status == 65)
        try folder.write(
            "spec.yaml",
            Self.spec.replacing(
                "into: Task", with: "into: Task, set: { n: { from: n, map: { bad: 1, 3: 3 } } }"))
        let next = try folder.run()
        #expect(next.status == 0, "\(next)")
        #expect(try Self.rejects(folder) == "")
    }
}
