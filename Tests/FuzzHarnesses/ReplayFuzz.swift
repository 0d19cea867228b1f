import Files
import Foundation
import GraphStore
import Pipelines

/// Replays a run's rejects whose files were edited.
///
/// The replay must report the faults, and the next replay must read the files the same. Most inputs
/// are only read and mapped; one in 16 is replayed completely, and one in 64 is replayed twice.
///
/// The input is three files separated by the byte 0xFF: the records, their reasons, and the note of
/// the run. A missing file is as the run has left it.
enum ReplayFuzz {
    private static let model = """
        model: 1
        entities:
          Task:
            attributes: { id: { type: Integer 64, optional: false }, title: String }
            unique: [[id]]
        """
    private static let spec = """
        etl: 1
        name: fuzz
        store: { at: s.sqlite, model: model.yaml, open: create }
        rejects: { allow: 100% }
        stages: [{ import: t, read: { files: t.ndjson }, into: Task }]
        """
    private static let records = "{\"id\":\"x\"}\n{\"id\":1}\n{\"title\":\"a\"}\n"

    private static var base: String { FuzzHarness.folder + "/replay" }

    /// The folder of rejects that a run has left, and its name.
    private static let whole: (folder: String, name: String) = {
        do {
            try write("model.yaml", Array(model.utf8))
            try write("spec.yaml", Array(spec.utf8))
            try write("t.ndjson", Array(records.utf8))
            let outcome = PipelineRunner(options: options).run(base + "/spec.yaml")
            require(outcome.status == .ok, "\(outcome.diagnostics)")
            let names = try FileManager.default.contentsOfDirectory(atPath: base + "/rejects")
            guard let name = names.first else { fatalError("There are no rejects") }
            let folder = base + "/whole"
            try FileManager.default.copyItem(atPath: base + "/rejects/" + name, toPath: folder)
            return (folder, name)
        } catch {
            fatalError("The rejects cannot be made: \(error)")
        }
    }()

    private static var options: RunOptions {
        RunOptions(
            sets: [], environment: [:], workingFolder: base,
            now: Date(timeIntervalSinceReferenceDate: 800_000_000))
    }

    private static func write(_ name: String, _ bytes: [UInt8]) throws {
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        require(RecordFuzz.write(bytes, to: FileName(base + "/" + name)))
    }

    private static let trial: ReplayTrial = {
        do {
            return try ReplayTrial(base + "/spec.yaml", options)
        } catch {
            fatalError("The spec cannot be read: \(error)")
        }
    }()

    /// The folder that the inputs are written to, and the original content of each of its files.
    private static let place: (folder: String, files: [(name: String, bytes: [UInt8])]) = {
        do {
            let names = ["t.t.ndjson", "t.t.ndjson.why.ndjson", ".run.json"]
            let files = try names.map { ($0, try FileSystem.contents(whole.folder + "/" + $0)) }
            return (base + "/rejects/" + whole.name, files)
        } catch {
            fatalError("The rejects cannot be read: \(error)")
        }
    }()

    static func run(_ bytes: [UInt8]) {
        let files = bytes.split(
            separator: 0xFF, maxSplits: 2, omittingEmptySubsequences: false)
        let (folder, left) = place
        let isWhole = isOne(of: 16, bytes)
        // A complete replay changes the files of the folder.
        if isWhole { try? FileManager.default.removeItem(atPath: folder) }
        defer { if isWhole { try? FileManager.default.removeItem(atPath: folder) } }
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (index, file) in left.enumerated() {
            let own = index < files.count && !files[index].isEmpty ? Array(files[index]) : nil
            require(RecordFuzz.write(own ?? file.bytes, to: FileName(folder + "/" + file.name)))
        }
        _ = trial.run(folder)
        guard isWhole else { return }
        let first = PipelineRunner(options: options).replay(folder)
        require(first.status != .software, "\(first.diagnostics)")
        guard isOne(of: 64, bytes) else { return }
        let second = PipelineRunner(options: options).replay(folder)
        require(second.status == first.status, "\(first.diagnostics)\n\(second.diagnostics)")
    }
}
