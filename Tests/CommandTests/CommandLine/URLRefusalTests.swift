import Foundation
import Testing

/// The complete messages about URLs where paths are required, whatever their source.
@Suite("URLs instead of paths") struct URLRefusalTests {
    private static let spec = """
        etl: 1
        name: test
        params:
          store: { type: string, default: s.sqlite }
          input: { type: string, default: a.ndjson }
          out: { type: string, default: o.csv }
          reports: { type: string, default: runs }
          metrics: { type: string, default: m.prom }
          rejects: { type: string, default: rejects }
        store: { at: "${store}", open: create, model: model.yaml }
        report: { to: "${reports}", metrics: "${metrics}" }
        rejects: { dir: "${rejects}" }
        stages:
          - { import: tasks, read: { files: "${input}" }, into: Task, when-found: append }
          - { export: Task, to: "${out}", as: csv }
        """

    private func folder(_ spec: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in [
            ("s.yaml", spec), ("a.ndjson", "{\"id\":1}\n"),
            ("model.yaml", "model: 1\nentities: { Task: { attributes: { id: Integer 64 } } }\n"),
        ] {
            try text.write(
                toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        }
        return folder
    }

    /// Checks that only the report of the run exists, and only if its location is a path.
    private func expectNothing(in folder: TemporaryFolder) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            names.filter { !["runs", "m.prom"].contains($0) }.sorted() == [
                "a.ndjson", "model.yaml", "s.yaml",
            ])
    }

    @Test(
        "a URL from a parameter's default or from --set fails with 78 and creates nothing",
        arguments: [
            (
                "store", "postgresql://h/t", "10:14", "store.at", "postgresql",
                "name an SQLite file; etl writes no other databases"
            ),
            (
                "store", "jdbc:mysql://h/t", "10:14", "store.at", "mysql",
                "name an SQLite file; etl writes no other databases"
            ),
            ("store", "sqlite:///tmp/t", "10:14", "store.at", "sqlite", "leave out `sqlite://`"),
            ("store", "https://h/t", "10:14", "store.at", "https", "name a file"),
            ("store", "s3://b/t", "10:14", "store.at", "s3", "name a file"),
            ("store", "file:///tmp/t", "10:14", "store.at", "file", "leave out `file://`"),
            (
                "input", "https://h/a.ndjson", "14:37", "stages[0].read.files", "https",
                "let a command fetch it: `read: { command: [curl, -fsSL, \"https://h/a.ndjson\"], "
                    + "as: ndjson }`"
            ),
            (
                "input", "s3://b/a.csv", "14:37", "stages[0].read.files", "s3",
                "let a command fetch it: `read: { command: [aws, s3, cp, \"s3://b/a.csv\", \"-\"], "
                    + "as: csv }`"
            ),
            (
                "input", "postgresql://h/t", "14:37", "stages[0].read.files", "postgresql",
                "name an SQLite file; etl writes no other databases"
            ),
            (
                "out", "https://h/o.csv", "15:25", "stages[1].to", "https",
                "let a command send it: `to: { command: [curl, -fsS, -T, \"-\", "
                    + "\"https://h/o.csv\"] }`, and `as: csv`"
            ),
            (
                "out", "s3://b/o.csv", "15:25", "stages[1].to", "s3",
                "let a command send it: `to: { command: [aws, s3, cp, \"-\", \"s3://b/o.csv\"] }`, "
                    + "and `as: csv`"
            ),
            ("reports", "s3://b/r", "11:15", "report.to", "s3", "name a folder"),
            ("reports", "https://h/r", "11:15", "report.to", "https", "name a folder"),
            ("metrics", "https://h/m", "11:38", "report.metrics", "https", "name a file"),
            ("rejects", "s3://b/r", "12:17", "rejects.dir", "s3", "name a folder"),
        ] as [(String, String, String, String, String, String)])
    func parameters(
        name: String, url: String, place: String, key: String, scheme: String, fix: String
    ) throws {
        let message = """
            s.yaml:\(place): error: A path is needed here, not a URL: etl does not read or write \
            \(scheme):// [spec.url]
              in: \(key)
              fix: \(fix)

            """
        let given = try folder(Self.spec)
        let result = try Tool.etl(["run", "s.yaml", "--set", "\(name)=\(url)"], in: given.path)
        #expect(result == ToolResult(status: 78, standardError: message))
        let line = Self.spec.split(separator: "\n").first { $0.hasPrefix("  \(name):") } ?? ""
        let old = line.split(separator: " ").dropLast().last ?? ""
        let other = try folder(
            Self.spec.replacing(
                line, with: line.replacing("default: \(old)", with: "default: \"\(url)\"")))
        let byDefault = try Tool.etl(["run", "s.yaml"], in: other.path)
        #expect(byDefault == ToolResult(status: 78, standardError: message))
        for folder in [given, other] { try expectNothing(in: folder) }
    }

    @Test(
        "a URL without slashes is refused like others, if no file has this name",
        arguments: [
            ("sqlite:x.db", "sqlite:", "leave out `sqlite:`"),
            ("file:x.db", "file:", "leave out `file:`"),
            ("mysql:x", "mysql:", "name an SQLite file; etl writes no other databases"),
            ("jdbc:sqlite:x.db", "sqlite:", "leave out `jdbc:sqlite:`"),
            ("duckdb:x", "duckdb:", "name a file, or write `./duckdb:x` if that is its name"),
        ])
    func withoutSlashes(url: String, scheme: String, fix: String) throws {
        let folder = try folder(Self.spec)
        let message = """
            A path is needed here, not a URL: etl does not read or write \(scheme) [spec.url]
            """
        #expect(
            try Tool.etl(["import", "a.ndjson", "--into", url], in: folder.path)
                == ToolResult(
                    status: 64, standardError: "error: \(message)\n  fix: \(fix)\n"))
        let run = try Tool.etl(["run", "s.yaml", "--set", "store=\(url)"], in: folder.path)
        #expect(run.status == 78)
        #expect(
            run.standardError
                == "s.yaml:10:14: error: \(message)\n  in: store.at\n  fix: \(fix)\n")
        try expectNothing(in: folder)
    }

    @Test("a drive, a file that exists, a pattern, and a path with a folder are not URLs")
    func namesWithColons() throws {
        let folder = try folder(Self.spec)
        for name in ["log:1.ndjson", "c:x.ndjson"] {
            try "{\"id\":1}\n".write(
                toFile: "\(folder.path)/\(name)", atomically: true, encoding: .utf8)
        }
        let inputs = ["log:1.ndjson", "log:*.ndjson", "./log:1.ndjson", "c:x.ndjson"]
        for (place, input) in inputs.enumerated() {
            let sets = ["--set", "input=\(input)", "--set", "store=\(place).sqlite"]
            #expect(
                try Tool.etl(["run", "s.yaml"] + sets, in: folder.path) == .silentSuccess,
                "\(input)")
        }
        #expect(
            try Tool.etl(["import", "log:1.ndjson", "--into", "t.sqlite"], in: folder.path)
                == .silentSuccess)
    }

    @Test(
        "no message contains the password of a URL",
        arguments: [
            ["status", "postgresql://u:s3cr3t@h/t"], ["report", "postgresql://u:s3cr3t@h/t"],
            ["run", "postgresql://u:s3cr3t@h/t"], ["fetch", "mysql://u:s3cr3t@h/t", "Task"],
            ["import", "https://u:s3cr3t@h/a.csv", "--into", "t.sqlite"],
            ["import", "jdbc:mysql://h/t?user=u&password=s3cr3t", "--into", "t.sqlite"],
            ["import", "a.ndjson", "--into", "t.sqlite", "https://u:s3cr3t@h/x"],
            ["replay", "https://u:s3cr3t@h/r"], ["explain", "https://u:s3cr3t@h/r"],
            ["verify", "store.sqlite", "https://u:s3cr3t@h/r"],
            ["run", "s.yaml", "--set", "input=https://u:s3cr3t@h/a.csv"],
        ])
    func passwords(arguments: [String]) throws {
        let folder = try folder(Self.spec)
        let result = try Tool.etl(arguments, in: folder.path)
        #expect(result.status != 0)
        #expect(!result.standardError.contains("s3cr3t"), "\(result)")
        if arguments[0] == "run", arguments.count == 2 {
            #expect(
                result.standardError
                    == """
                    postgresql://***@h/t: error: The file does not exist [file.missing]
                      fix: etl does not read a spec from a URL; save it to a file, and name that file

                    """)
        }
        for file in FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? [] {
            let path = "\(folder.path)/\(file)"
            let text = try? String(contentsOfFile: path, encoding: .utf8)
            #expect(text?.contains("s3cr3t") != true, "\(file)")
        }
    }

    @Test("a URL as a parameter of the type path is reported at the parameter")
    func pathParameter() throws {
        let folder = try folder(
            Self.spec.replacing("store: { type: string", with: "store: { type: path"))
        let result = try Tool.etl(
            ["run", "s.yaml", "--set", "store=postgresql://h/t"], in: folder.path)
        #expect(result.status == 78)
        #expect(
            result.standardError.hasPrefix(
                """
                s.yaml:4:3: error: A path is needed here, not a URL: etl does not read or write \
                postgresql:// [spec.url]
                  in: params.store
                  fix: name an SQLite file; etl writes no other databases

                """), "\(result)")
        try expectNothing(in: folder)
    }

    @Test(
        "a URL as the store of a command fails with 64",
        arguments: [
            ["fetch", "s3://b/s", "Task"], ["verify", "s3://b/s"],
            ["verify", "a.ndjson", "--repair", "s3://b/s"], ["history", "s3://b/s"],
            ["history", "purge", "s3://b/s", "--before", "2026-01-01"],
            ["migrate", "s3://b/s", "--to", "model.yaml"],
            ["import", "a.ndjson", "--into", "s3://b/s"],
        ])
    func stores(arguments: [String]) throws {
        let folder = try folder(Self.spec)
        let result = try Tool.etl(arguments, in: folder.path)
        #expect(
            result
                == ToolResult(
                    status: 64,
                    standardError: """
                        error: A path is needed here, not a URL: etl does not read or write s3:// \
                        [spec.url]
                          fix: name a file

                        """))
        try expectNothing(in: folder)
    }

    @Test(
        "a URL as the folder of a command fails with 64 and creates no folder",
        arguments: [
            ["infer", "a.ndjson", "--output", "s3://b/x"],
            ["import", "a.ndjson", "--into", "s.sqlite", "--save-spec", "s3://b/x"],
            ["model", "swift", "model.yaml", "--output", "s3://b/x"],
        ])
    func folders(arguments: [String]) throws {
        let folder = try folder(Self.spec)
        let result = try Tool.etl(arguments, in: folder.path)
        #expect(result.status == 64)
        #expect(
            result.standardError == """
                error: A path is needed here, not a URL: etl does not read or write s3:// [spec.url]
                  fix: name a folder

                """)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/s3:"))
    }
}
