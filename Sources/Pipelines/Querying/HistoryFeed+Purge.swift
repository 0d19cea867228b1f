package import FoundationEssentials
import GraphStore

extension HistoryFeed {
    /// Takes what is older out of a store's history.
    ///
    /// - Parameters:
    ///   - before: a date, or a token: all that somebody with that token has read.
    ///   - ifLocked: what to do while a run works on the store, or another program has it locked.
    package static func purge(
        _ store: String, before: String, now: Date, ifLocked: RunOptions.LockedPolicy? = nil
    ) -> QueryOutcome {
        let waiting = StoreWait(ifLocked, Interruption())
        do {
            try URLCheck.refuse(file: store)
            // A mistake is told before anything is waited for.
            let point = try HistoryPoint(before, of: .before, now: now)
            // A run that is at work is told by its name, and not as whatever makes the store busy.
            let lock =
                FileDescriptor.size(store) == nil
                ? nil
                : try StoreLock.take(
                    storePath: store, pipeline: "history purge",
                    started: TimeText.iso(now.timeIntervalSinceReferenceDate.rounded(.down)),
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
                notes: [ReportWords.several(count, "transaction") + " taken out of the history"])
        } catch let failure as RunFailure {
            return QueryOutcome(failure)
        } catch {
            return QueryOutcome(RunFailure(history: error, store: store))
        }
    }
}
