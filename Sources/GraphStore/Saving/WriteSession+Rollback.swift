/// Rollbacks of a transaction to a savepoint.
extension WriteSession {
    /// What a session knows about the rows that its transaction has written.
    ///
    /// SQLite restores the rows. A rollback to a savepoint must also restore all of this: otherwise
    /// the commit announces changes that never happened, or removes a file that a row still names.
    struct Effects {
        var change = StoreChange()
        var ends: LinkEnds
        var filesReleased: [String] = []
    }

    /// The effects so far.
    var effects: Effects {
        get { Effects(change: change, ends: ends, filesReleased: filesReleased) }
        set {
            change = newValue.change
            ends = newValue.ends
            filesReleased = newValue.filesReleased
        }
    }

    /// Starts to collect effects separately, so that they can be dropped without a copy of the
    /// earlier ones.
    ///
    /// - Returns: the earlier effects.
    func beginEffects() -> Effects {
        var earlier = Effects(ends: LinkEnds(apartFrom: ends))
        swapEffects(&earlier)
        return earlier
    }

    /// Adds the effects since `beginEffects` to the earlier ones.
    func keepEffects(after earlier: inout Effects) {
        swapEffects(&earlier)
        change.add(earlier.change)
        ends.add(earlier.ends)
        filesReleased += earlier.filesReleased
    }

    private func swapEffects(_ other: inout Effects) {
        swap(&other.change, &change)
        swap(&other.ends, &ends)
        swap(&other.filesReleased, &filesReleased)
    }
}
