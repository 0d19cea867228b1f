public import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// Returns a reader of the history, oldest transaction first.
    ///
    /// - Parameters:
    ///   - token: the position to read from; `nil` reads from the oldest transaction that is kept.
    ///   - filter: the transactions and changes to return.
    public func historyReader(
        after token: HistoryToken? = nil, matching filter: HistoryFilter = HistoryFilter()
    ) throws(HistoryError) -> HistoryReader {
        try HistoryReader(
            HistoryReader.reading(newReader), schema, historyToken(0), after: token, filter)
    }

    /// Returns the transactions after the token, all in memory.
    public func history(
        after token: HistoryToken? = nil, matching filter: HistoryFilter = HistoryFilter()
    ) throws(HistoryError) -> [HistoryTransaction] {
        try historyReader(after: token, matching: filter).remaining()
    }

    /// Returns the position after the newest transaction.
    public func currentHistoryToken() throws(HistoryError) -> HistoryToken {
        let connection = try HistoryReader.reading(newReader)
        let (exists, newest) = try HistoryReader.reading { () throws(StoreError) in
            (
                try HistorySchema.exists(on: connection),
                try HistoryReader.newestNumber(on: connection)
            )
        }
        guard exists else { throw .off }
        return historyToken(newest)
    }

    /// Purges the transactions up to and including the token's from the history.
    ///
    /// - Returns: the number of purged transactions.
    @discardableResult
    public func purgeHistory(upTo token: HistoryToken) throws(HistoryError) -> Int {
        let newest = try currentHistoryToken()
        guard token.isOfSameStore(as: newest), token.sequence <= newest.sequence else {
            throw .foreign(token)
        }
        return try purge { _ in token.sequence }
    }

    /// Purges the transactions before the given time from the history.
    ///
    /// - Returns: the number of purged transactions.
    @discardableResult
    public func purgeHistory(before date: Date) throws(HistoryError) -> Int {
        let seconds = date.timeIntervalSinceReferenceDate
        return try purge { connection throws(StoreError) in
            try HistoryWriter.newestNumber(before: seconds, on: connection)
        }
    }

    /// Returns the position after the transaction that a session saved; `nil` without a history.
    func historyToken(of session: WriteSession) -> HistoryToken? {
        guard let sequence = session.historySequence else { return nil }
        return historyToken(sequence)
    }

    /// Returns a token for a transaction number in this store's history.
    func historyToken(_ sequence: Int64) -> HistoryToken {
        let metadata = metadataState.current
        var lineage: String?
        if case .string(let text)? = metadata.propertyList[StoreMetadata.lineageKey] {
            lineage = text
        }
        return HistoryToken(storeUUID: metadata.uuid, sequence: sequence, lineage: lineage)
    }

    /// - Parameter last: Returns the number of the last transaction to purge.
    private func purge(
        upTo last: (Connection) throws(StoreError) -> Int64
    ) throws(HistoryError) -> Int {
        do throws(StoreError) {
            let count: Int64
            guard keepsHistory else { throw StoreError(.invalidRequest, "no history") }
            let session = try beginWriting()
            defer { endWriting() }
            do throws(StoreError) {
                count = try HistoryWriter.purgeAll(
                    upTo: last(session.connection), on: session.connection)
            } catch {
                session.rollback()
                throw error
            }
            try session.commit()
            return Int(count)
        } catch {
            throw keepsHistory ? .store(error) : .off
        }
    }
}
