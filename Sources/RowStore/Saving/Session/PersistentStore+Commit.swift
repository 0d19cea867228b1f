import SQLite

/// What a save has prepared before it commits, for `didCommit(_:)` or `didNotCommit(_:)`.
struct PreparedCommit {
    fileprivate let metadataChange: Int?
    fileprivate let partChanges: [Int?]
    fileprivate let historySequence: Int64?
    /// The new content of a store that each save replaces as a whole; it gets its final name before
    /// the transaction in memory is committed.
    ///
    /// It is `nil` for other stores.
    let file: AtomicFile?
}

extension PersistentStore {
    /// Writes the metadata, the history, and the file of an atomic store, inside the transaction of
    /// a save.
    func willCommit(_ session: WriteSession) throws(StoreError) -> PreparedCommit {
        let metadataChange = try metadata.write(to: connection)
        if let history {
            session.historySequence = try history.write(
                session.change, session.history, author: session.author,
                contextName: session.contextName)
        }
        var partChanges: [Int?] = []
        for part in parts {
            partChanges.append(try part.metadata.write(to: connection, part.database))
        }
        return PreparedCommit(
            metadataChange: metadataChange, partChanges: partChanges,
            historySequence: session.historySequence,
            file: try image())
    }

    /// Completes a save after its commit: clears the written metadata changes, and removes the old
    /// file of an atomic store.
    func didCommit(_ prepared: PreparedCommit) {
        if let change = prepared.metadataChange { metadata.noteWritten(change) }
        for (part, change) in zip(parts, prepared.partChanges) {
            if let change { part.metadata.noteWritten(change) }
        }
        if let sequence = prepared.historySequence { remoteMonitor.noteOwn(sequence) }
        prepared.file?.finish()
    }

    /// Removes the new file of an atomic store, or restores the old one, after a save has failed.
    func didNotCommit(_ prepared: PreparedCommit) {
        // A leftover file has a name that the next save overwrites.
        try? prepared.file?.discard()
    }
}
