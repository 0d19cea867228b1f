import Files
import RecordStreams

/// The part of an import that an interrupted run has saved.
struct PartialImport {
    let stage: String
    let fingerprint: String
    /// The inputs that were read completely.
    let inputs: [InputNote]
    /// The position in the next input; `nil` if the import is done.
    let position: InputPosition?
    let isDone: Bool

    /// Returns whether running the import again would read records that it has already saved.
    ///
    /// - Parameter isSame: whether an input of the same size is unchanged, or a larger one starts
    ///   with the bytes that were read.
    func wouldRepeat(
        _ spec: ImportSpec, isSame: (InputNote, InputFile) throws -> Bool
    ) rethrows -> Bool {
        // After the import is done, the store knows the inputs of `read.once`.
        if isDone, spec.read.isOnce { return false }
        if spec.read.generated != nil { return true }
        for note in inputs {
            guard let file = Self.file(at: note.path) else { continue }
            if file.isStream { return true }
            if file.byteCount >= note.byteCount, try isSame(note, file) { return true }
        }
        return position.map { Self.file(at: $0.path) != nil } ?? false
    }

    /// Returns the input file at the path; `nil` if it does not exist or cannot be read.
    private static func file(at path: FileName) -> InputFile? {
        try? InputFiles.file(at: path)
    }
}

extension RunJournal.Saved {
    /// All imports that have begun; the interrupted one is last.
    var partialImports: [PartialImport] {
        var begun = stages.compactMap { note in
            note.inputs.map {
                PartialImport(
                    stage: note.name, fingerprint: note.fingerprint, inputs: $0, position: nil,
                    isDone: true)
            }
        }
        if let note = present, note.counts.read > 0 {
            begun.append(
                PartialImport(
                    stage: note.stage, fingerprint: note.fingerprint, inputs: note.finished,
                    position: note.position, isDone: false))
        }
        return begun
    }
}
