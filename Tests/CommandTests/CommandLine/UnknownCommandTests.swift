import Testing

@Suite("Unknown commands") struct UnknownCommandTests {
    @Test(
        "a mistyped command fails with the closest command as a suggestion",
        arguments: [
            ("rnu", "etl has no command 'rnu'. Did you mean 'run'?", "etl"),
            ("vreify store.sqlite", "etl has no command 'vreify'. Did you mean 'verify'?", "etl"),
            ("spec.yaml", "etl has no command 'spec.yaml'", "etl"),
            (
                "model shwo a.yaml", "etl model has no command 'shwo'. Did you mean 'show'?",
                "etl model"
            ),
        ])
    func told(_ words: String, _ message: String, _ command: String) throws {
        let result = try Tool.etl(words.split(separator: " ").map(String.init))
        #expect(
            result
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: \(message) [usage.command]
                          fix: `\(command) --help` lists the commands

                        """))
    }

    @Test("an argument that is not UTF-8 fails instead of naming another file")
    func encodings() throws {
        let result = try Tool.run(
            "/bin/sh", ["-c", "exec '\(Tool.etlPath)' check \"$(printf 'caf\\351.yaml')\""])
        #expect(
            result
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: Argument 2, 'caf\\xE9.yaml', is not UTF-8 [usage.encoding]
                          fix: rename the file, or name it by a pattern in the spec, such as caf?.csv

                        """))
    }

    @Test("commands, flags, and default subcommands are not reported as unknown")
    func others() throws {
        for words in [
            ["--version"], ["help"], ["help", "run"], [], ["model"], ["model", "--help"],
        ] {
            #expect(try Tool.etl(words).status == 0, "\(words)")
        }
        let history = try Tool.etl(["history", "no.sqlite"])
        #expect(history.status == 66)
        let flag = try Tool.etl(["run", "spec.yaml", "--restrat"])
        #expect(flag.status == 64)
        #expect(flag.standardError.contains("Did you mean '--restart'?"))
    }

    @Test(
        "etl test exits with 64 for a spec without tests"
    )
    func withoutTests() throws {
        let folder = try FailureFolder()
        #expect(
            try Tool.etl(["test", "spec.yaml"], in: folder.path)
                == ToolResult(
                    status: 64,
                    standardError: "spec.yaml has no tests; write some under `tests`\n"))
    }
}
