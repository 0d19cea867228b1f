public import FoundationEssentials
import SQLite

extension PersistentContainer {
    /// Reads the history of changes, oldest first.
    ///
    /// - Parameters:
    ///   - token: where the last reading ended; nil reads from the oldest that is kept.
    ///   - filter: which transactions and changes are wanted.
    public func historyReader(
        after token: HistoryToken? = nil, matching filter: HistoryFilter = HistoryFilter()
    ) throws(HistoryError) -> HistoryReader {
        try HistoryReader(
            HistoryReader.reading(newReader), schema, historyToken(0), after: token, filter)
    }

    /// The transactions after the token; all of them in memory.
    public func history(
        after token: HistoryToken? = nil, matching filter: HistoryFilter = HistoryFilter()
    ) throws(HistoryError) -> [HistoryTransaction] {
        try historyReader(after: token, matching: filter).remaining()
    }

    /// The place behind the newest transaction.
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

    /// Takes the transactions up to the token's out of the history.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func purgeHistory(upTo token: HistoryToken) throws(HistoryError) -> Int {
        let newest = try currentHistoryToken()
        guard token.isOfSameStore(as: newest), token.sequence <= newest.sequence else {
            throw .foreign(token)
        }
        return try purge("SELECT \(token.sequence)")
    }

    /// Takes the transactions before that moment out of the history.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func purgeHistory(before date: Date) throws(HistoryError) -> Int {
        let seconds = date.timeIntervalSinceReferenceDate
        return try purge("SELECT max(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP < \(seconds)")
    }

    /// The place behind what a session has saved, noted as this container's own.
    func historyToken(of session: WriteSession) -> HistoryToken? {
        guard let sequence = session.historySequence else { return nil }
        return historyToken(sequence)
    }

    /// A place in this store's history.
    func historyToken(_ sequence: Int64) -> HistoryToken {
        let metadata = metadataState.current
        var lineage: String?
        if case .string(let text)? = metadata.propertyList[StoreMetadata.lineageKey] {
            lineage = text
        }
        return HistoryToken(storeUUID: metadata.uuid, sequence: sequence, lineage: lineage)
    }

    private func purge(_ last: String) throws(HistoryError) -> Int {
        do throws(StoreError) {
            let count: Int64
            guard keepsHistory else { throw StoreError(.invalidRequest, "no history") }
            let session = try beginWriting()
            defer { endWriting() }
            do throws(StoreError) {
                let number = try session.connection.integer(last) ?? 0
                count =
                    try session.connection.integer(
                        "SELECT count(*) FROM ATRANSACTION WHERE Z_PK <= \(number)") ?? 0
                try HistoryWriter.purge(upTo: number, on: session.connection)
                try session.connection.execute(
                    "DELETE FROM ATRANSACTIONSTRING WHERE Z_PK NOT IN (SELECT ZAUTHORTS FROM"
                        + " ATRANSACTION UNION SELECT ZBUNDLEIDTS FROM ATRANSACTION UNION SELECT"
                        + " ZCONTEXTNAMETS FROM ATRANSACTION UNION SELECT ZPROCESSIDTS FROM"
                        + " ATRANSACTION)")
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
