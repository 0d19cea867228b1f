import GraphModel
import RecordStreams

/// Finds keys of two or three fields if no single field identifies the records.
struct CompositeKeys {
    /// The maximum number of candidate fields.
    private static let fieldsMax = 8
    /// The minimum number of record pairs that would be expected to share values by chance.
    private static let repeatsMin = 8.0

    private struct Candidate {
        var place: Int
        /// How likely the field is part of a key, judging by its name; a lower score is more
        /// likely.
        var score: Int
        var count: Int
    }

    private let draft: EntityDraft
    private let candidates: [Candidate]

    init(_ draft: EntityDraft) {
        self.draft = draft
        candidates = Array(
            draft.leaves.indices.compactMap { Self.candidate($0, draft) }
                .sorted { ($0.score, $0.place) < ($1.score, $1.place) }.prefix(Self.fieldsMax))
    }

    private static func candidate(_ place: Int, _ draft: EntityDraft) -> Candidate? {
        let leaf = draft.leaves[place]
        let facts = leaf.node.facts
        guard leaf.isEverywhere, let distinct = leaf.node.distinct, distinct.isWhole,
            !distinct.hasEmpty, distinct.count > 1 || draft.references[place] != nil,
            facts.isDate || facts.isOneWord,
            facts.texts + facts.numbers == facts.count
        else { return nil }
        let type = draft.type(place).type
        guard KeyKind(type) != nil || type == .date else { return nil }
        if let reference = draft.references[place] {
            return reference.isMany ? nil : Candidate(place: place, score: 0, count: distinct.count)
        }
        let folded = InferredNames.folded(leaf.name)
        let score =
            if folded.hasSuffix("id") || KeyNames.mayBeKey(folded) {
                1
            } else if type == .date || KeyNames.isPosition(folded) {
                2
            } else {
                3
            }
        return Candidate(place: place, score: score, count: distinct.count)
    }

    /// Returns the indices of the fields of the most likely key; `nil` if there is no such key.
    func places(
        _ known: InferenceOptions
    ) throws(RecordStreamError) -> [Int]? {
        let records = Double(draft.records)
        guard records > 1, candidates.count > 1 else { return nil }
        let sets = sets.filter { set in
            let kinds = set.reduce(1.0) { $0 * Double(candidates[$1].count) }
            guard kinds >= records else { return false }
            // If each name is that of a key, the names suffice; otherwise, the values must decide.
            if set.allSatisfy({ candidates[$0].score <= 1 }) { return true }
            return records * records / (2 * kinds) >= Self.repeatsMin
        }
        guard !sets.isEmpty else { return nil }
        let areUnique = try draft.sample.areUnique(
            sets, of: candidates.map { draft.leaves[$0.place] }, valuesMax: known.valuesMax,
            limit: known.limit ?? .max)
        guard let found = areUnique.firstIndex(of: true) else { return nil }
        return sets[found].map { candidates[$0].place }.sorted()
    }

    /// The pairs, then the triples of candidates, each sorted by likelihood.
    private var sets: [[Int]] {
        var sets: [[Int]] = []
        for first in candidates.indices {
            for second in candidates.indices.dropFirst(first + 1) {
                sets.append([first, second])
                for third in candidates.indices.dropFirst(second + 1) {
                    sets.append([first, second, third])
                }
            }
        }
        func order(_ set: [Int]) -> (Int, Int, Int) {
            let own = set.map { candidates[$0] }
            return (
                set.count, own.reduce(0) { $0 + $1.score }, own.reduce(0) { $0 + $1.place }
            )
        }
        return sets.sorted { order($0) < order($1) }
    }
}
