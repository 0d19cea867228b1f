extension RelationshipDescription {
    /// A violation of a to-many relationship's limits.
    package enum CountProblem: Sendable, CaseIterable {
        case tooFew
        case tooMany
    }

    /// Returns the limit that the problem violates, or `nil` if the limit is not set.
    ///
    /// An optional relationship can be empty regardless of its minimum.
    package func limit(_ problem: CountProblem) -> Int? {
        switch problem {
        case .tooFew:
            let least = max(minimumCount, isOptional ? 0 : 1)
            return least > (isOptional ? 1 : 0) ? least : nil
        case .tooMany: return maximumCount > 0 ? maximumCount : nil
        }
    }

    /// Returns the problem with a number of objects and the limit, or `nil` if the number is
    /// allowed.
    package func problem(withCount count: Int) -> (problem: CountProblem, limit: Int)? {
        if count == 0, isOptional { return nil }
        if let least = limit(.tooFew), count < least { return (.tooFew, least) }
        if let most = limit(.tooMany), count > most { return (.tooMany, most) }
        return nil
    }
}
