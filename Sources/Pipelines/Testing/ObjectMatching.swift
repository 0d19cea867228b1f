/// Finds for each of several objects another one of those that it may be.
///
/// Which one comes first must not matter: `{}` may be any object, and must leave to
/// `{ title: a }` the only one that is it. So where all of an object's places are taken, those
/// who have them look for others: augmenting paths in a bipartite graph.
struct ObjectMatching {
    private let candidates: [[Int]]
    /// Who has a place.
    private var owners: [Int: Int] = [:]

    /// As many as can be have a place.
    ///
    /// - Parameter candidates: the places that each object may have.
    /// - Returns: the place of each; nil for none.
    static func places(of candidates: [[Int]]) -> [Int?] {
        var matching = ObjectMatching(candidates: candidates)
        for object in candidates.indices {
            var seen: Set<Int> = []
            _ = matching.place(object, &seen)
        }
        var places = [Int?](repeating: nil, count: candidates.count)
        for (place, owner) in matching.owners { places[owner] = place }
        return places
    }

    private init(candidates: [[Int]]) {
        self.candidates = candidates
    }

    /// Gives an object a place, if need be that of one who finds another.
    private mutating func place(_ object: Int, _ seen: inout Set<Int>) -> Bool {
        if let free = candidates[object].first(where: { owners[$0] == nil }) {
            owners[free] = object
            return true
        }
        for candidate in candidates[object] where seen.insert(candidate).inserted {
            guard let owner = owners[candidate], place(owner, &seen) else { continue }
            owners[candidate] = object
            return true
        }
        return false
    }
}
