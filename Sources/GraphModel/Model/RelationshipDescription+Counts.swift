extension RelationshipDescription {
    /// What is wrong with the number of objects of a to-many relationship.
    package enum CountProblem: Sendable, CaseIterable {
        case tooFew
        case tooMany
    }

    /// The number of objects that the problem is measured by; nil if there is no such limit.
    ///
    /// An optional relationship may be empty whatever its least number.
    package func limit(_ problem: CountProblem) -> Int? {
        switch problem {
        case .tooFew:
            let least = max(minimumCount, isOptional ? 0 : 1)
            return least > (isOptional ? 1 : 0) ? least : nil
        case .tooMany: return maximumCount > 0 ? maximumCount : nil
        }
    }

    /// What is wrong with a number of objects, and the limit that it breaks; nil if nothing is.
    package func problem(withCount count: Int) -> (problem: CountProblem, limit: Int)? {
        if count == 0, isOptional { return nil }
        if let least = limit(.tooFew), count < least { return (.tooFew, least) }
        if let most = limit(.tooMany), count > most { return (.tooMany, most) }
        return nil
    }
}
