import Foundation
import Testing

/// The command of `on-failure`: when it starts, which values it gets, and that it changes nothing
/// else.
@Suite("on-failure") struct OnFailureTests {
    /// A script that records its environment and its arguments.
    private static let tell = """
        #!/bin/sh
        echo "$PWD|$ETL_EXIT|$TOKEN|$#|$1|$2" >> told
        test -z "$2" || test -s "$2" || echo "no report" >> told
        """

    private func folder(
        _ command: String = "[./tell.sh, nightly]", params: String = ""
    ) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.writeTasks(3)
        try folder.write("tell.sh", Self.tell)
        try folder.shell("chmod +x tell.sh; mkdir elsewhere")
        try folder.writeSpec("spec.yaml", top: "on-failure: \(command)")
        if !params.isEmpty {
            try folder.write(
                "spec.yaml",
                folder.text("spec.yaml").replacing("params:", with: "params:\n\(params)"))
        }
        return folder
    }

    /// Runs the spec from another folder.
    private func run(
        _ folder: FailureFolder, _ flags: String = "", verb: String = "run"
    ) throws -> FailureFolder.Result {
        try folder.shell("cd elsewhere && exec \"$E\" \(verb) ../spec.yaml \(flags)")
    }

    /// Returns the values that the command got, with the names of runs and of the folder replaced.
    private func told(_ folder: FailureFolder) throws -> String {
        let real = try folder.shell("pwd -P").output.dropLast()
        return folder.text("told").replacing(real, with: "DIR").replacing(folder.path, with: "DIR")
            .replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
    }

    @Test("on-failure gets the report and the exit code, and does not start after success")
    func starts() throws {
        let folder = try folder()
        #expect(try run(folder).status == 0)
        #expect(folder.text("told") == "")
        try folder.write("tasks.ndjson", "{\"id\":null}\n")
        let failed = try run(folder)
        #expect(failed.status == 65)
        #expect(!failed.errors.contains("on-failure"))
        #expect(try told(folder) == "DIR|65||2|nightly|DIR/runs/spec-RUN.json\n")
        // `plan` does not start the command.
        #expect(try run(folder, verb: "plan").status != 0)
        #expect(try told(folder) == "DIR|65||2|nightly|DIR/runs/spec-RUN.json\n")
    }

    @Test("a signal ends an on-failure command that hangs")
    func hanging() throws {
        let folder = try folder("[sh, -c, \"echo begun > begun; exec sleep 300\"]")
        try folder.write("tasks.ndjson", "{\"id\":null}\n")
        let result = try folder.shell(
            """
            "$E" run spec.yaml & run=$!
            for turn in $(seq 200); do [ -e begun ] && break; sleep 0.1; done
            kill -TERM $run
            wait $run
            """)
        #expect(result.status == 65)
        #expect(
            result.errors.contains(
                "warning: The command of `on-failure` was ended, by a signal: sh -c"), "\(result)")
    }

    @Test("on-failure starts if the check fails, and without a report if none was written")
    func withoutStore() throws {
        let folder = try folder()
        let spec = folder.text("spec.yaml")
        try folder.write("spec.yaml", spec.replacing("into: Task", with: "into: Tusk"))
        #expect(try run(folder).status == 78)
        try folder.write("spec.yaml", spec)
        #expect(
            try folder.shell(
                """
                "$E" run spec.yaml; python3 - <<'P'
                import fcntl, os, subprocess
                lock = os.open("store.sqlite.etl-lock", os.O_RDWR)
                fcntl.flock(lock, fcntl.LOCK_EX)
                print(subprocess.run([os.environ["E"], "run", "spec.yaml"]).returncode)
                print(subprocess.run(
                    [os.environ["E"], "run", "spec.yaml", "--if-locked", "skip"]).returncode)
                P
                """
            ).output == "75\n0\n")
        #expect(
            try told(folder) == """
                DIR|78||2|nightly|DIR/runs/spec-RUN.json
                DIR|75||1|nightly|

                """)
    }

    @Test(
        "a failed on-failure command gives a warning and keeps the exit code of the run",
        arguments: [
            ("[sh, -c, \"echo hello; echo oops >&2; exit 3\", sh]", "ended with exit code 3"),
            (
                "[./nothing-there]",
                "cannot be started: there is no program of that name that this user may run"
            ),
        ])
    func fails(_ command: String, _ words: String) throws {
        let folder = try folder(command)
        try folder.write("tasks.ndjson", "{\"id\":null}\n")
        let result = try run(folder)
        #expect(result.status == 65)
        let errors = result.errors.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
        let shown =
            command.contains("hello")
            ? "sh -c 'echo hello; echo oops >&2; exit 3' sh" : "./nothing-there"
        #expect(
            errors.hasSuffix(
                """
                warning: The command of `on-failure` \(words): \(shown) runs/spec-RUN.json [run.on-failure]
                  fix: run it by hand in the spec's folder

                """), "\(errors)")
        guard command.contains("hello") else { return }
        #expect(errors.contains("on-failure: note: hello [command.says]\n"))
        #expect(errors.contains("on-failure: note: oops [command.says]\n"))
        let quiet = try run(folder, "-q").errors.replacing(#/\d{8}T\d{6}Z-\d+/#, with: "RUN")
        #expect(!quiet.contains("command.says"))
        #expect(
            quiet.hasSuffix(
                """
                warning: The command of `on-failure` \(words): \(shown) runs/spec-RUN.json [run.on-failure]
                  fix: run it by hand in the spec's folder

                """), "\(quiet)")
    }

    @Test("--no-commands rejects on-failure and does not start it")
    func refused() throws {
        let folder = try folder()
        let result = try folder.shell("exec \"$E\" run --no-commands spec.yaml")
        #expect(result.status == 78)
        #expect(
            result.errors == """
                spec.yaml:8:13: error: `--no-commands` does not allow the command of `on-failure` \
                [command.refused]
                  in: on-failure
                  fix: leave out `on-failure`, or run it without `--no-commands`

                """)
        #expect(folder.text("told") == "")
    }

    @Test("on-failure rejects a secret as an argument and accepts it as a variable")
    func secrets() throws {
        let token = "  token: { type: secret, from: \"env:SECRET\" }"
        let folder = try folder("[./tell.sh, \"${token}\"]", params: token)
        let refused = try folder.shell("SECRET=s3cr3t exec \"$E\" run spec.yaml")
        #expect(refused.status == 78)
        #expect(
            refused.errors == """
                spec.yaml:9:25: error: 'token' is a secret, and every user of the machine can \
                read the words of a command [spec.command-secret]
                  in: on-failure[1]
                  fix: pass it in a variable: `env: { TOKEN: "${token}" }`

                """)
        #expect(folder.text("told") == "")
        let other = try self.folder(
            "{ command: [./tell.sh, x], env: { TOKEN: \"${token}\" } }", params: token)
        try other.write("tasks.ndjson", "{\"id\":null}\n")
        #expect(try other.shell("SECRET=s3cr3t exec \"$E\" run spec.yaml").status == 65)
        #expect(try told(other) == "DIR|65|s3cr3t|2|x|DIR/runs/spec-RUN.json\n")
        // Without the parameter, the run does not start, and the command is not started.
        #expect(
            try other.shell("exec \"$E\" run spec.yaml 2>&1").output.contains("[run.on-failure]"))
    }
}
