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
        "an import resumes, and `once` imports once, from any working folder",
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
        #expect(
            try folder.query("SELECT PATH FROM ETL_INPUTS WHERE PIPELINE <> ''") == "in.ndjson.gz\n"
        )
    }

    @Test("a replay prints the folder of rejects as the run does, from any working folder")
    func relativeRejects() throws {
        let folder = try FailureFolder()
        try folder.write("model.yaml", Self.model)
        try folder.write("in.ndjson", "{\"id\":\"x\"}\n")
        try folder.write("spec.yaml", Self.spec("in.ndjson", once: false))
        for (working, spec, place) in [
            (".", "spec.yaml", ""), ("elsewhere", "../spec.yaml", "../"),
        ] {
            let run = try folder.shell(
                "rm -rf rejects runs store*; mkdir -p elsewhere; cd \(working); \"$E\" run \(spec)")
            #expect(run.status == 65)
            let rejects = "\(place)rejects/\(try folder.shell("ls rejects").output.dropLast())"
            #expect(run.errors.contains("correct the records in \(rejects), or raise"), "\(run)")
            let replay = try folder.shell("cd \(working); \"$E\" replay \(spec)")
            #expect(
                replay.errors == """
                    \(place)in.ndjson:1:8: error: 'id' takes a whole number that fits Integer 32, not 'x' [cast]
                      in: record 1, field 'id', byte 7
                    error: 1 of 1 record is rejected again [replay.left]
                      fix: correct the records in \(rejects), or fix the spec, and replay again

                    """)
        }
        let report = try folder.shell("exec \"$E\" report spec.yaml").output
        #expect(report.contains("\n  store   store.sqlite\n"), "\(report)")
        #expect(!report.contains(folder.path), "\(report)")
    }

    /// A file system that accepts only UTF-8 cannot create such a folder.
    private static let allowsAnyBytes: Bool = {
        let making = "mkdir \"$(printf 'p\\351')\""
        return (try? FailureFolder().shell(making))?.status == 0
    }()

    @Test(
        "replay and status work in a folder whose name is not UTF-8",
        .enabled(if: allowsAnyBytes, "file names must be UTF-8 here"))
    func otherEncodings() throws {
        let folder = try TemporaryFolder()
        let script = """
            set -e
            mkdir "$(printf 'p\\351')" && cd "$(printf 'p\\351')"
            printf 'model: 1\\nentities: { Task: { attributes: { id: Integer 16 } } }\\n' > model.yaml
            cat > spec.yaml <<'END'
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: create }
            rejects: { allow: 100% }
            report: { to: runs }
            stages:
              - { import: tasks, read: { files: "*.csv" }, into: Task, when-found: append }
            END
            printf 'id\\n1\\nx\\n' > "$(printf 'caf\\351.csv')"
            ETL run spec.yaml
            sed -i.bak s/x/2/ rejects/*/*.csv
            ETL replay rejects/*
            ETL status spec.yaml | grep -c 'exit 0 OK'
            ETL fetch store.sqlite Task --fields id --format csv
            """.replacing("ETL", with: "'\(Tool.etlPath)'")
        let result = try Tool.run("/bin/sh", ["-c", script], in: folder.path)
        #expect(result.standardOutput.hasSuffix("id\n1\n2\n"), "\(result)")
        #expect(result.status == 0)
    }
}
