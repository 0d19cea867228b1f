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

    /// The first input that is new, is not what it was, or cannot be known again; nil where all is
    /// as it was.
    func first(since saved: RunJournal.Saved) throws -> InputFile? {
        for note in saved.stages {
            guard let inputs = note.inputs,
                let stage = stages.first(where: {
                    $0.name == note.name && $0.fingerprint == note.fingerprint
                }), case .import(let spec) = stage.kind, spec.read.generated == nil
            else { continue }
            if let file = try first(spec.read, stage, inputs) { return file }
        }
        return nil
    }

    private func first(
        _ read: ReadSpec, _ stage: Stage, _ inputs: [InputNote]
    ) throws -> InputFile? {
        // What cannot be found any more is no reason.
        let files =
            (try? InputFiles.expand(
                patterns: read.files.map { values.path($0) }, baseFolder: ".")) ?? []
        if let standard = files.first(where: \.isStandardInput) { return standard }
        let notes = Dictionary(inputs.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
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
