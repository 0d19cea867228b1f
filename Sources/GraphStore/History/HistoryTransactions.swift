import SQLite

extension PersistentContainer {
    /// The transactions after the token, one by one, as they stand when the reading begins.
    ///
    /// ```swift
    /// for try await transaction in container.historyTransactions(after: lastToken) {
    ///     lastToken = transaction.token
    /// }
    /// ```
    public func historyTransactions(
        after token: HistoryToken? = nil, matching filter: HistoryFilter = HistoryFilter()
    ) -> HistoryTransactions {
        HistoryTransactions(container: self, token: token, filter: filter)
    }
}

/// A history as an asynchronous sequence of transactions, of which one is in memory at a time.
public struct HistoryTransactions: AsyncSequence, Sendable {
    let container: PersistentContainer
    let token: HistoryToken?
    let filter: HistoryFilter

    /// Begins to read; each iterator reads anew.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// Reads transaction after transaction, where it is called.
    ///
    /// Throws a `HistoryError`. When the task is cancelled, a read that is going on is stopped and
    /// `CancellationError` thrown.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: HistoryTransactions
        private var reader: HistoryReader?

        init(sequence: HistoryTransactions) {
            self.sequence = sequence
        }

        /// The next transaction with a change that is wanted; nil after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> HistoryTransaction? {
            try Task.checkCancellation()
            let reader =
                try self.reader
                ?? sequence.container.historyReader(
                    after: sequence.token, matching: sequence.filter)
            self.reader = reader
            let interrupter = reader.interrupter
            do {
                return try await withTaskCancellationHandler {
                    try reader.next()
                } onCancel: {
                    interrupter.interrupt()
                }
            } catch {
                try Task.checkCancellation()
                throw error
            }
        }
    }
}
