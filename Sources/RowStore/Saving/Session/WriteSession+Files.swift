import GraphModel
import SQLite

extension WriteSession {
    /// Records the external files of rows that will be deleted; the files are removed after the
    /// commit.
    ///
    /// - Parameters:
    ///   - root: The root entity of the hierarchy.
    ///   - keys: A SQL query that returns the rows' keys.
    func releaseFiles(
        of root: StoreLayout.Entity, rows keys: String
    ) throws(StoreError) {
        var columns: Set<String> = []
        for entity in schema.family(of: root) {
            for (_, place) in entity.attributes
            where place.attribute.allowsExternalBinaryDataStorage { columns.insert(place.column) }
        }
        for column in columns.sorted() {
            filesReleased += try ExternalFiles.names(
                in: column, of: root.table, where: ["Z_PK IN (\(keys))"], on: connection)
        }
    }
}

/// The file with the notes of a run next to the store.
extension WriteSession {
    /// Attaches the file, if the notes of a run can be in it.
    package func keepNotesInFile() throws(StoreError) {
        guard !notesAreInFile else { return }
        notesAreInFile = try NotesFile(nextToStoreAt: storePath).attach(to: connection)
    }

    /// Detaches and removes the file if it contains no more notes.
    package func removeEmptyNotesFile() throws(StoreError) {
        guard notesAreInFile else { return }
        guard try !ProgressNotes.exist(on: connection) else { return }
        try NotesFile(nextToStoreAt: storePath).detach(from: connection, synchronous)
        notesAreInFile = false
    }
}
