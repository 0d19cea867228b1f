import Foundation
import Testing

/// Runs of one spec from several working folders.
@Suite("Working folders") struct WorkingFolderTests {
    private static let model = """
        model: 1
        entities:
          Note: { attributes: { id: Integer 32, text: String } }
        """

    private static func spec(_ file: String, once: Bool) -> String {
        """
        etl: 1
        store: { at: store.sqlite, model: model.yaml, open: create }
        stages:
          - import: notes
            read: { files: \(file), once: \(once) }
            into: Note
            when-found: append
        """
    }

    private func run(_ folder: FailureFolder, from working: String, _ spec: String) throws -> Int32
    {
        try folder.shell("mkdir -p elsewhere; cd \(working); exec \"$E\" run \(spec)").status
    }

    @Test(
        "an import goes on where it stopped, and once is once, from any folder",
        arguments: [false, true], ["in.ndjson.gz", "ABSOLUTE"])
    func anyFolder(once: Bool, file: String) throws {
        let folder = try FailureFolder()
        try folder.write("model.yaml", Self.model)
        let path = file == "ABSOLUTE" ? folder.path + "/in.ndjson.gz" : file
        try Self.spec(path, once: once).write(
            toFile: folder.path + "/spec.yaml", atomically: true, encoding: .utf8)
        let count = try folder.shell(
            """
            for i in $(seq 3000); do echo "{\\"id\\":$i,\\"text\\":\\"$(echo $i | md5sum)\\"}"; done > all
            gzip -c all > whole.gz
            head -c $(($(wc -c < whole.gz) / 2)) whole.gz > in.ndjson.gz
            """)
        #expect(count.status == 0)
        #expect(try run(folder, from: ".", "spec.yaml") == 65)
        let saved = try folder.query("SELECT count(*) FROM ZNOTE")
        #expect(try run(folder, from: "elsewhere", "../spec.yaml") == 65)
        #expect(try run(folder, from: "/", folder.path + "/spec.yaml") == 65)
        #expect(try folder.query("SELECT count(*) FROM ZNOTE") == saved)
        try folder.shell("cp whole.gz in.ndjson.gz")
        #expect(try run(folder, from: "/", folder.path + "/spec.yaml") == 0)
        #expect(
            try folder.query("SELECT count(*), count(DISTINCT ZID) FROM ZNOTE") == "3000|3000\n")
        guard once else { return }
        #expect(try run(folder, from: ".", "spec.yaml") == 0)
        #expect(try run(folder, from: "elsewhere", "../spec.yaml") == 0)
        #expect(try folder.query("SELECT count(*) FROM ZNOTE") == "3000\n")
        #expect(try folder.query("SELECT PATH FROM ETL_INPUTS") == "in.ndjson.gz\n")
    }
}
