import RecordStreams

/// Pipes and the like of which a stopped run has read something, which the run that completes it
/// cannot know again.
package struct StreamsAgain: Sendable, Hashable {
    /// What the next run makes of them.
    package enum Outcome: Sendable, Hashable {
        /// Given all of their records again, the import reads over what it has saved.
        case readOver
        /// The import begins anew, although some of it is saved.
        case importAnew
        /// So do all stages.
        case runAnew
        /// It ends with 65, since an import that is done would make its objects twice.
        case refused
    }

    /// As messages name them.
    package var names: [String]
    /// All of them are commands, which give their records again by themselves.
    var areCommands = false
    /// What the next run makes of them.
    package var outcome: Outcome

    /// What is to be done.
    var text: String {
        let streams = names.joined(separator: ", ")
        let again = areCommands ? "run it again" : "run it again with all records of \(streams)"
        return switch outcome {
        case .readOver: again
        case .importAnew: "\(again): the import starts over"
        case .runAnew: "\(again): all stages run again"
        case .refused: "\(streams) cannot be compared with the earlier run: \(NewInput.wayOn)"
        }
    }

    /// Nil where nothing is to be given again, as far as can be told from the notes of a run.
    init?(since saved: RunJournal.Saved, _ pipeline: PipelineSpec) {
        func spec(of stage: String, _ fingerprint: String) -> ImportSpec? {
            guard let stage = pipeline.stages.first(where: { $0.name == stage }),
                stage.fingerprint == fingerprint, let spec = stage.kind as? ImportSpec
            else { return nil }
            return spec
        }
        // To read files only to tell of them would take long.
        let isRefused = saved.begunImports.contains { begun in
            guard let spec = spec(of: begun.stage, begun.fingerprint) else { return false }
            let stays = pipeline.store.open != .replace && pipeline.store.commit != .run
            return NewInput.isRefused(spec, staysSaved: stays)
                && begun.wouldRepeat(spec, isSame: { _, _ in true })
        }
        for note in saved.stages where spec(of: note.name, note.fingerprint) != nil {
            let streams = Self.streams(note.inputs ?? [], nil)
            guard !streams.isEmpty else { continue }
            names = streams.map(\.name)
            areCommands = streams.allSatisfy { InputName.isCommand($0.path) }
            outcome = isRefused ? .refused : .runAnew
            return
        }
        guard let note = saved.present, let stopped = spec(of: note.stage, note.fingerprint)
        else { return nil }
        let streams = Self.streams(note.finished, note.position)
        guard !streams.isEmpty else { return nil }
        names = streams.map(\.name)
        areCommands = streams.allSatisfy { InputName.isCommand($0.path) }
        outcome = stopped.isRepeatable ? .importAnew : .readOver
    }

    /// What is a stream today.
    private static func streams(
        _ finished: [InputNote], _ position: InputPosition?
    ) -> [InputFile] {
        let paths = finished.map(\.path) + (position.map { [$0.path] } ?? [])
        return paths.compactMap { path in
            // What is not there any more may be one, which nobody can tell.
            try? InputFiles.file(at: path)
        }.filter(\.isStream)
    }
}
