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
            let streams = Self.streams(note.inputs ?? [], nil)
            guard !streams.isEmpty else { continue }
            names = streams.map(\.name)
            areCommands = streams.allSatisfy { InputName.isCommand($0.path) }
            outcome = appendsAgain ? .fails : .runStartsOver
            return
        }
        guard let note = saved.present, let stopped = spec(of: note.stage, note.fingerprint)
        else { return nil }
        let streams = Self.streams(note.finished, note.position)
        guard !streams.isEmpty else { return nil }
        names = streams.map(\.name)
        areCommands = streams.allSatisfy { InputName.isCommand($0.path) }
        outcome = stopped.isRepeatable ? .importStartsOver : .readOver
    }

    /// Returns the inputs that are currently streams.
    private static func streams(
        _ finished: [InputNote], _ position: InputPosition?
    ) -> [InputFile] {
        let paths = finished.map(\.path) + (position.map { [$0.path] } ?? [])
        return paths.compactMap { path in
            // Whether a missing file was a stream is unknown.
            try? InputFiles.file(at: path)
        }.filter(\.isStream)
    }
}
