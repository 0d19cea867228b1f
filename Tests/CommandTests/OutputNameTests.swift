import Foundation
import Testing

/// Exports named after formats that etl does not write: the suggested fix works as printed.
@Suite("Names of outputs in other formats") struct OutputNameTests {
    private func folder(_ stage: String) throws -> FailureFolder {
        let folder = try FailureFolder()
        try folder.write("tasks.ndjson", "{\"id\":1,\"title\":\"a\"}\n")
        try folder.writeSpec(
            "spec.yaml",
            """
            - { import: tasks, read: { files: tasks.ndjson }, into: Task }
            - { export: Task, fields: [id, title], \(stage) }
            """)
        return folder
    }

    private static func message(_ place: String, _ name: String, _ what: String, _ fix: String)
        -> String
    {
        """
        spec.yaml:\(place): error: The name '\(name)' is that of \(what), which etl does not write \
        [spec.foreign-format]
          in: stages[1].to
          fix: \(fix)

        """
    }

    @Test(
        "a packed output fails, and the command of the fix writes it",
        arguments: [
            ("out.ndjson.zst", "", "a zstd file", "[zstd, -q, -f, -o, out.ndjson.zst]", "zstd -dc"),
            (
                "my out.zst", ", as: csv", "a zstd file", "[zstd, -q, -f, -o, \"my out.zst\"]",
                "zstd -dc"
            ),
            (
                "out.NDJSON.xz", ", as: ndjson", "an xz file",
                "[sh, -c, \"xz > \\\"$0\\\"\", out.NDJSON.xz]", "xz -dc"
            ),
            (
                "my out.csv.bz2", "", "a bzip2 file",
                "[sh, -c, \"bzip2 > \\\"$0\\\"\", \"my out.csv.bz2\"]", "bzip2 -dc"
            ),
            ("out.zip", ", as: csv", "a zip archive", "[zip, -q, out.zip, \"-\"]", "unzip -p"),
        ] as [(String, String, String, String, String)])
    func packed(name: String, also: String, what: String, words: String, unpack: String) throws {
        let folder = try folder("to: \"\(name)\"\(also)")
        let isTable = also.hasSuffix("csv") || name.contains(".csv")
        let (to, format) = ("to: { command: \(words) }", "as: \(isTable ? "csv" : "ndjson")")
        let message = Self.message(
            "11:44", name, what, "let a command compress it: `\(to)`, and `\(format)`")
        for command in ["check", "run"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(result.errors.hasSuffix(message), "\(result)")
        }
        #expect(!folder.names().contains(name))
        // Twice: the second run replaces the file.
        let mended = try self.folder("\(to), \(format)")
        let program = unpack.split(separator: " ")[0]
        guard try mended.shell("command -v \(program)").status == 0 else { return }
        for _ in 1...2 {
            let result = try mended.shell("exec \"$E\" run spec.yaml")
            #expect(result.status == 0 && result.errors == "", "\(result)")
        }
        #expect(
            try mended.shell("\(unpack) '\(name)'").output
                == (isTable ? "id,title\n1,a\n" : "{\"id\":1,\"title\":\"a\"}\n"))
    }

    @Test(
        "an output format that etl does not write fails with a format that it writes",
        arguments: [
            (
                "to: out/t.xlsx", "out/t.xlsx", "an Excel workbook",
                "export `to: out/t.csv`, and convert that file to a workbook"
            ),
            (
                "to: t.parquet, as: ndjson", "t.parquet", "a Parquet file",
                "export `to: t.ndjson`, and convert that file: "
                    + "`duckdb -c \"COPY (FROM 't.ndjson') TO 't.parquet'\"`"
            ),
            (
                "to: \"${run.date}.csv.zst\", parts: 4", "${run.date}.csv.zst", "a zstd file",
                "export `to: ${run.date}.csv.gz`, which etl compresses itself"
            ),
            (
                "to: t.zip, as: json, manifest: true", "t.zip", "a zip archive",
                "export `to: t.json.gz`, which etl compresses itself"
            ),
        ] as [(String, String, String, String)])
    func converted(stage: String, name: String, what: String, fix: String) throws {
        let folder = try folder(stage)
        let result = try folder.shell("exec \"$E\" check spec.yaml")
        #expect(result.status == 78)
        #expect(
            result.errors.hasSuffix(Self.message("11:44", name, what, fix)), "\(result)")
    }

    @Test(
        "a packed output at a URL gives one error, and the command of its fix sends it",
        arguments: [
            ("https://host/x.csv.gz", "csv", "gzip | curl -fsS -T -", "gzip"),
            ("s3://b/x.ndjson.zst", "ndjson", "zstd -q | aws s3 cp -", "zstd"),
            ("s3://b/x.csv.xz", "csv", "xz | aws s3 cp -", "xz"),
            ("gs://b/x.csv.bz2", "csv", "bzip2 | gcloud storage cp -", "bzip2"),
        ])
    func packedURL(url: String, format: String, line: String, program: String) throws {
        let folder = try folder("to: \"\(url)\"")
        let scheme = url.prefix { $0 != ":" }
        let to = "to: { command: [sh, -c, \"\(line) \(url)\"] }"
        for command in ["check", "run"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(
                result.errors.hasSuffix(
                    """
                    spec.yaml:11:44: error: A path is needed here, not a URL: etl does not read or write \
                    \(scheme):// [spec.url]
                      in: stages[1].to
                      fix: let a command send it: `\(to)`, and `as: \(format)`

                    """) && result.errors.ranges(of: ": error: ").count == 1, "\(result)")
        }
        let mended = try self.folder("\(to), as: \(format)")
        guard try mended.shell("command -v \(program)").status == 0 else { return }
        // Stubs that store their input instead of sending it.
        let result = try mended.shell(
            """
            mkdir bin
            for name in curl aws gcloud; do printf '#!/bin/sh\\ncat > sent\\n' > bin/$name; done
            chmod +x bin/*
            PATH="$PWD/bin:$PATH" "$E" run spec.yaml && \(program) -dc < sent
            """)
        #expect(result.errors == "", "\(result)")
        #expect(
            result.output == (format == "csv" ? "id,title\n1,a\n" : "{\"id\":1,\"title\":\"a\"}\n"))
    }

    @Test(
        "an output at a URL that no command can take fails with a file to send after the run",
        arguments: [
            ("s3://b/x.csv.zst\", parts: 4", "export `to: x.csv.gz`, which etl compresses itself"),
            ("s3://b/x.csv\", manifest: true", "export `to: x.csv`"),
            ("https://h/x.xlsx\"", "export `to: x.csv`, and convert that file to a workbook"),
        ])
    func fileURL(to: String, fix: String) throws {
        let folder = try folder("to: \"\(to)")
        let result = try folder.shell("exec \"$E\" check spec.yaml")
        #expect(result.status == 78)
        #expect(
            result.errors.hasSuffix(
                " [spec.url]\n  in: stages[1].to\n  fix: \(fix); send the file after the run\n"
            ),
            "\(result)")
    }

    @Test("a packed output that a parameter names fails, too")
    func parameter() throws {
        let folder = try folder("to: \"${out}\", as: ndjson")
        let result = try folder.shell("exec \"$E\" run spec.yaml --set out=a.ndjson.zst")
        #expect(result.status == 78)
        #expect(result.errors.contains(", which etl does not write [spec.foreign-format]\n"))
        #expect(folder.names().filter { $0.hasPrefix("a.") || $0.hasPrefix("store") }.isEmpty)
    }
}
