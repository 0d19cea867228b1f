import GraphModel

extension ModelHistory {
    /// One migration of a chain.
    public struct Stage: Sendable, Hashable {
        /// The places of both versions in the history, counted from 0.
        public let from: Int
        /// The version that the stage ends with.
        public let to: Int

        /// Makes a stage; a mapping may lead over several versions at once.
        public init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// The fewest stages from a version to the newest.
    ///
    /// A mapping leads from one version to another however many lie between them, and every version
    /// to the next. Neighbouring stages of which no mapping says anything are one where that comes
    /// to the same, with renames followed through them: where no entity, property or constraint
    /// changes in two of them.
    ///
    /// - Parameters:
    ///   - start: the version's place, counted from 0.
    ///   - mapped: the stages that have a mapping.
    ///   - stops: places of versions that no stage may leave out.
    public func stages(
        from start: Int, mapped: Set<Stage> = [], stoppingAt stops: Set<Int> = []
    ) -> [Stage] {
        // The last place before each that the fewest stages lead to.
        var before: [Int: Int] = [:]
        var counts = [start: 0]
        for place in versions.indices where place > start {
            let ways = (start..<place).filter { from in
                guard counts[from] != nil else { return false }
                let isLeap = mapped.contains(Stage(from: from, to: place))
                return from == place - 1
                    || isLeap && stops.isDisjoint(with: (from + 1)..<place)
            }
            guard let best = ways.min(by: { counts[$0, default: 0] < counts[$1, default: 0] })
            else { continue }
            before[place] = best
            counts[place] = counts[best, default: 0] + 1
        }
        var route: [Stage] = []
        var place = versions.count - 1
        while place > start, let from = before[place] {
            route.insert(Stage(from: from, to: place), at: 0)
            place = from
        }
        var stages: [Stage] = []
        for stage in route {
            guard let last = stages.last, !stops.contains(stage.from),
                !mapped.contains(last), !mapped.contains(stage),
                ModelChain(Array(versions[last.from...stage.to])).isOneStep
            else {
                stages.append(stage)
                continue
            }
            stages[stages.count - 1] = Stage(from: last.from, to: stage.to)
        }
        return stages
    }
}
