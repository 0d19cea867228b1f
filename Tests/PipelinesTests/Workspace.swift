import Diagnostics
import Foundation
import RecordStreams
import SQLite
import Synchronization
import Testing

@testable import Pipelines

/// A folder with a spec, its inputs, and its results; deleted with the value.
final class Workspace: Sendable {
    let folder: String
    /// 2026-03-04 05:06:07.25 UTC.
    static let now = Date(timeIntervalSinceReferenceDate: 794_293_567.25)

    init() throws {
        folder = NSTemporaryDirectory() + "pipelines-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Files

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func write(_ name: String, _ text: String) throws {
        try write(name, bytes: Array(text.utf8))
    }

    func write(_ name: String, bytes: [UInt8]) throws {
        let whole = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(
            at: whole.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: whole)
    }

    /// Writes a string as gzip, and returns its bytes.
    @discardableResult
    func writeGzip(_ name: String, _ text: String) throws -> [UInt8] {
        let output = try OutputFile(path: path(name), gzipLevel: 6)
        try Array(text.utf8).withUnsafeBytes { try output.write($0) }
        _ = try output.finish(rowCount: 0)
        return try bytes(name)
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: URL(fileURLWithPath: path(name)), encoding: .utf8)
    }

    func bytes(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    }

    /// Returns the sorted names in a folder; empty if the folder does not exist.
    func names(_ name: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
    }

    // MARK: Runs

    /// Options that read on a separate thread while writing, as for inputs that are not small.
    static let separateThread = DecodingOptions(smallInputBytes: 0)

    /// Writes the spec, runs it, and checks that the record counts of every import add up.
    func run(
        _ spec: String, sets: [String] = [], environment: [String: String] = [:],
        workingFolder: String = "/", now: Date = Workspace.now,
        decoding: DecodingOptions = separateThread
    ) throws -> Run {
        try write("spec.yaml", spec)
        let warnings = Mutex<[Diagnostic]>([])
        var options = RunOptions(
            sets: sets, environment: environment, workingFolder: workingFolder, now: now)
        options.decoding = decoding
        let runner = PipelineRunner(
            options: options,
            warn: { warning in warnings.withLock { $0.append(warning) } })
        let outcome = runner.run(path("spec.yaml"))
        for stage in outcome.stages {
            if let records = stage.records { #expect(records.isConserved) }
        }
        return Run(
            outcome: outcome, folder: folder, warnings: warnings.withLock { $0 })
    }

    /// Runs the stages over the store `store.sqlite` with a model; both are top-level YAML.
    func run(
        model: String, _ stages: String, top: String = "", open: String = "create",
        sets: [String] = [], decoding: DecodingOptions = separateThread
    ) throws -> Run {
        try write("model.yaml", model)
        return try run(
            """
            etl: 1
            store: { at: store.sqlite, model: model.yaml, open: \(open) }
            \(top)
            stages:
            \(stages)
            """, sets: sets, decoding: decoding)
    }

    func check(_ spec: String) throws -> String {
        try write("spec.yaml", spec)
        let runner = PipelineRunner(
            options: RunOptions(workingFolder: "/", now: Workspace.now))
        return runner.check(path("spec.yaml")).map(DiagnosticRenderer.text)
            .joined(separator: "\n").replacingOccurrences(of: folder + "/", with: "")
    }

    // MARK: Results

    /// Returns the rows of a query, with their columns joined by `|`; the store must be valid.
    func rows(_ sql: String, store: String = "store.sqlite") throws -> [String] {
        let connection = try Connection(path: path(store), mode: .readWrite)
        #expect(try connection.text("PRAGMA integrity_check") == "ok")
        let statement = try connection.prepare(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { column in
                    statement.isNull(column) ? "NULL" : statement.string(column)
                }.joined(separator: "|"))
        }
        return rows
    }

    /// Returns the reject files of the only run that has any, by name.
    func rejects(_ folder: String = "rejects") throws -> [String: String] {
        let runs = names(folder)
        #expect(runs.count <= 1)
        guard let run = runs.first else { return [:] }
        var files: [String: String] = [:]
        for name in names("\(folder)/\(run)") where !name.hasPrefix(".") {
            files[name] = try text("\(folder)/\(run)/\(name)")
                .replacingOccurrences(
                    of: "\"run\":\"\(run.dropFirst("spec-".count))\"", with: "\"run\":\"RUN\""
                )
                .replacingOccurrences(of: self.folder + "/", with: "")
        }
        return files
    }

    /// Returns `code field: message` for each reject of the only run.
    func reasons() throws -> [String] {
        struct Reason: Decodable {
            var code: String
            var field: String?
            var message: String
            var line: Int?
            var record: Int?
        }
        return try rejects().sorted { $0.key < $1.key }
            .filter { $0.key.hasSuffix(".why.ndjson") }
            .flatMap { $0.value.split(separator: "\n") }
            .map { line in
                let reason = try JSONDecoder().decode(Reason.self, from: Data(line.utf8))
                return "\(reason.code) \(reason.field ?? "-"): \(reason.message)"
            }
    }
}

/// The outcome of a run, as users see it.
struct Run {
    let outcome: RunOutcome
    let folder: String
    let warnings: [Diagnostic]

    var status: Pipelines.ExitStatus { outcome.status }

    /// The printed messages, with paths relative to the folder.
    var text: String {
        outcome.diagnostics.map(DiagnosticRenderer.text).joined(separator: "\n")
            .replacingOccurrences(of: folder + "/", with: "")
    }

    var warningText: String {
        warnings.map(DiagnosticRenderer.text).joined(separator: "\n")
            .replacingOccurrences(of: folder + "/", with: "")
    }

    /// The counts of each stage, without the time.
    var lines: [String] {
        outcome.stages.map { stage in
            let line = stage.line().replacingOccurrences(of: folder + "/", with: "")
            return line.lastIndex(of: "(").map { String(line[..<$0].dropLast()) } ?? line
        }
    }
}
