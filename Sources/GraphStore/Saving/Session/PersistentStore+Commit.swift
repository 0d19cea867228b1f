import SQLite

/// The state between the last statement of a save and its end.
struct PreparedCommit {
    fileprivate let metadataChange: Int?
    fileprivate let partChanges: [Int?]
    fileprivate let historySequence: Int64?
    /// The file of an atomic store, which replaces the old file before the transaction in memory ends.
    let file: AtomicFile?
}

extension PersistentStore {
    /// Writes the data that belongs to every save, inside its transaction.
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

    /// Ends what `willCommit(_:)` began, once the transaction is durable.
    func didCommit(_ prepared: PreparedCommit) {
        if let change = prepared.metadataChange { metadata.noteWritten(change) }
        for (part, change) in zip(parts, prepared.partChanges) {
            if let change { part.metadata.noteWritten(change) }
        }
        if let sequence = prepared.historySequence { remoteMonitor.noteOwn(sequence) }
        prepared.file?.finish()
    }

    /// Undoes the changes of `willCommit(_:)` and `place(_:)` on the disk.
    func didNotCommit(_ prepared: PreparedCommit) {
        // A leftover file has a name that the next save overwrites.
        try? prepared.file?.discard()
    }
}
