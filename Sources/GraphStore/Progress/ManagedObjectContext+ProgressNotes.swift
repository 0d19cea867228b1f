import GraphModel
import SQLite

extension ManagedObjectContext {
    /// Creates the table of notes in the open transaction, and keeps existing notes.
    package func beginProgressNotes() throws(StoreError) {
        try requireSpaceForNotes()
        let session = try session()
        try ProgressNotes.begin(on: session.connection, isInFile: session.notesAreInFile)
    }

    /// Writes a note in the open transaction.
    package func writeProgressNote(
        _ kind: String, _ number: Int64 = 0, _ value: [UInt8]
    ) throws(StoreError) {
        try ProgressNotes.write(kind, number, value, on: session().connection)
    }

    /// Returns the note with a kind and a number, as the open transaction sees it.
    package func progressNote(_ kind: String, _ number: Int64) throws(StoreError) -> [UInt8]? {
        try ProgressNotes.value(kind, number, on: session().connection)
    }

    /// Suspends the notes of an owner in the open transaction, so that another run can have its
    /// own.
    package func suspendProgressNotes(of owner: String) throws(StoreError) {
        try ProgressNotes.suspend(of: owner, on: session().connection)
    }

    /// Makes the suspended notes of an owner the notes of the current run, in the open transaction.
    package func resumeProgressNotes(of owner: String) throws(StoreError) {
        try ProgressNotes.resume(of: owner, on: session().connection)
    }

    /// Renames the kind of all notes of a kind in the open transaction; the new kind must have no
    /// notes.
    package func renameProgressNotes(_ kind: String, to other: String) throws(StoreError) {
        try ProgressNotes.rename(kind, to: other, on: session().connection)
    }

    /// Removes all notes of these kinds in the open transaction.
    package func removeProgressNotes(_ kinds: [String]) throws(StoreError) {
        try ProgressNotes.remove(kinds, on: session().connection)
    }

    /// Removes the notes of the current run in the open transaction, and keeps suspended notes.
    package func endProgressNotes() throws(StoreError) {
        try ProgressNotes.end(on: session().connection)
    }

    /// Throws if the store is an app's and not a working copy, from which etl's tables are dropped
    /// again.
    func requireSpaceForNotes() throws(StoreError) {
        guard container.schema.isOurs || container.storeDescription.options.appStores.isCopy else {
            throw StoreError(
                .invalidRequest,
                "\(container.path) was created by an app, so it cannot store the progress of a load"
            )
        }
    }
}
