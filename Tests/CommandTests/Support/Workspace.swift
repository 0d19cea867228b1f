import Foundation
import Testing

/// A copy of `pipelines/` and `sample-data/` in which specs run.
final class Workspace {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["pipelines", "sample-data"] {
            try FileManager.default.copyItem(atPath: Repository.path(name), toPath: path(name))
        }
    }

    func path(_ relative: String) -> String { folder.path + "/" + relative }

    /// Runs a spec of `pipelines/`.
    func run(_ spec: String, _ arguments: String...) throws -> ToolResult {
        try Tool.etl(["run", path("pipelines/\(spec).yaml")] + arguments)
    }

    /// Runs a spec that must succeed without output.
    func runSilently(
        _ spec: String, _ arguments: String..., at location: SourceLocation = #_sourceLocation
    ) throws {
        let result = try Tool.etl(["run", path("pipelines/\(spec).yaml")] + arguments)
        #expect(result == .silentSuccess, sourceLocation: location)
    }

    /// Returns the lines that the stages of a spec print, without their times and the folder.
    func stageLines(_ spec: String, _ arguments: String...) throws -> [String] {
        let result = try Tool.etl(["run", "-v", path("pipelines/\(spec).yaml")] + arguments)
        guard result.status == 0, result.standardOutput.isEmpty else { throw ToolFailure(result) }
        return result.standardError.split(separator: "\n").map { line in
            String(line).replacing(#/ \([0-9.e-]+ s\)$/#, with: "")
                .replacing(#/-[0-9]{8}T[0-9]{6}Z-[0-9]+$/#, with: "")
                .replacing(path("pipelines/../"), with: "").replacing(path(""), with: "")
        }
    }

    func sqlite(_ store: String, _ query: String) throws -> [String] {
        try Tool.sqlite(path(store), query)
    }

    func contents(_ relative: String) throws -> String {
        try Tool.contents(path(relative))
    }

    func write(_ text: String, to relative: String) throws {
        let file = URL(fileURLWithPath: path(relative))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Returns how often each object was written, by table and key.
    ///
    /// The result is equal before and after a run that changes nothing.
    func versions(_ store: String) throws -> [String] {
        let tables = try sqlite(
            store,
            """
            SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND c.name = 'Z_OPT' ORDER BY m.name
            """)
        return try tables.flatMap { table in
            try sqlite(store, "SELECT '\(table)', Z_PK, Z_OPT FROM \(table) ORDER BY Z_PK")
        }
    }
}
