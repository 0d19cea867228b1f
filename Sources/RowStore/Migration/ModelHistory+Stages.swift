import GraphModel

extension ModelHistory {
    /// Returns the fewest stages from a version to the newest one.
    ///
    /// A stage leads from a version to the next one, or, with a mapping, to any later one. Adjacent
    /// stages without a mapping are merged if the result is the same: if no entity, property, or
    /// constraint changes in two of them. Renames are followed through merged stages.
    ///
    /// - Parameters:
    ///   - start: The index of the first version, counted from 0.
    ///   - mapped: The stages that have a mapping.
    ///   - stops: Indexes of versions that no stage may skip.
    public func stages(
        from start: Int, mapped: Set<Stage> = [], stoppingAt stops: Set<Int> = []
    ) -> [Stage] {
        // For each version, the previous version on the shortest path.
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
