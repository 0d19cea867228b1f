import GraphModel

/// Finds fields that refer to the keys of other samples, by name and content.
struct ReferenceGuess {
    private(set) var drafts: [EntityDraft]
    /// The entities that an entity's import needs before it.
    private var needs: [Int: Set<Int>] = [:]

    private static let tagNames: Set<String> = [
        "tags", "labels", "keywords", "categories", "topics", "genres", "hashtags",
    ]

    init(_ drafts: [EntityDraft]) {
        self.drafts = drafts
        for place in drafts.indices {
            for leaf in drafts[place].leaves.indices where leaf != drafts[place].keyPlace {
                guess(leaf, of: place)
            }
        }
        for place in drafts.indices { findTags(place) }
    }

    /// The drafts in an order in which every import finds what it refers to.
    var order: [Int] {
        var order: [Int] = []
        func visit(_ place: Int) {
            guard !order.contains(place) else { return }
            for other in needs[place, default: []].sorted() { visit(other) }
            order.append(place)
        }
        for place in drafts.indices { visit(place) }
        return order
    }

    private mutating func guess(_ leaf: Int, of place: Int) {
        let draft = drafts[place]
        for target in drafts.indices {
            guard let keyPlace = drafts[target].keyPlace, let key = drafts[target].key,
                isNamed(draft.leaves[leaf], for: drafts[target], isSelf: target == place),
                let kind = KeyKind(drafts[target].type(keyPlace).type)
            else { continue }
            let values = draft.leaves[leaf].node
            if [key.node.distinct, values.distinct, values.items?.distinct].contains(where: {
                $0?.isFull == true
            }) {
                drafts[place].notes.append(
                    "'\(draft.leaves[leaf].source)' may refer to \(drafts[target].name): too many "
                        + "values to compare")
                continue
            }
            guard
                let isMany = refers(draft, leaf, to: key, kind),
                target == place || !reaches(from: target, to: place)
            else { continue }
            if target != place { needs[place, default: []].insert(target) }
            drafts[place].references[leaf] = EntityDraft.Reference(
                leaf: draft.leaves[leaf], target: drafts[target].name, isMany: isMany)
            return
        }
    }

    /// `category`, `categoryId`, `category_id`, `category.id`; `parentId` or `reportsTo` for one's
    /// own kind.
    private func isNamed(_ leaf: Leaf, for target: EntityDraft, isSelf: Bool) -> Bool {
        let name = InferredNames.folded(leaf.name)
        let entity = InferredNames.folded(target.name)
        let key = InferredNames.folded(target.key?.name ?? "")
        if leaf.path.count > 1, InferredNames.folded(leaf.path[leaf.path.count - 2]) == entity {
            return name == key
        }
        if isSelf, InferredNames.meansOwnKind(name) { return true }
        if leaf.node.items != nil {
            let one = InferredNames.folded(InferredNames.singular(leaf.name))
            return [entity, entity + "id", entity + key].contains(one)
        }
        return [entity, entity + "id", entity + key].contains(name)
            || (name == key && key.hasPrefix(entity))
    }

    /// Whether every value is one of the key's, and whether the field holds lists of them.
    private func refers(
        _ draft: EntityDraft, _ place: Int, to key: Leaf, _ kind: KeyKind
    ) -> Bool? {
        guard let keys = key.node.distinct, !keys.isFull else { return nil }
        let node = draft.leaves[place].node
        if let items = scalarItems(node) {
            guard KeyKind(items.facts.type(named: "", isKey: true).type) == kind,
                !items.distinct.isFull, items.distinct.hashes.isSubset(of: keys.hashes)
            else { return nil }
            return true
        }
        guard KeyKind(node.facts.type(named: "", isKey: true).type) == kind,
            let values = node.distinct, values.count > 0, !values.isFull, !values.hasEmpty,
            values.hashes.isSubset(of: keys.hashes)
        else { return nil }
        return false
    }

    /// The items of lists that sets can stand for: scalars of one kind, none twice.
    private func scalarItems(_ node: FieldNode) -> ListFacts? {
        guard let items = node.items, node.facts.lists == node.facts.count, items.facts.count > 0,
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
        let entities = Set(drafts.map { $0.name.uppercased() })
        for (index, leaf) in drafts[place].leaves.enumerated()
        where drafts[place].references[index] == nil {
            guard let items = scalarItems(leaf.node), items.facts.texts == items.facts.count,
                !items.distinct.isFull, looksLikeTags(leaf.name, items)
            else { continue }
            let entity = InferredNames.entity(ofField: leaf.name)
            guard !entities.contains(entity.uppercased()) else { continue }
            drafts[place].references[index] = EntityDraft.Reference(
                leaf: leaf, target: entity, isMany: true, isTag: true)
        }
    }

    /// By a usual name, or a plural whose items come again and again.
    private func looksLikeTags(_ name: String, _ items: ListFacts) -> Bool {
        let folded = InferredNames.folded(name)
        return Self.tagNames.contains(folded)
            || folded.hasSuffix("s") && items.distinct.count * 2 <= items.facts.count
    }
}
