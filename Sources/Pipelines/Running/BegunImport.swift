import Files
import RecordStreams

/// What a stopped run has saved of an import.
struct BegunImport {
    let stage: String
    let fingerprint: String
    /// Inputs that were read to their ends.
    let inputs: [InputNote]
    /// How far it came in the next one; nil where the import is done.
    let position: InputPosition?
    let isDone: Bool

    /// Whether the import, run again, would read something that it has made objects of.
    ///
    /// - Parameter isSame: whether an input of the same size is what it was, or a larger one begins
    ///   with it.
    func wouldRepeat(
        _ spec: ImportSpec, isSame: (InputNote, InputFile) throws -> Bool
    ) rethrows -> Bool {
        // What is imported once is known by the store, once the import is done.
        if isDone, spec.read.isOnce { return false }
        if spec.read.generated != nil { return true }
        for note in inputs {
            guard let file = Self.file(at: note.path) else { continue }
            if file.isStream { return true }
            if file.byteCount >= note.byteCount, try isSame(note, file) { return true }
        }
        return position.map { Self.file(at: $0.path) != nil } ?? false
    }

    /// What stands there today; nil where nothing does.
    private static func file(at path: FileName) -> InputFile? {
        try? InputFiles.file(at: path)
    }
}

extension RunJournal.Saved {
    /// All imports that have begun, the one that was stopped last.
    var begunImports: [BegunImport] {
        var begun = stages.compactMap { note in
            note.inputs.map {
                BegunImport(
                    stage: note.name, fingerprint: note.fingerprint, inputs: $0, position: nil,
                    isDone: true)
            }
        }
        if let note = present, note.counts.read > 0 {
            begun.append(
                BegunImport(
                    stage: note.stage, fingerprint: note.fingerprint, inputs: note.finished,
                    position: note.position, isDone: false))
        }
        return begun
    }
}
