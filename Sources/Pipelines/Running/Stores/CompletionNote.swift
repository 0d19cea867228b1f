import Files
import FoundationEssentials
import GraphStore

/// The notes that a run saves next to an app's store while its finished file replaces the store:
/// `<store>.etl-done`.
///
/// etl writes no notes into an app's store. Without this file, a run that is killed right after the
/// replacement would run again, and append its objects a second time. The file contains the notes
/// of the run and identifies the store file that they describe. It is deleted when the run's report
/// has been written.
struct CompletionNote: Decodable {
    let run: RunNote
    let stages: [StageNote]
    let file: String

    static func path(of storePath: String) -> String {
        CompanionFile.completion.path(of: storePath)
    }

    /// Writes the note before the finished file replaces the store.
    static func write(
        _ saved: RunJournal.Saved, of workPath: String, nextTo storePath: String
    ) throws {
        let note = CompletionNote(
            run: saved.run, stages: saved.stages, file: try Publication.fileNumber(workPath))
        // Must be durable before the replacement; otherwise, the run could be repeated.
        try WholeFile.write(Array(note.json.exact.utf8), to: path(of: storePath))
    }

    /// Returns the notes of a run whose file has replaced the store; `nil` otherwise.
    ///
    /// - Throws: `RunFailure` (71, 74, or 77) if a file cannot be read.
    static func read(nextTo storePath: String) throws(RunFailure) -> RunJournal.Saved? {
        guard let data = try WholeFile.readIfThere(FileName(path(of: storePath))) else {
            return nil
        }
        // A damaged note was never complete, so the store was not replaced.
        guard let note = try? JSONDecoder().decode(CompletionNote.self, from: data),
            note.run.format == RunNote.currentFormat, note.json.hasPlausibleNumbers,
            note.file == (try Publication.fileNumber(storePath))
        else { return nil }
        return RunJournal.Saved(run: note.run, stages: note.stages)
    }

    static func remove(nextTo storePath: String) {
        FileDescriptor.remove(path(of: storePath))
    }
}

extension CompletionNote: JSONWritable {
    var json: JSONTree { .fields(["run": run, "stages": stages, "file": file]) }
}
