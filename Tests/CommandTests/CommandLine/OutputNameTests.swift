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

    /// A packed output, and the command that writes it.
    struct Packed: Sendable {
        let name: String
        let also: String
        let what: String
        let words: String
        let unpack: String

        fileprivate var isTable: Bool { also.hasSuffix("csv") || name.contains(".csv") }
        fileprivate var to: String { "to: { command: \(words) }" }
        fileprivate var format: String { "as: \(isTable ? "csv" : "ndjson")" }
    }

    private static let packedOutputs = [
        Packed(
            name: "out.ndjson.zst", also: "", what: "a zstd file",
            words: "[zstd, -q, -f, -o, out.ndjson.zst]", unpack: "zstd -dc"),
        Packed(
            name: "my out.zst", also: ", as: csv", what: "a zstd file",
            words: "[zstd, -q, -f, -o, \"my out.zst\"]", unpack: "zstd -dc"),
        Packed(
            name: "out.NDJSON.xz", also: ", as: ndjson", what: "an xz file",
            words: "[sh, -c, \"xz > \\\"$0\\\"\", out.NDJSON.xz]", unpack: "xz -dc"),
        Packed(
            name: "my out.csv.bz2", also: "", what: "a bzip2 file",
            words: "[sh, -c, \"bzip2 > \\\"$0\\\"\", \"my out.csv.bz2\"]",
            unpack: "bzip2 -dc"),
        Packed(
            name: "out.zip", also: ", as: csv", what: "a zip archive",
            words: "[zip, -q, out.zip, \"-\"]", unpack: "unzip -p"),
    ]

    @Test("a packed output fails, and the fix is a command", arguments: packedOutputs)
    func packed(_ output: Packed) throws {
        let folder = try folder("to: \"\(output.name)\"\(output.also)")
        let message = Self.message(
            "11:44", output.name, output.what,
            "let a command compress it: `\(output.to)`, and `\(output.format)`")
        for command in ["check", "run"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(result.errors.hasSuffix(message), "\(result)")
        }
        #expect(!folder.names().contains(output.name))
    }

    @Test(
        "the command of the fix writes the packed output",
        .enabled(
            if: Tool.areInstalled(["zstd", "xz", "bzip2", "zip", "unzip"]),
            "zstd, xz, bzip2, zip, or unzip is missing"),
        arguments: packedOutputs)
    func packedByCommand(_ output: Packed) throws {
        let folder = try folder("\(output.to), \(output.format)")
        // Twice: the second run replaces the file.
        for _ in 1...2 {
            let result = try folder.shell("exec \"$E\" run spec.yaml")
            #expect(result.status == 0 && result.errors == "", "\(result)")
        }
        #expect(
            try folder.shell("\(output.unpack) '\(output.name)'").output
                == (output.isTable ? "id,title\n1,a\n" : "{\"id\":1,\"title\":\"a\"}\n"))
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

    /// An output at a URL, and the command that sends it.
    struct Sent: Sendable {
        let url: String
        let format: String
        let line: String
        let program: String

        fileprivate var to: String { "to: { command: [sh, -c, \"\(line) \(url)\"] }" }
    }

    private static let sentOutputs = [
        Sent(
            url: "https://host/x.csv.gz", format: "csv", line: "gzip | curl -fsS -T -",
            program: "gzip"),
        Sent(
            url: "s3://b/x.ndjson.zst", format: "ndjson", line: "zstd -q | aws s3 cp -",
            program: "zstd"),
        Sent(url: "s3://b/x.csv.xz", format: "csv", line: "xz | aws s3 cp -", program: "xz"),
        Sent(
            url: "gs://b/x.csv.bz2", format: "csv", line: "bzip2 | gcloud storage cp -",
            program: "bzip2"),
    ]

    @Test(
        "a packed output at a URL gives one error, and the fix is a command", arguments: sentOutputs
    )
    func packedURL(_ output: Sent) throws {
        let folder = try folder("to: \"\(output.url)\"")
        let scheme = output.url.prefix { $0 != ":" }
        for command in ["check", "run"] {
            let result = try folder.shell("exec \"$E\" \(command) spec.yaml")
            #expect(result.status == 78)
            #expect(
                result.errors.hasSuffix(
                    """
                    spec.yaml:11:44: error: A path is needed here, not a URL: etl does not read or write \
                    \(scheme):// [spec.url]
                      in: stages[1].to
                      fix: let a command send it: `\(output.to)`, and `as: \(output.format)`

                    """) && result.errors.ranges(of: ": error: ").count == 1, "\(result)")
        }
    }

    @Test(
        "the command of the fix sends the packed output",
        .enabled(
            if: Tool.areInstalled(["gzip", "zstd", "xz", "bzip2"]),
            "gzip, zstd, xz, or bzip2 is missing"),
        arguments: sentOutputs)
    func packedURLByCommand(_ output: Sent) throws {
        let folder = try folder("\(output.to), as: \(output.format)")
        // Stubs that store their input instead of sending it.
        let result = try folder.shell(
            """
            mkdir bin
            for name in curl aws gcloud; do printf '#!/bin/sh\\ncat > sent\\n' > bin/$name; done
            chmod +x bin/*
            PATH="$PWD/bin:$PATH" "$E" run spec.yaml && \(output.program) -dc < sent
            """)
        #expect(result.errors == "", "\(result)")
        #expect(
            result.output
                == (output.format == "csv" ? "id,title\n1,a\n" : "{\"id\":1,\"title\":\"a\"}\n"))
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
