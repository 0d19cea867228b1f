import Diagnostics
import GraphModel

/// Detects whether files with the same keys are dumps of the same objects or daily observations.
///
/// If each file has a single date in a column, and no two files have the same date, the date
/// becomes part of the key. Then no record replaces that of another day. If other records refer to
/// the objects, the files are dumps.
enum DailyFiles {
    /// Folded names of columns that hold a day or a longer period but are not dates.
    private static let periods: Set<String> = ["day", "week", "month", "quarter", "year", "period"]

    /// Returns the references between drafts, with the date added to keys of daily files.
    static func guess(_ drafts: [EntityDraft], _ known: InferenceOptions) -> ReferenceGuess {
        let keys = drafts.map { dated($0, known) }
        guard keys.contains(where: { $0 != nil }) else { return ReferenceGuess(drafts, known) }
        var keyed = drafts
        for (place, key) in keys.enumerated() where key != nil { keyed[place].key = key }
        let guess = ReferenceGuess(keyed, known)
        let asDumps = ReferenceGuess(drafts, known).drafts
        let dumps = drafts.indices.filter { place in
            keys[place] != nil && drafts[place].hasOwnID
                && asDumps.indices.contains { other in
                    asDumps[other].references.contains { leaf, reference in
                        reference.target == drafts[place].name
                            && guess.drafts[other].references[leaf] == nil
                    }
                }
        }
        guard !dumps.isEmpty else { return guess }
        for place in dumps { keyed[place].key = drafts[place].key }
        return ReferenceGuess(keyed, known)
    }

    /// Returns the key with the date field added; `nil` if the key stays unchanged.
    private static func dated(_ draft: EntityDraft, _ known: InferenceOptions) -> EntityDraft.Key? {
        let files = draft.sample.filesWithRecords
        let stored = known.storeModel?.entities.map(\.name) ?? []
        guard let key = draft.key, key.isOfDumps, files > 1,
            InferredNames.match(draft.name, stored) == nil
        else { return nil }
        return date(of: draft, besides: key.places, files: files).map {
            EntityDraft.Key(
                places: (key.places + [$0]).sorted(),
                note: "guessed: each of \(ReportNumbers.several(files, "file")) has a different "
                    + "'\(draft.leaves[$0].name)'")
        }
    }

    /// Returns the index of the field with exactly one date per file; `nil` if there is none.
    private static func date(
        of draft: EntityDraft, besides key: [Int], files: Int
    ) -> Int? {
        draft.leaves.indices.first { place in
            let leaf = draft.leaves[place]
            guard !key.contains(place), leaf.isEverywhere, let distinct = leaf.node.distinct,
                distinct.isWhole, !distinct.hasEmpty, !distinct.repeatsBetween,
                distinct.count == files
            else { return false }
            return isDay(place, of: draft)
        }
    }

    /// Returns the key and the date field of a single file that seems to hold one day by its name.
    ///
    /// The same key may occur again in the file of another day.
    ///
    /// - Returns: `nil` for other files, and if an ID or a date is in the key.
    static func day(_ draft: EntityDraft, _ known: InferenceOptions) -> InferredEntity.Day? {
        let stored = known.storeModel?.entities.map(\.name) ?? []
        guard known.key.isEmpty, let key = draft.key, draft.owner == nil, !draft.isStored,
            !draft.hasOwnID, draft.sample.paths.count == 1, draft.records > 0,
            InferredNames.match(draft.name, stored) == nil,
            PathText.lastComponent(draft.sample.paths[0]).contains(
                #/(?:^|\D)(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])(?:\D|$)/#),
            !key.places.contains(where: { isDay($0, of: draft) })
        else { return nil }
        let field = date(of: draft, besides: key.places, files: 1)
        return InferredEntity.Day(
            key: key.places.map { draft.leaves[$0].source },
            field: field.map { draft.leaves[$0].source })
    }

    private static func isDay(_ place: Int, of draft: EntityDraft) -> Bool {
        draft.type(place).type == .date
            || periods.contains(InferredNames.folded(draft.leaves[place].name))
    }
}

extension EntityDraft {
    /// Whether the key's name is that of an ID of these records, and not of objects that they refer
    /// to.
    fileprivate var hasOwnID: Bool {
        guard let key = keyLeaf else { return false }
        // The numbers of orders or invoices continue from day to day.
        if KeyNames.isNumber(InferredNames.folded(key.name)) { return true }
        return [name, InferredNames.singular(name)].map(InferredNames.folded).contains {
            KeyNames.rank(InferredNames.folded(key.name), of: $0).map { $0 <= KeyNames.lastOfIDs }
                ?? false
        }
    }
}
