import GraphModel

extension PersistentContainer {
    /// Stores the notes of a run next to the store until the run changes the store.
    package func keepProgressNotesInFile() throws(StoreError) {
        guard storeDescription.kind == .sqlite, schema.isOurs, parts.isEmpty,
            !storeDescription.options.isReadOnly
        else { return }
        try withoutTransaction { session throws(StoreError) in try session.keepNotesInFile() }
    }

    /// Checkpoints a WAL that a failed save has left, which would make the notes next to the store
    /// outdated.
    func foldLogBehindNotes() throws(StoreError) {
        guard !storeDescription.options.isReadOnly, schema.isOurs,
            NotesFile(nextToStoreAt: path).isBehindLog
        else { return }
        try withoutTransaction { session throws(StoreError) in
            try NotesFile.foldLog(on: session.connection)
        }
    }

    /// Makes the notes of a new run durable, so that a run that completes it after a power loss
    /// finds its rejects.
    package func makeProgressNotesDurable() throws(StoreError) {
        let isDurable = try withoutTransaction(\.notesAreInFile)
        if !isDurable { try checkpoint() }
    }

    /// Removes the file next to the store if it contains no more notes.
    package func removeEmptyProgressFile() throws(StoreError) {
        try withoutTransaction { session throws(StoreError) in try session.removeEmptyNotesFile() }
    }

    /// Returns the notes of a kind that a run left in the store, by number; empty if it left none.
    package func progressNotes(
        _ kind: String
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        try foldLogBehindNotes()
        return try ProgressNotes.read(kind, ofStoreAt: path, on: newReader())
    }
}
