import GraphStore
import RecordStreams

/// What the imports that a stopped run has finished would read today, and have not read.
///
/// Such a run is not gone on with: its new records would never be looked at. Inputs that are gone
/// are no reason: what was in them is in the store.
struct NewInput {
    let stages: [Stage]
    let values: ParameterValues
    let container: PersistentContainer
    let pipeline: String
    let interruption: Interruption
    /// What the imports have saved stays in the store when they run again.
    let staysSaved: Bool

    /// The first input that is new, is not what it was, or cannot be known again; nil where all is
    /// as it was.
    ///
    /// - Throws: `RunFailure` (75) where one that cannot be known again must not be imported again.
    func first(since saved: RunJournal.Saved) throws -> InputFile? {
        for note in saved.stages {
            guard let inputs = note.inputs,
                let stage = stages.first(where: {
                    $0.name == note.name && $0.fingerprint == note.fingerprint
                }), case .import(let spec) = stage.kind, spec.read.generated == nil
            else { continue }
            if let file = try first(spec, stage, inputs) { return file }
        }
        return nil
    }

    private func first(
        _ spec: ImportSpec, _ stage: Stage, _ inputs: [InputNote]
    ) throws -> InputFile? {
        let read = spec.read
        // What cannot be found any more is no reason.
        let files =
            (try? InputFiles.expand(
                patterns: read.files.map { values.path($0) }, baseFolder: ".")) ?? []
        let notes = Dictionary(inputs.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        if let stream = files.first(where: \.isStream) {
            guard spec.whenFound == .append, staysSaved, notes[stream.path] != nil else {
                return stream
            }
            throw RunFailure(
                .temporaryFailure, code: "run.cannot-resume",
                "The import '\(stage.name)' of an earlier run is done, and would make its objects "
                    + "twice if \(stream.name), which cannot be known again, held the same",
                fix: "run the stages that are left by --from STAGE, or all of them by --restart")
        }
        let known =
            read.isOnce
            ? try container.knownInputs(pipeline: pipeline, stage: stage.name) : [:]
        for file in files {
            let earlier =
                notes[file.path].map { ($0.byteCount, $0.digest) }
                ?? known[file.path].map { ($0.byteCount, $0.digest) }
            guard let (byteCount, digest) = earlier, byteCount == file.byteCount else {
                return file
            }
            let now = try ImportInputs.digest(of: file, ReadOptions(read), interruption)
            if now != digest { return file }
        }
        return nil
    }
}
