import GraphModel

extension PersistentContainer {
    /// Stores the notes of a run next to the store until the run changes the store.
    package func keepProgressNotesInFile() throws(StoreError) {
        guard storeDescription.kind == .sqlite, schema.isOurs, parts.isEmpty,
            !storeDescription.options.isReadOnly
        else { return }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        try session.keepNotesInFile()
    }

    /// Checkpoints a WAL that a failed save has left, which would make the notes next to the store
    /// outdated.
    func foldLogBehindNotes() throws(StoreError) {
        guard !storeDescription.options.isReadOnly, schema.isOurs,
            NotesFile(nextToStoreAt: path).isBehindLog
        else { return }
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        try NotesFile.foldLog(on: session.connection)
    }

    /// Makes the notes of a new run durable, so that a run that completes it after a power loss
    /// finds its rejects.
    package func makeProgressNotesDurable() throws(StoreError) {
        let session = try beginWriting()
        session.rollback()
        let isDurable = session.notesAreInFile
        endWriting()
        if !isDurable { try checkpoint() }
    }

    /// Removes the file next to the store if it contains no more notes.
    package func removeEmptyProgressFile() throws(StoreError) {
        let session = try beginWriting()
        defer { endWriting() }
        session.rollback()
        try session.removeEmptyNotesFile()
    }

    /// Removes the notes next to a store that has been replaced.
    package static func removeProgressFile(nextToStoreAt path: String) throws(StoreError) {
        try NotesFile(nextToStoreAt: path).remove()
    }

    /// Copies the notes next to a store into a copy of the store.
    package static func copyProgressNotes(
        nextToStoreAt path: String, into copy: String
    ) throws(StoreError) {
        try NotesFile(nextToStoreAt: path).copyNotes(into: copy)
    }
}

extension PersistentContainer {
    /// Returns the notes of a kind that a run left in the store, by number; empty if it left none.
    package func progressNotes(
        _ kind: String
    ) throws(StoreError) -> [(number: Int64, value: [UInt8])] {
        try foldLogBehindNotes()
        return try ProgressNotes.read(kind, ofStoreAt: path, on: newReader())
    }

    /// Returns the notes of several kinds that runs left in a store, by number.
    ///
    /// Suspended notes of the owner have the key `owner/kind`. The store is read from a snapshot,
    /// because a store with an unfinished load cannot be opened for reading.
    package static func progressNotes(
        ofStoreAt path: String, _ kinds: [String], owner: String
    ) throws(StoreError) -> [String: [(number: Int64, value: [UInt8])]] {
        try ProgressNotes.read(ofStoreAt: path, kinds, owner: owner)
    }

    /// Returns the note of a kind that the run of the current owner left in a store, and the owners
    /// of suspended notes of this kind, by name.
    package static func progressNoteOwners(
        ofStoreAt path: String, _ kind: String
    ) throws(StoreError) -> (present: [UInt8]?, suspended: [String]) {
        try ProgressNotes.owners(ofStoreAt: path, kind)
    }
}
