extension ManagedObjectContext {
    /// Starts a bulk upsert in this context.
    ///
    /// - Parameters:
    ///   - memory: the memory limits of the load for keys and rows.
    ///   - isResumable: whether to resume from the notes of an earlier load's `noteState()`, if
    ///     any, and to write such notes; the store must have space for them.
    package func bulkWriter(
        for plan: BulkPlan, memory: BulkMemory = BulkMemory(), isResumable: Bool = false
    ) throws(StoreError) -> BulkWriter {
        try BulkWriter(plan, in: self, memory: memory, isResumable: isResumable)
    }

    /// Rolls back the rows that a load has written if all of them end up unchanged.
    ///
    /// This keeps the bytes of the store; a new transaction begins. Call it after the load's
    /// `flush()`, and before any notes are written.
    package func takeBackUnchangedRows(_ writer: BulkWriter) throws(StoreError) {
        guard let session = openSession else { return }
        guard try session.hasWrittenInVain else { return }
        writer.closeWalks()
        giveUpSession()
        _ = try self.session()
    }
}
