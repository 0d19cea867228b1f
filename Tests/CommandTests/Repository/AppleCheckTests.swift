import Foundation
import Testing

/// The files from which `AppleCheck/` builds the store that it opens with Core Data.
@Suite("Files of AppleCheck") struct AppleCheckTests {
    @Test("the spec passes check, and its run writes the objects that AppleCheck counts")
    func specIsCheckedAndRun() throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/AppleCheck"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in ["shelf.yaml", "fill.yaml", "data"] {
            try FileManager.default.copyItem(
                atPath: Repository.path("AppleCheck/" + name), toPath: copy + "/" + name)
        }
        let checked = try Tool.etl(["check", "fill.yaml"], in: copy)
        #expect(checked.status == 0, "\(checked.standardError)")
        let run = try Tool.etl(["run", "fill.yaml"], in: copy)
        #expect(run.status == 0, "\(run.standardError)")
        for (entity, count) in [
            ("Note", 2), ("Item", 4), ("Book", 3), ("Film", 1), ("Tag", 2), ("Shelf", 2),
            ("Person", 3),
        ] {
            let found = try Tool.etl(["fetch", "out/Shelf.sqlite", entity, "--count"], in: copy)
            #expect(found.standardOutput == "\(count)\n", "\(entity)")
        }
        let people = try Tool.etl(["fetch", "out/Shelf.sqlite", "Person"], in: copy)
        #expect(
            people.standardOutput == """
                {"name":"Ann","followers":[],"follows":["Bob","Cid"],"friends":["Cid"]}
                {"name":"Bob","followers":["Ann"],"follows":["Cid"],"friends":[]}
                {"name":"Cid","followers":["Ann","Bob"],"follows":[],"friends":["Ann"]}

                """)
    }
}
