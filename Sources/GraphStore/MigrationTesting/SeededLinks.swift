import GraphModel

/// A generator of links between a store's objects that satisfies the model's counts.
struct SeededLinks {
    private let model: ManagedObjectModel
    private let values: SeededValues
    private let objects: [String: [ManagedObject]]

    /// Creates a generator of links.
    ///
    /// - Parameter objects: The objects, by concrete entity.
    init(
        _ model: ManagedObjectModel, _ values: SeededValues, _ objects: [String: [ManagedObject]]
    ) {
        self.model = model
        self.values = values
        self.objects = objects
    }

    func make() throws {
        var done: Set<String> = []
        for entity in model.entities {
            for relationship in model.ownRelationships(of: entity) {
                let name = "\(entity.name).\(relationship.name)"
                guard !done.contains(name) else { continue }
                let inverse = relationship.inverseName.flatMap {
                    model.relationship($0, of: relationship.destinationEntityName)
                }
                if let inverse {
                    let owner = model.declaringEntityName(
                        of: inverse.name, in: relationship.destinationEntityName)
                    done.insert("\(owner ?? relationship.destinationEntityName).\(inverse.name)")
                }
                let link = Link(
                    name: name, relationship: relationship, inverse: inverse,
                    sources: all(entity.name), targets: all(relationship.destinationEntityName))
                guard !link.sources.isEmpty, !link.targets.isEmpty else { continue }
                try make(link)
            }
        }
    }

    /// Returns the objects of an entity and its descendants.
    private func all(_ entity: String) -> [ManagedObject] {
        model.family(of: entity).flatMap { objects[$0.name] ?? [] }
    }

    /// A relationship with the objects at both ends.
    private struct Link {
        let name: String
        let relationship: RelationshipDescription
        let inverse: RelationshipDescription?
        let sources, targets: [ManagedObject]
    }

    private func make(_ link: Link) throws {
        let (relationship, inverse) = (link.relationship, link.inverse)
        switch (relationship.isToMany, inverse?.isToMany) {
        case (false, false?): try pair(link)
        case (false, _):
            let ones = link.targets
            for (one, many) in groups(link.sources, ones, relationship, inverse, link.name) {
                for object in many {
                    try object.setValue(.object(ones[one]), forKey: relationship.name)
                }
            }
        case (true, true?): try cross(link)
        case (true, _):
            let ones = link.sources
            for (one, many) in groups(link.targets, ones, inverse, relationship, link.name) {
                try ones[one].setValue(.objects(many), forKey: relationship.name)
            }
        }
    }

    /// Links objects one to one.
    private func pair(_ link: Link) throws {
        let isOptional = link.relationship.isOptional && link.inverse?.isOptional ?? true
        let isOneEntity = link.sources.elementsEqual(link.targets, by: ===)
        let count = min(link.sources.count, link.targets.count)
        for place in 0..<count {
            guard !isOneEntity || place % 2 == 0, !isOneEntity || place + 1 < count else {
                continue
            }
            let target = link.targets[isOneEntity ? place + 1 : place]
            guard link.sources[place] !== target,
                !isOptional || values.number(below: 4, for: link.name, place) > 0
            else { continue }
            try link.sources[place].setValue(.object(target), forKey: link.relationship.name)
        }
    }

    /// Returns the objects that link to each single object.
    ///
    /// They are distributed evenly. If both ends are the same entity, they form a tree.
    ///
    /// - Parameters:
    ///   - toOne: The relationship to the single object; `nil` if it does not exist.
    ///   - toMany: The relationship from the single object; `nil` if it does not exist.
    private func groups(
        _ many: [ManagedObject], _ ones: [ManagedObject], _ toOne: RelationshipDescription?,
        _ toMany: RelationshipDescription?, _ name: String
    ) -> [(one: Int, many: [ManagedObject])] {
        let least = max(1, toMany?.minimumCount ?? 0)
        let isRequired = !(toMany?.isOptional ?? true)
        let most = (toMany?.maximumCount).flatMap { $0 > 0 ? $0 : nil } ?? .max
        // If there are too few objects for all, some get none and the others get enough.
        let width = isRequired ? ones.count : max(1, min(ones.count, many.count / least))
        let isTree = toOne?.isOptional ?? true && many.elementsEqual(ones, by: ===)
        let branches = min(most, max(3, least))
        var groups = [[ManagedObject]](repeating: [], count: ones.count)
        for (place, object) in many.enumerated() {
            var one = isTree ? (place - 1) / branches : place % width
            if isTree, place == 0 { continue }
            if ones[one] === object { one = (one + 1) % width }
            guard ones[one] !== object || toOne?.isOptional == false, groups[one].count < most
            else { continue }
            // Leave some objects without a link if the model allows it at both ends.
            if toOne?.isOptional ?? true, !isRequired, least == 1,
                values.number(below: 4, for: name, place) == 0
            {
                continue
            }
            groups[one].append(object)
        }
        return groups.enumerated().filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    }

    /// Links a few objects at both ends of a many-to-many relationship.
    private func cross(_ link: Link) throws {
        guard let inverse = link.inverse else { return }
        let isReflexive =
            link.relationship.name == inverse.name
            && link.sources.elementsEqual(link.targets, by: ===)
        let there = limits(link.relationship)
        let here = limits(inverse)
        var lists = [[Int]](repeating: [], count: link.sources.count)
        var counts = [Int](repeating: 0, count: link.targets.count)
        func add(_ source: Int, _ target: Int) {
            guard link.sources[source] !== link.targets[target],
                !lists[source].contains(target), lists[source].count < there.most,
                counts[target] < here.most
            else { return }
            lists[source].append(target)
            counts[target] += 1
            guard isReflexive, !lists[target].contains(source) else { return }
            lists[target].append(source)
            counts[source] += 1
        }
        for source in link.sources.indices {
            let wanted = max(there.least, values.number(below: 4, for: link.name, source))
            let first = values.number(
                below: link.targets.count, for: link.name, source, round: 1)
            for step in 0..<link.targets.count where lists[source].count < wanted {
                add(source, (first + step) % link.targets.count)
            }
        }
        for target in link.targets.indices {
            for source in link.sources.indices where counts[target] < here.least {
                add((source + target) % link.sources.count, target)
            }
        }
        for (source, list) in lists.enumerated() where !list.isEmpty {
            try link.sources[source].setValue(
                .objects(list.map { link.targets[$0] }), forKey: link.relationship.name)
        }
    }

    private func limits(_ relationship: RelationshipDescription) -> (least: Int, most: Int) {
        let least = max(relationship.isOptional ? 0 : 1, relationship.minimumCount)
        return (least, relationship.maximumCount > 0 ? relationship.maximumCount : .max)
    }
}
