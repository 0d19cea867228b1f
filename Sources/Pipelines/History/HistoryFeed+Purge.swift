package import FoundationEssentials
import GraphModel
import GraphStore

extension HistoryFeed {
    /// Removes older changes from a store's history.
    ///
    /// - Parameters:
    ///   - before: a date, or a token, which removes everything that a reader with that token has
    ///     read.
    ///   - ifLocked: what to do if a run or another program has locked the store.
    package static func purge(
        _ store: String, before: String, now: Date, ifLocked: RunOptions.LockedPolicy? = nil
    ) -> QueryOutcome {
        let waiting = StoreWait(ifLocked, Interruption())
        do {
            try URLCheck.reject(file: store)
            // Report an invalid argument before waiting for a lock.
            let point = try HistoryPoint(before, of: .before, now: now)
            // Take the lock first, so that an active run is reported by name and not as a busy
            // store.
            let lock =
                FileDescriptor.size(store) == nil
                ? nil
                : try StoreLock.take(
                    storePath: store, pipeline: StoreLock.purge,
                    started: ScalarText.isoDate(now.timeIntervalSinceReferenceDate.rounded(.down)),
                    ifLocked ?? .fail, Interruption())
            defer { withExtendedLifetime(lock) {} }
            if lock != nil { try waiting.untilUnlocked(store) }
            var options = StoreOptions()
            options.lockPatience = waiting.patience
            let container = try PersistentContainer(
                model: nil, .sqlite(at: store, options: options))
            let count =
                switch point {
                case .place(let place): try container.purgeHistory(upTo: place.token)
                case .date(let date): try container.purgeHistory(before: date)
                }
            return QueryOutcome(
                notes: [ReportNumbers.several(count, "transaction") + " deleted from the history"])
        } catch {
            return QueryOutcome(RunFailure(history: error, store: store))
        }
    }
}
