import Files
import FoundationEssentials
import GraphStore

/// What a run leaves beside an app's store while the file that it has written takes the store's
/// place: `<store>.etl-done`.
///
/// The store itself takes no notes of ours, so that a run which is killed right behind the swap
/// would else be run once more, and append what it has appended. It holds the notes of the run and
/// tells which file they are of; it goes when the run's report is written.
struct CompletionNote: Decodable {
    let run: RunNote
    let stages: [StageNote]
    let file: String

    static func path(of storePath: String) -> String {
        CompanionFile.completion.path(of: storePath)
    }

    /// Writes the note, before the finished file takes the store's place.
    static func write(
        _ saved: RunJournal.Saved, of workPath: String, beside storePath: String
    ) throws {
        let note = CompletionNote(
            run: saved.run, stages: saved.stages, file: try Publication.fileNumber(workPath))
        // Durable before the swap is: a run that is not known to be done would be done twice.
        try WholeFile.write(Array(note.json.exact.utf8), to: path(of: storePath))
    }

    /// The notes of a run whose file is the store by now; nil where there are none.
    ///
    /// - Throws: `RunFailure` (71, 74, or 77) where that cannot be told.
    static func read(beside storePath: String) throws(RunFailure) -> RunJournal.Saved? {
        guard let data = try WholeFile.readIfThere(FileName(path(of: storePath))) else {
            return nil
        }
        // One that is damaged was never whole, and the store is as it was.
        guard let note = try? JSONDecoder().decode(CompletionNote.self, from: data),
            note.run.format == RunNote.currentFormat,
            note.file == (try Publication.fileNumber(storePath))
        else { return nil }
        return RunJournal.Saved(run: note.run, stages: note.stages)
    }

    static func remove(beside storePath: String) {
        FileDescriptor.remove(path(of: storePath))
    }
}
