import Diagnostics
import GraphModel

/// The match between the values of a field and the keys of an entity.
private struct KeyFit {
    var isMany: Bool
    /// The number of distinct values that are the key of no object.
    var unknown = 0
}

/// Finds fields that refer to the keys of other samples, by name and content.
struct ReferenceGuess {
    private(set) var drafts: [EntityDraft]
    /// For each draft, the drafts that must be imported before it.
    private var needs: [Int: Set<Int>] = [:]

    private static let tagNames: Set<String> = [
        "tags", "labels", "keywords", "categories", "topics", "genres", "hashtags",
    ]

    /// The names of the store's entities.
    private let storedNames: [String]
    /// Whether entities of the store get relationships, too.
    private let addsColumns: Bool

    init(_ drafts: [EntityDraft], _ known: InferenceOptions) {
        self.drafts = drafts
        storedNames = known.storeModel?.entities.map(\.name) ?? []
        addsColumns = known.addsColumns
        // Lists come last, because they may be the inverses of single references.
        for isList in [false, true] {
            for place in drafts.indices where !drafts[place].isStored {
                for leaf in drafts[place].leaves.indices
                where leaf != drafts[place].keyPlace && drafts[place].nested[leaf] == nil
                    && (drafts[place].leaves[leaf].lists != nil) == isList
                {
                    guess(leaf, of: place)
                }
            }
        }
        if let model = known.storeModel {
            for place in drafts.indices { takeStoredPair(place, model) }
        }
        for place in drafts.indices { leaveOutRepeatedKeys(place) }
        for place in drafts.indices { findTags(place) }
    }

    /// The drafts in an order in which every import finds the objects that it refers to.
    var order: [Int] {
        var order: [Int] = []
        func visit(_ place: Int) {
            guard !order.contains(place) else { return }
            for other in needs[place, default: []].sorted() { visit(other) }
            order.append(place)
        }
        for place in drafts.indices where drafts[place].owner == nil { visit(place) }
        let nested = drafts.indices.filter { drafts[$0].owner != nil }
        return order + nested
    }

    /// Returns the draft whose import creates the objects.
    private func root(of place: Int) -> Int {
        drafts[place].owner.map { root(of: $0.draft) } ?? place
    }

    /// Whether a draft's entity may get a relationship to objects that only the store has.
    ///
    /// If the store has the entity, the names of its relationships decide instead.
    private func mayReferToStore(_ place: Int) -> Bool {
        addsColumns || InferredNames.match(drafts[root(of: place)].name, storedNames) == nil
    }

    private mutating func guess(_ leaf: Int, of place: Int) {
        let draft = drafts[place]
        var refused: String?
        // An unknown key in the key of a nested object would reject the complete record.
        let isNestedKey = draft.owner != nil && draft.key?.places.contains(leaf) == true
        let found = drafts.indices.compactMap { target -> (hint: Int, target: Int, fit: KeyFit)? in
            guard !drafts[target].isStored || mayReferToStore(place),
                let keyPlace = drafts[target].keyPlace, let key = drafts[target].keyLeaf,
                let kind = KeyKind(drafts[target].type(keyPlace).type)
            else { return nil }
            let name = ReferenceHint(draft.leaves[leaf], drafts[target], isSelf: target == place)
            let named = name.strength
            guard let hint = named ?? strength(draft, leaf, of: key, kind, isSelf: target == place)
            else { return nil }
            if let isMany = refers(draft, leaf, to: target, kind, hint) {
                return (hint, target, KeyFit(isMany: isMany))
            }
            note(leaf, of: place, key, target, named)
            guard hint <= ReferenceHint.ownKind, kind != .integer || name.isClearForIntegers,
                let values = comparable(draft.leaves[leaf], kind),
                let unknown = drafts[target].unknownCount(of: values), unknown < values.count
            else { return nil }
            guard DanglingKeys.areFew(unknown, of: values.count), !isNestedKey else {
                refused =
                    refused
                    ?? "'\(draft.leaves[leaf].source)' is not linked to \(drafts[target].name): "
                    + "only \((values.count - unknown).grouped) of \(values.count.grouped) values "
                    + "are its \(key.name)"
                return nil
            }
            let isMany = draft.leaves[leaf].node.items != nil
            return (hint, target, KeyFit(isMany: isMany, unknown: unknown))
        }
        // An entity that has all of the values is more likely than one that lacks some.
        let whole = found.filter { $0.fit.unknown == 0 }
        guard let best = (whole.isEmpty ? found : whole).map(\.hint).min() else {
            if let refused { drafts[place].unlinked.append(refused) }
            return
        }
        let likely = (whole.isEmpty ? found : whole).filter { $0.hint == best }
        // If no name decides, the reference is ambiguous.
        guard best <= ReferenceHint.ownKind || likely.count == 1, let choice = likely.first else {
            return
        }
        if choice.fit.isMany, isOtherSide(leaf, of: place, choice.target) { return }
        let (own, other) = (root(of: place), root(of: choice.target))
        if own != other {
            guard !reaches(from: other, to: own) else { return }
            needs[own, default: []].insert(other)
        }
        drafts[place].references[leaf] = EntityDraft.Reference(
            leaf: draft.leaves[leaf], target: drafts[choice.target].name,
            isMany: choice.fit.isMany, unknown: choice.fit.unknown)
    }

    /// Maps a table of two keys to the store's only many-to-many relationship between two entities.
    ///
    /// The names of the fields determine the entities. An unknown or missing key affects only its
    /// record and does not turn the table into an entity.
    private mutating func takeStoredPair(_ place: Int, _ model: ManagedObjectModel) {
        let draft = drafts[place]
        guard draft.owner == nil, !draft.isStored, draft.leaves.count == 2,
            InferredNames.match(draft.name, storedNames) == nil
        else { return }
        let targets = draft.leaves.compactMap { storedTarget(of: $0) }
        guard targets.count == 2, targets[0] != targets[1] else { return }
        let names = targets.map { InferredNames.match(drafts[$0].name, storedNames) ?? "" }
        let joins = model.relationships(of: names[0]).filter { link in
            link.isToMany && link.destinationEntityName == names[1]
                && model.relationship(link.inverseName ?? "", of: names[1])?.isToMany == true
        }
        guard joins.count == 1 else { return }
        let pair = zip(draft.leaves, targets).map { leaf, target in
            EntityDraft.Reference(leaf: leaf, target: drafts[target].name, isMany: false)
        }
        for target in targets where !reaches(from: target, to: place) {
            needs[place, default: []].insert(target)
        }
        // A record whose owner is unknown would create it, and one with an unknown link is rejected.
        let isReversed = !pair[0].isKnown(in: drafts) && pair[1].isKnown(in: drafts)
        drafts[place].storedPair = isReversed ? Array(pair.reversed()) : pair
    }

    /// Returns the only entity of the store whose key has the field's name.
    private func storedTarget(of leaf: Leaf) -> Int? {
        let found = drafts.indices.filter { target in
            drafts[target].keyLeaf != nil
                && InferredNames.match(drafts[target].name, storedNames) != nil
                && ReferenceHint(leaf, drafts[target], isSelf: false).strength
                    == ReferenceHint.named
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Omits a list that only repeats the references of its items, as exports write it.
    ///
    /// - Returns: whether the list was omitted.
    private mutating func isOtherSide(_ leaf: Int, of place: Int, _ target: Int) -> Bool {
        let draft = drafts[place]
        let count = draft.leaves[leaf].valueFacts.count
        let other = drafts[target].references.sorted { $0.key < $1.key }.map(\.value)
            .first { $0.target == draft.name && !$0.isTag && $0.leaf.valueFacts.count == count }
        guard let other else { return false }
        drafts[place].repeated.insert(leaf)
        drafts[place].notes.append(
            "'\(draft.leaves[leaf].name)' is left out: it is the other side of "
                + "'\(other.leaf.name)' of \(drafts[target].name)")
        return true
    }

    /// Omits the key that exports write in addition to a reference: `order.id` next to `order`.
    private mutating func leaveOutRepeatedKeys(_ place: Int) {
        let draft = drafts[place]
        for reference in draft.references.sorted(by: { $0.key < $1.key }).map(\.value)
        where !reference.isMany {
            let key = drafts.first { $0.name == reference.target }?.keyLeaf.map(\.name) ?? ""
            let path = reference.leaf.path.dropLast() + ["\(reference.leaf.name).\(key)"]
            for (other, leaf) in draft.leaves.enumerated()
            where leaf.path == Array(path) && hasSameValues(leaf, reference.leaf) {
                drafts[place].references[other] = nil
                drafts[place].repeated.insert(other)
                drafts[place].notes.append(
                    "'\(leaf.name)' is left out: it says the same as '\(reference.leaf.name)'")
            }
        }
    }

    private func hasSameValues(_ leaf: Leaf, _ other: Leaf) -> Bool {
        guard let values = leaf.node.distinct, let others = other.node.distinct,
            values.isWhole, others.isWhole, leaf.node.facts.count == other.node.facts.count
        else { return false }
        return values.isSubset(of: others) && others.isSubset(of: values)
    }

    /// Adds a note about values that could not be compared.
    private mutating func note(
        _ leaf: Int, of place: Int, _ key: Leaf, _ target: Int, _ named: Int?
    ) {
        let values = drafts[place].leaves[leaf]
        guard named.map({ $0 <= ReferenceHint.ownKind }) == true,
            [key.node.distinct, values.node.distinct, values.lists?.distinct].contains(where: {
                $0?.isFull == true
            })
        else { return }
        drafts[place].unlinked.append(
            "'\(drafts[place].leaves[leaf].source)' may refer to \(drafts[target].name): too many "
                + "values to compare")
    }

    /// Returns the strength of the values as evidence; `nil` if they may match by chance.
    private func strength(
        _ draft: EntityDraft, _ leaf: Int, of key: Leaf, _ kind: KeyKind, isSelf: Bool
    ) -> Int? {
        let (leaf, facts) = (draft.leaves[leaf], draft.leaves[leaf].valueFacts)
        guard let keys = key.node.distinct, let values = leaf.lists?.distinct ?? leaf.node.distinct,
            values.isWhole, keys.isWhole, facts.isOneWord, !isSelf || values.count < keys.count
        else { return nil }
        let isMeaningful =
            switch kind {
            case .uuid: values.count > 0
            case .text: values.count >= 3 && !facts.isWhole
            case .integer: values.count >= 3 && key.node.facts.isSparse(keys.count)
            }
        return isMeaningful ? ReferenceHint.byValues : nil
    }

    /// Returns whether the field holds lists of the key's values; `nil` if it has other values.
    private func refers(
        _ draft: EntityDraft, _ place: Int, to target: Int, _ kind: KeyKind, _ hint: Int
    ) -> Bool? {
        guard let keys = drafts[target].keyLeaf?.node.distinct, keys.isWhole else { return nil }
        let node = draft.leaves[place].node
        if let items = scalarItems(draft.leaves[place]) {
            let isList =
                KeyKind(items.facts.guess(named: "", isKey: true).type) == kind
                && items.distinct.isWhole && drafts[target].hasKeys(items.distinct)
            if isList { return true }
            // A separator of exports may be part of a key.
            guard node.items == nil else { return nil }
        }
        // A table without rows has only names.
        if draft.records == 0 { return hint == ReferenceHint.named ? false : nil }
        guard KeyKind(node.facts.guess(named: "", isKey: true).type) == kind,
            let values = node.distinct, values.count > 0, values.isWhole, !values.hasEmpty,
            drafts[target].hasKeys(values)
        else { return nil }
        return false
    }

    /// Returns the values of a field, or the items of its lists, if they may be keys of a kind.
    private func comparable(_ leaf: Leaf, _ kind: KeyKind) -> DistinctValues? {
        let (facts, values): (ValueFacts, DistinctValues?) =
            if leaf.node.items == nil {
                (leaf.node.facts, leaf.node.distinct)
            } else {
                (leaf.valueFacts, scalarItems(leaf)?.distinct)
            }
        guard KeyKind(facts.guess(named: "", isKey: true).type) == kind, let values,
            values.count > 0, values.isWhole, !values.hasEmpty
        else { return nil }
        return values
    }

    /// Returns the items of lists that can become sets: scalars of one kind without duplicates.
    private func scalarItems(_ leaf: Leaf) -> ListFacts? {
        let facts = leaf.node.facts
        guard let items = leaf.lists, leaf.node.items == nil || facts.lists == facts.count,
            items.facts.count > 0,
            !items.hasNulls, !items.hasRepeats, !items.distinct.hasEmpty,
            items.facts.texts == items.facts.count || items.facts.numbers == items.facts.count
        else { return nil }
        return items
    }

    private func reaches(from start: Int, to end: Int) -> Bool {
        var seen: Set<Int> = []
        var waiting = [start]
        while let next = waiting.popLast() {
            if next == end { return true }
            if seen.insert(next).inserted { waiting += needs[next, default: []] }
        }
        return false
    }

    // MARK: Tags

    private mutating func findTags(_ place: Int) {
        let entities = Set(drafts.filter { !$0.isStored }.map { $0.name.uppercased() })
        for (index, leaf) in drafts[place].leaves.enumerated()
        where drafts[place].references[index] == nil {
            guard leaf.node.items != nil, let items = scalarItems(leaf),
                items.facts.texts == items.facts.count,
                !items.distinct.isFull, looksLikeTags(leaf.name, items)
            else { continue }
            let entity = InferredNames.entity(ofField: leaf.name)
            guard !entities.contains(entity.uppercased()) else { continue }
            drafts[place].references[index] = EntityDraft.Reference(
                leaf: leaf, target: entity, isMany: true, isTag: true)
        }
    }

    /// Whether the name is a usual one for tags, or a plural whose items repeat often.
    private func looksLikeTags(_ name: String, _ items: ListFacts) -> Bool {
        let folded = InferredNames.folded(name)
        return Self.tagNames.contains(folded)
            || folded.hasSuffix("s") && items.distinct.count * 2 <= items.facts.count
    }
}
