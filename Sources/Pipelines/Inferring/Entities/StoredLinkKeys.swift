import GraphModel
import RecordStreams

/// The keys in a field that may fill a link of the store, compared with the objects there.
///
/// The first import decided that a few unknown keys leave their links empty. A later file may have
/// only unknown keys, and must not empty the links that the store has.
struct StoredLinkKeys {
    /// The inferred entity of the records.
    let entity: String
    /// The field, as the inference names it.
    let source: String
    /// The relationship of the store.
    let relationship: String
    /// Whether the unknown keys are so few that their links may stay empty.
    let areFewUnknown: Bool
    /// The report on the unknown keys; `nil` if each key is known, or if they are not few.
    let unknown: DanglingKeys?

    /// Returns the relationships of an entity whose unknown keys leave a link empty.
    static func reporting(
        _ entity: String, in model: ManagedObjectModel
    ) -> [RelationshipDescription] {
        model.relationships(of: entity).filter { PropertyOrigin($0.userInfo).reportsMissing }
    }

    /// Returns the entities whose keys are needed to judge the keys in records of some entities.
    ///
    /// - Parameter names: The inferred names of the entities; their records may contain objects of
    ///   related ones.
    static func targets(of names: [String], in model: ManagedObjectModel) -> Set<String> {
        let all = model.entities.map(\.name)
        let own = names.compactMap { InferredNames.match($0, all) }
        let nested = own.flatMap { entity in
            model.relationships(of: entity).filter(\.isToMany).map(\.destinationEntityName)
        }
        return Set(
            Set(own + nested).flatMap { reporting($0, in: model).map(\.destinationEntityName) })
    }

    /// Compares the keys in all fields of all drafts.
    ///
    /// - Parameter limit: The maximum number of records to read.
    static func all(
        in drafts: [EntityDraft], _ model: ManagedObjectModel, limit: Int
    ) throws(RecordStreamError) -> [StoredLinkKeys] {
        let names = model.entities.map(\.name)
        var found: [StoredLinkKeys] = []
        for draft in drafts where !draft.isStored {
            guard let entity = InferredNames.match(draft.name, names) else { continue }
            for link in reporting(entity, in: model) {
                let target = drafts.first {
                    $0.keyLeaf != nil && ($0.isStored || $0.storedKeys != nil)
                        && InferredNames.match($0.name, [link.destinationEntityName]) != nil
                }
                for leaf in draft.leaves {
                    found.append(
                        try StoredLinkKeys(leaf, of: draft, for: link, to: target, limit: limit))
                }
            }
        }
        return found
    }

    private init(
        _ leaf: Leaf, of draft: EntityDraft, for link: RelationshipDescription,
        to target: EntityDraft?, limit: Int
    ) throws(RecordStreamError) {
        entity = draft.name
        source = leaf.source
        relationship = link.name
        let isMany = link.isToMany && leaf.lists != nil
        guard let target, let values = isMany ? leaf.lists?.distinct : leaf.node.distinct,
            values.isWhole, target.keyLeaf?.node.distinct?.isWhole == true,
            target.storedKeys?.isWhole != false,
            let count = target.unknownCount(of: values)
        else {
            (areFewUnknown, unknown) = (leaf.hasNoValue, nil)
            return
        }
        areFewUnknown = count == 0 || DanglingKeys.areFew(count, of: values.count)
        guard areFewUnknown else {
            unknown = nil
            return
        }
        var keys = try DanglingKeys(
            EntityDraft.Reference(
                leaf: leaf, target: target.name, isMany: isMany, unknown: count),
            of: draft, filling: link.name, to: target, key: target.keyLeaf?.name ?? "",
            isRejected: false, limit: limit)
        keys?.target = link.destinationEntityName
        unknown = keys
    }
}
