/// Assigns to each of several expected objects a different matching one.
///
/// The order of the objects must not matter: `{}` matches any object, and must leave to
/// `{ title: a }` the only one that it matches. So if all candidates of an object are taken, their
/// owners try other candidates: augmenting paths in a bipartite graph.
struct ObjectMatching {
    private let candidates: [[Int]]
    /// The object that each position is assigned to.
    private var owners: [Int: Int] = [:]

    /// Returns a matching of maximum size.
    ///
    /// - Parameter candidates: the positions that each object matches.
    /// - Returns: the position of each object; `nil` if it gets no position.
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

    /// Assigns a position to an object, and reassigns other objects if necessary.
    ///
    /// - Returns: `false` if no position is possible.
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
