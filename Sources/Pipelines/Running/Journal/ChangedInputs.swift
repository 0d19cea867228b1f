import GraphStore
import RecordStreams

/// Detects changed inputs of the completed imports of an unfinished run.
///
/// If an input is new or changed, the run is not completed, because the import would never read the
/// new records. Missing inputs are ignored: their records are already in the store.
struct ChangedInputs {
    let stages: [Stage]
    let values: ParameterValues
    let paths: NotedPaths
    let container: PersistentContainer
    let pipeline: String
    let interruption: Interruption
    /// Whether the objects of completed imports stay in the store if the run starts over.
    let staysSaved: Bool

    /// The fix to suggest if a completed import must not be repeated.
    static let wayOn = "run the stages that are left by --from STAGE, or all of them by --restart"

    /// Returns whether a repeated import would insert objects that the store already has.
    static func appendsAgain(_ spec: ImportSpec, staysSaved: Bool) -> Bool {
        spec.whenFound == .append && staysSaved
    }

    /// Returns the first input that is new, has changed, or cannot be identified in a later run;
    /// `nil` if all inputs are unchanged.
    func first(since saved: RunJournal.Saved) throws -> InputFile? {
        for note in saved.stages {
            guard let inputs = note.inputs, let (stage, spec) = importStage(note.name),
                spec.read.generated == nil, let file = try first(spec, stage, inputs)
            else { continue }
            return file
        }
        return nil
    }

    /// Checks that no completed import would append its objects again.
    ///
    /// - Throws: `RunFailure` (65) if one would.
    func rejectRepeatedAppends(
        _ saved: RunJournal.Saved, _ obstacle: RunContinuation.Obstacle
    ) throws {
        for begun in saved.partialImports where begun.isDone {
            guard let (stage, spec) = importStage(begun.stage),
                Self.appendsAgain(spec, staysSaved: staysSaved),
                try begun.wouldRepeat(
                    spec,
                    isSame: { note, file in
                        // The note has no decompressed size, so a compressed file that has grown
                        // counts as different.
                        let limit = file.byteCount > note.byteCount ? note.byteCount : nil
                        return try InputDigest.value(
                            of: file, ReadOptions(spec.read), interruption, upTo: limit)
                            == note.digest
                    })
            else { continue }
            throw RunFailure(
                .dataError, code: "run.cannot-resume",
                "The import '\(stage.name)' of an unfinished run has saved objects, and would append"
                    + " them again if all stages ran again; the run is not completed, since "
                    + obstacle.reason,
                fix: Self.wayOn)
        }
    }

    private func importStage(_ name: String) -> (stage: Stage, spec: ImportSpec)? {
        guard let stage = stages.first(where: { $0.name == name }),
            let spec = stage.kind as? ImportSpec
        else { return nil }
        return (stage, spec)
    }

    private func first(
        _ spec: ImportSpec, _ stage: Stage, _ inputs: [InputNote]
    ) throws -> InputFile? {
        let read = spec.read
        if let command = read.command { return InputFile(command: values.command(command)) }
        // Missing files are ignored.
        let files =
            (try? InputFiles.expand(
                patterns: read.files.map { values.path($0) }, baseFolder: ".")) ?? []
        let notes = Dictionary(
            inputs.map { (paths.noted($0.path), $0) }, uniquingKeysWith: { $1 })
        if let stream = files.first(where: \.isStream) { return stream }
        let known =
            read.isOnce
            ? try container.knownInputs(pipeline: pipeline, stage: stage.name) : [:]
        for file in files {
            let earlier =
                notes[paths.noted(file.path)].map { ($0.byteCount, $0.digest) }
                ?? paths.known(file, among: known).map { ($0.byteCount, $0.digest) }
            guard let (byteCount, digest) = earlier, byteCount == file.byteCount else {
                return file
            }
            let now = try InputDigest.value(of: file, ReadOptions(read), interruption)
            if now != digest { return file }
        }
        return nil
    }
}
