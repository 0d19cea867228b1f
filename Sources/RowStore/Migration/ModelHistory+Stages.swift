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
        // For each version from the first one: the previous version on the shortest path, and the
        // number of stages on it.
        var before = [start]
        var counts = [0]
        for place in versions.indices where place > start {
            // Of several shortest paths, the one with the longest last stage.
            var best = place - 1
            for from in (start..<place - 1).reversed()
            where counts[from - start] <= counts[best - start]
                && mapped.contains(Stage(from: from, to: place))
                && stops.isDisjoint(with: (from + 1)..<place)
            {
                best = from
            }
            before.append(best)
            counts.append(counts[best - start] + 1)
        }
        var route: [Stage] = []
        var place = versions.count - 1
        while place > start {
            let from = before[place - start]
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
