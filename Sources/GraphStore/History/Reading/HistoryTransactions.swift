import SQLite

extension PersistentContainer {
    /// Returns the transactions after the token, one by one, as of the start of the read.
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

/// An asynchronous sequence of a history's transactions, with one in memory at a time.
public struct HistoryTransactions: AsyncSequence, Sendable {
    let container: PersistentContainer
    let token: HistoryToken?
    let filter: HistoryFilter

    /// Creates an iterator, which starts a new read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// An iterator that reads one transaction per call, on the caller's executor.
    ///
    /// Throws a `HistoryError`. If the task is canceled, the iterator interrupts a running read and
    /// throws `CancellationError`.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: HistoryTransactions
        private var reader: HistoryReader?

        init(sequence: HistoryTransactions) {
            self.sequence = sequence
        }

        /// Returns the next transaction with a matching change; `nil` after the last.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> HistoryTransaction? {
            try Task.checkCancellation()
            let reader =
                try self.reader
                ?? sequence.container.historyReader(
                    after: sequence.token, matching: sequence.filter)
            self.reader = reader
            return try await reader.interrupter.interrupting { try reader.next() }
        }
    }
}
