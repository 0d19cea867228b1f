import SQLite
import Synchronization

/// A change of the store that another process, or another container, has saved.
public struct RemoteChange: Sendable, Hashable {
    /// The store.
    public let storeUUID: String
    /// What changed, where the store keeps a history; nil says only that something did.
    public let change: StoreChange?
    /// The place behind the change, where the store keeps a history.
    public let historyToken: HistoryToken?
}

/// What a container knows of the saves that others make.
final class RemoteChangeMonitor: Sendable {
    private struct State {
        /// SQLite's counter of what others committed
        /// (https://www.sqlite.org/pragma.html#pragma_data_version).
        var dataVersion: Int64?
        var newestSequence: Int64 = 0
        /// Transactions of this container behind the newest that was looked at.
        var ownSequences: Set<Int64> = []
    }

    private let state = Mutex(State())

    /// Takes what is there now as known.
    func begin(dataVersion: Int64, newestSequence: Int64) {
        state.withLock { state in
            state.dataVersion = dataVersion
            state.newestSequence = newestSequence
        }
    }

    /// Whether somebody watches.
    var isWatching: Bool { state.withLock { $0.dataVersion != nil } }

    func noteOwn(_ sequence: Int64) {
        state.withLock { state in
            if state.dataVersion != nil { state.ownSequences.insert(sequence) }
        }
    }

    /// Whether others have committed since the last call.
    func hasMoved(to dataVersion: Int64) -> Bool {
        state.withLock { state in
            defer { state.dataVersion = dataVersion }
            return state.dataVersion != dataVersion
        }
    }

    var newestSequence: Int64 { state.withLock { $0.newestSequence } }

    /// Notes that all up to that one was looked at.
    ///
    /// - Returns: which of them were this container's own.
    func advance(to sequence: Int64) -> Set<Int64> {
        state.withLock { state in
            let own = state.ownSequences.filter { $0 <= sequence }
            state.ownSequences.subtract(own)
            state.newestSequence = max(state.newestSequence, sequence)
            return own
        }
    }
}

extension PersistentContainer {
    /// Changes that others save from now on, looked for at intervals.
    ///
    /// Ends with the container, or when its reader ends. A store that cannot be read at one look is
    /// looked at again.
    public func remoteChanges(every interval: Duration = .seconds(1)) -> AsyncStream<RemoteChange> {
        AsyncStream { continuation in
            let task = Task { [weak self] in
                while !Task.isCancelled {
                    do {
                        guard let self else { break }
                        if let change = try self.pollRemoteChange() { continuation.yield(change) }
                    } catch {
                        // Busy or gone for a moment; the next look tells.
                    }
                    do { try await Task.sleep(for: interval) } catch { break }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Looks once whether others have saved since the last look.
    ///
    /// The first look takes what is there as known. While this container saves, nothing is told.
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
                // More changed than history tells; whoever listens must look at everything.
                _ = remoteMonitor.advance(to: try newestSequence())
                return RemoteChange(storeUUID: storeUUID, change: nil, historyToken: nil)
            }
        }
        guard let last = transactions.last else { return nil }
        let own = remoteMonitor.advance(to: last.token.sequence)
        var change = StoreChange()
        for transaction in transactions where !own.contains(transaction.token.sequence) {
            for one in transaction.changes {
                switch one.kind {
                case .insert: change.insert(one.objectID)
                case .update: change.update(one.objectID)
                case .delete: change.delete(one.objectID)
                }
            }
        }
        guard !change.isEmpty else { return nil }
        return RemoteChange(storeUUID: storeUUID, change: change, historyToken: last.token)
    }
}
