import Foundation
import Testing

/// Inputs that change while a run reads them.
@Suite("Failures: inputs that change", .serialized)
struct FailureInputTests {
    static let stages = """
        - import: tasks
          read: { files: [a.ndjson, b.ndjson], as: ndjson }
          into: Task
          set-only: true
          set: { id: id }
          MIRROR
        """

    /// Runs over a pipe and then over a file that changes while the run waits for the pipe.
    static func run(
        _ change: String, mirror: Bool = false
    ) throws -> (FailureFolder, FailureFolder.Result) {
        let folder = try FailureFolder()
        try folder.writeSpec(
            "spec.yaml",
            stages.replacing("MIRROR", with: mirror ? "mirror: { where: ALL, at-most: 100% }" : ""))
        // With this little memory, inputs are read in sequence, not in parallel.
        try folder.write(
            "spec.yaml",
            folder.text("spec.yaml").replacing(
                "save-every: 1000", with: "save-every: 1000, memory: 64MiB"))
        try folder.write("b.ndjson", "{\"id\":2}\n{\"id\":3}\n")
        if mirror {
            try folder.write("a.ndjson", "{\"id\":1}\n{\"id\":7}\n")
            #expect(try folder.run().status == 0)
            try folder.shell("rm a.ndjson")
        }
        let result = try folder.shell(
            """
            mkfifo a.ndjson
            "$E" run spec.yaml & run=$!
            exec 3> a.ndjson
            while ! grep -q pid store.sqlite.etl-lock 2> /dev/null; do sleep 0.05; done
            sleep 0.3
            echo '{"id":1}' >&3
            \(change)
            exec 3>&-
            wait $run
            """)
        return (folder, result)
    }

    @Test("66: an input is deleted during the run; earlier records stay")
    func vanishes() throws {
        let (folder, result) = try Self.run("rm b.ndjson")
        #expect(result.status == 66)
        #expect(result.errors.hasPrefix("b.ndjson: error: The file does not exist [input.missing]"))
        #expect(try folder.query("SELECT group_concat(ZID) FROM ZTASK") == "1\n")
    }

    @Test("65: an input is truncated during the run; the run does not treat it as complete")
    func cut() throws {
        let (folder, result) = try Self.run("printf '{\"id\":2}\\n' > b.ndjson")
        #expect(result.status == 65)
        #expect(
            result.errors.hasPrefix(
                "error: b.ndjson was cut while the run read it: of 18 bytes 9 are left [input.cut]"),
            "\(result.errors)")
        #expect(try folder.query("SELECT count(*) FROM ZTASK") == "2\n")
        #expect(result.errors.contains("fix: write it under another name"))
    }

    @Test("reads an input that grows during the run, and warns")
    func grows() throws {
        let (folder, result) = try Self.run("echo '{\"id\":4}' >> b.ndjson")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: b.ndjson grew while the run read it; the next run reads the records that \
                were added after that [input.grown]
                  fix: write it under another name, and rename it when it is complete

                """)
        #expect(try folder.query("SELECT group_concat(ZID) FROM ZTASK") == "1,2,3,4\n")
    }

    @Test(
        "mirror deletes nothing if an input changed during the run",
        arguments: [
            ("rm b.ndjson", 66, "input.missing"), (": > b.ndjson", 65, "input.cut"),
            ("echo '{\"id\":4}' >> b.ndjson", 65, "mirror.refused"), ("true", 0, ""),
        ])
    func mirror(_ change: String, _ status: Int32, _ code: String) throws {
        let (folder, result) = try Self.run(change, mirror: true)
        #expect(result.status == status, "\(result.errors)")
        #expect(code.isEmpty ? result.errors == "" : result.errors.contains("[\(code)]"))
        let left = try folder.query("SELECT count(*) FROM ZTASK WHERE ZID = 7")
        #expect(left == (status == 0 ? "0\n" : "1\n"))
    }
}
