import Files
import RecordStreams

/// The streams, such as pipes, that an interrupted run has read and that the next run cannot
/// identify again.
package struct UnrepeatableInputs: Sendable, Hashable {
    /// The effect on the next run.
    package enum Outcome: Sendable, Hashable {
        /// The import reads all records of the streams again and skips the saved ones.
        case readOver
        /// The import starts over, although part of it is saved.
        case importStartsOver
        /// All stages start over.
        case runStartsOver
        /// The run fails with 65, because a completed import would append its objects again.
        case fails
    }

    /// The names of the streams in messages.
    package var names: [String]
    /// Whether all streams are outputs of commands, which return their records again when they are
    /// run again.
    var areCommands = false
    /// The effect on the next run.
    package var outcome: Outcome

    /// The instruction for the user.
    var text: String {
        let streams = names.joined(separator: ", ")
        let again = areCommands ? "run it again" : "run it again with all records of \(streams)"
        return switch outcome {
        case .readOver: again
        case .importStartsOver: "\(again): the import starts over"
        case .runStartsOver: "\(again): all stages run again"
        case .fails: "\(streams) cannot be compared with the earlier run: \(ChangedInputs.wayOn)"
        }
    }

    /// Creates the list from the notes of a run; `nil` if no stream must be provided again.
    init?(since saved: RunJournal.Saved, _ pipeline: PipelineSpec) {
        func spec(of stage: String, _ fingerprint: String) -> ImportSpec? {
            guard let stage = pipeline.stages.first(where: { $0.name == stage }),
                stage.fingerprint == fingerprint, let spec = stage.kind as? ImportSpec
            else { return nil }
            return spec
        }
        // Comparing files only for a report would take too long.
        let appendsAgain = saved.partialImports.contains { begun in
            guard let spec = spec(of: begun.stage, begun.fingerprint) else { return false }
            let stays = pipeline.store.open != .replace && pipeline.store.commit != .run
            return ChangedInputs.appendsAgain(spec, staysSaved: stays)
                && begun.wouldRepeat(spec, isSame: { _, _ in true })
        }
        for note in saved.stages where spec(of: note.name, note.fingerprint) != nil {
            let outcome = appendsAgain ? Outcome.fails : .runStartsOver
            guard let own = Self(among: note.inputs?.map(\.path) ?? [], outcome) else { continue }
            self = own
            return
        }
        guard let note = saved.present, let stopped = spec(of: note.stage, note.fingerprint)
        else { return nil }
        self.init(
            among: note.finished.map(\.path) + [note.position?.path].compactMap(\.self),
            stopped.isRepeatable ? .importStartsOver : .readOver)
    }

    /// Creates the list of the inputs that are currently streams; `nil` if there is none.
    private init?(among paths: [FileName], _ outcome: Outcome) {
        // Whether a missing file was a stream is unknown.
        let streams = paths.compactMap { try? InputFiles.file(at: $0) }.filter(\.isStream)
        guard !streams.isEmpty else { return nil }
        names = streams.map(\.name)
        areCommands = streams.allSatisfy { InputName.isCommand($0.path) }
        self.outcome = outcome
    }
}
