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
    /// What the imports that are done have saved stays in the store when they run again.
    let staysSaved: Bool
    /// What one that was stopped has saved does not.
    let isBeside: Bool

    /// What is to be done where an import that is done must not be repeated.
    static let wayOn = "run the stages that are left by --from STAGE, or all of them by --restart"

    /// Whether an import would make objects twice if it read again what it has made them of.
    static func isRefused(_ spec: ImportSpec, staysSaved: Bool) -> Bool {
        spec.whenFound == .append && staysSaved
    }

    /// The first input that is new, is not what it was, or cannot be known again; nil where all is
    /// as it was.
    ///
    /// - Throws: `RunFailure` (75) where that is a reason for all stages to run again, and one of them
    ///   would make its objects twice.
    func first(since saved: RunJournal.Saved) throws -> InputFile? {
        for note in saved.stages {
            guard let inputs = note.inputs,
                let (stage, spec) = importStage(note.name, note.fingerprint),
                spec.read.generated == nil, let file = try first(spec, stage, inputs)
            else { continue }
            try refuseTwice(saved, file)
            return file
        }
        return nil
    }

    private func refuseTwice(_ saved: RunJournal.Saved, _ file: InputFile) throws {
        for begun in saved.begunImports where begun.isDone || !isBeside {
            guard let (stage, spec) = importStage(begun.stage, begun.fingerprint),
                Self.isRefused(spec, staysSaved: staysSaved),
                try begun.wouldRepeat(
                    spec,
                    isSame: { note, file in
                        try ImportInputs.digest(of: file, ReadOptions(spec.read), interruption)
                            == note.digest
                    })
            else { continue }
            throw RunFailure(
                .temporaryFailure, code: "run.cannot-resume",
                "The import '\(stage.name)' of an earlier run has saved objects, and would make them"
                    + " twice if all stages ran again, since \(file.name) "
                    + (file.isStream ? "cannot be known again" : "is new or not what it was"),
                fix: Self.wayOn)
        }
    }

    private func importStage(
        _ name: String, _ fingerprint: String
    ) -> (stage: Stage, spec: ImportSpec)? {
        guard
            let stage = stages.first(where: { $0.name == name && $0.fingerprint == fingerprint }),
            case .import(let spec) = stage.kind
        else { return nil }
        return (stage, spec)
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
        if let stream = files.first(where: \.isStream) { return stream }
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
