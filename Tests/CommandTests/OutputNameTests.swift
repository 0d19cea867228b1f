import Foundation
import Testing

/// Exports whose names are those of formats that etl does not write: the fix is a line that works.
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
        "a packed output is refused, and the line of the fix writes it",
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
        "other formats are converted from one that etl writes, and several files are gzip",
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

    @Test("a name that a parameter has is refused, too")
    func parameter() throws {
        let folder = try folder("to: \"${out}\", as: ndjson")
        let result = try folder.shell("exec \"$E\" run spec.yaml --set out=a.ndjson.zst")
        #expect(result.status == 78)
        #expect(result.errors.contains(", which etl does not write [spec.foreign-format]\n"))
        #expect(folder.names().filter { $0.hasPrefix("a.") || $0.hasPrefix("store") }.isEmpty)
    }
}
