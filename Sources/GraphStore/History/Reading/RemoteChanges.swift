extension StoreChange {
    /// Adds a change that the history records.
    mutating func note(_ change: HistoryChange) {
        switch change.kind {
        case .insert: insert(change.objectID)
        case .update: update(change.objectID)
        case .delete: delete(change.objectID)
        }
    }
}

/// A change that another process or another container saved to the store.
public struct RemoteChange: Sendable, Hashable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The changed objects; `nil` if the store keeps no history or they are unknown.
    public let change: StoreChange?
    /// The position after the change; `nil` if the changed objects are unknown.
    public let historyToken: HistoryToken?
}

extension PersistentContainer {
    /// Returns a stream of changes that others save from now on, polled at an interval.
    ///
    /// The stream finishes when the container is deallocated or its consumer stops. If the store
    /// cannot be read, the next poll tries again.
    public func remoteChanges(every interval: Duration = .seconds(1)) -> AsyncStream<RemoteChange> {
        AsyncStream { continuation in
            let task = Task { [weak self] in
                while !Task.isCancelled {
                    do {
                        guard let self else { break }
                        if let change = try self.pollRemoteChange() { continuation.yield(change) }
                    } catch {
                        // The store is busy or missing for now; the next poll tries again.
                    }
                    do { try await Task.sleep(for: interval) } catch { break }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Checks once whether others have saved since the last call.
    ///
    /// The first call takes the current state as known. While this container saves, the method
    /// returns `nil`.
    public func pollRemoteChange() throws(StoreError) -> RemoteChange? {
        guard let dataVersion = try foreignDataVersion() else { return nil }
        guard remoteMonitor.isWatching else {
            let newest = keepsHistory ? try newestSequence() : 0
            remoteMonitor.begin(dataVersion: dataVersion, newestSequence: newest)
            return nil
        }
        guard remoteMonitor.hasMoved(to: dataVersion) else { return nil }
        guard keepsHistory else {
            return RemoteChange(storeUUID: storeUUID, change: nil, historyToken: nil)
        }
        return try remoteChangeFromHistory()
    }

    private func newestSequence() throws(StoreError) -> Int64 {
        let connection = try newReader()
        return try HistoryReader.newestNumber(on: connection)
    }

    private func remoteChangeFromHistory() throws(StoreError) -> RemoteChange? {
        let known = historyToken(remoteMonitor.newestSequence)
        let transactions: [HistoryTransaction]
        do {
            transactions = try history(after: known)
        } catch {
            switch error {
            case .store(let error): throw error
            case .expired, .foreign, .off:
                // More changed than the history records; observers must reload everything.
                _ = remoteMonitor.advance(to: try newestSequence())
                return RemoteChange(storeUUID: storeUUID, change: nil, historyToken: nil)
            }
        }
        guard let last = transactions.last else { return nil }
        let own = remoteMonitor.advance(to: last.token.sequence)
        var change = StoreChange()
        for transaction in transactions where !own.contains(transaction.token.sequence) {
            for one in transaction.changes { change.note(one) }
        }
        guard !change.isEmpty else { return nil }
        return RemoteChange(storeUUID: storeUUID, change: change, historyToken: last.token)
    }
}
