import TestSeeds

/// A fault, and the call at which it occurs.
struct DiskFault: Sendable, CustomStringConvertible {
    enum Kind: Sendable, CaseIterable {
        /// The process is killed before the call, halfway through a write, or after another call.
        case killBefore, killAmid
        /// The power is lost at the same points.
        case loseBefore, loseAmid
        /// The call fails, alone or with all later calls.
        case failOnce, failOnAndOn

        var isKill: Bool { self != .failOnce && self != .failOnAndOn }
        var isLoss: Bool { self == .loseBefore || self == .loseAmid }
    }

    /// The number of the call, counted among calls that change something or among calls that read.
    let call: Int
    let kind: Kind
    let isOfReads: Bool
    private let roll: Int

    /// Chooses a random fault.
    ///
    /// - Parameter counts: The numbers of calls of a run without faults.
    init(_ random: inout SeededGenerator, _ counts: (changes: Int, reads: Int)) {
        isOfReads = random.chance(10) && counts.reads > 0
        call = 1 + random.pick(max(1, isOfReads ? counts.reads : counts.changes))
        kind =
            isOfReads
            ? random.pick([.failOnce, .failOnAndOn])
            : random.pick([
                .killBefore, .killBefore, .killAmid, .loseBefore, .loseBefore, .loseAmid,
                .failOnce, .failOnce, .failOnAndOn,
            ])
        roll = random.pick(1 << 16)
    }

    init(_ kind: Kind, at call: Int) {
        (self.call, self.kind, isOfReads, roll) = (call, kind, false, 1)
    }

    func verdict(of call: SimulatedDisk.Call) -> SimulatedDisk.Verdict {
        switch kind {
        case .killBefore, .loseBefore: .fail(5)
        case .killAmid, .loseAmid: .half
        case .failOnce, .failOnAndOn: .fail(call.numbers[roll % call.numbers.count])
        }
    }

    var description: String { "\(kind) at \(isOfReads ? "read" : "change") \(call)" }
}
