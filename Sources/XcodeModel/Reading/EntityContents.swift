import GraphModel

/// A reader of `entity` elements.
enum EntityContents {
    private static let children: Set<String> = [
        "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints",
        "compoundIndexes", "userInfo",
    ]

    /// Reads an entity; returns `nil` and reports the problem if it has no name.
    static func read(_ element: XMLElement, _ problems: ContentsProblems) -> EntityDeclaration? {
        var source = ElementAttributes(element, "", problems)
        guard let name = source.name("An entity") else { return nil }
        source.keyPath = name
        var entity = EntityDescription(name: name)
        entity.superentityName = source.filled("parentEntity")
        entity.isAbstract = source.flag("isAbstract")
        entity.renamingIdentifier = source.filled("elementID")
        entity.versionHashModifier = source.filled("versionHashModifier")
        entity.userInfo = source.userInfo()
        readClass(&source, &entity)
        // Xcode writes `YES` for every entity, so only another value or its absence is kept.
        if source.text("syncable") != "YES" {
            source.keep("syncable", as: element["syncable"] ?? "")
        }
        var declared = EntityDeclaration(
            description: entity, place: source.place("name"),
            parentPlace: entity.superentityName.map { _ in source.place("parentEntity") })
        readProperties(element, name, problems, &declared)
        for index in element.children(named: "fetchIndex") {
            readIndex(index, name, problems, &declared)
        }
        readConstraints(element, name, problems, &declared)
        readCompoundIndexes(&source)
        source.warnAboutChildren(except: children)
        declared.description.extras = source.extras
        return declared
    }

    /// Reads the class: `nil` means the entity's own name; no class means `NSManagedObject`.
    private static func readClass(
        _ source: inout ElementAttributes, _ entity: inout EntityDescription
    ) {
        switch source.filled("representedClassName") {
        case nil: entity.managedObjectClassName = "NSManagedObject"
        case entity.name: entity.managedObjectClassName = nil
        case let name?: entity.managedObjectClassName = name
        }
    }

    private static func readProperties(
        _ element: XMLElement, _ name: String, _ problems: ContentsProblems,
        _ declared: inout EntityDeclaration
    ) {
        for child in element.children {
            switch child.name {
            case "attribute":
                guard let attribute = AttributeContents.read(child, name, problems) else {
                    continue
                }
                declared.description.ownAttributes.append(attribute)
                declared.attributePlaces.append(problems.place(child, "\(name).\(attribute.name)"))
            case "relationship":
                guard let read = RelationshipContents.read(child, name, problems) else { continue }
                declared.description.ownRelationships.append(read.description)
                declared.relationshipPlaces.append(read.places)
            case "fetchedProperty":
                guard let property = RequestContents.property(child, name, problems) else {
                    continue
                }
                declared.description.fetchedProperties.append(property)
                declared.fetchedPlaces.append(problems.place(child, "\(name).\(property.name)"))
            default: break
            }
        }
    }

    private static func readIndex(
        _ element: XMLElement, _ owner: String, _ problems: ContentsProblems,
        _ declared: inout EntityDeclaration
    ) {
        var source = ElementAttributes(element, owner, problems)
        guard let name = source.name("An index of '\(owner)'") else { return }
        var index = FetchIndexDescription(name: name, elements: [])
        index.partialIndexPredicate =
            source.filled("partialIndexPredicate") ?? source.filled("predicateString")
        var places: [PlacedName] = []
        for child in element.children(named: "fetchIndexElement") {
            var source = ElementAttributes(child, "\(owner).\(name)", problems)
            let property = source.filled("property")
            guard let text = property ?? source.filled("expression") else {
                problems.warn(
                    "index", "An element of the index '\(name)' names no property; it is left out",
                    source.place(nil))
                continue
            }
            index.elements.append(
                .init(
                    propertyName: text,
                    isAscending: source.text("order")?.lowercased() != "descending",
                    collation: FetchIndexDescription.Collation.allCases.first {
                        $0.rawValue.lowercased() == source.text("type")?.lowercased()
                    } ?? .binary,
                    isExpression: property == nil))
            if property != nil {
                places.append(PlacedName(name: text, place: source.place("property")))
            }
        }
        declared.description.indexes.append(index)
        declared.indexElements.append(places)
        declared.indexPredicatePlaces.append(source.place(nil))
    }

    private static func readConstraints(
        _ element: XMLElement, _ owner: String, _ problems: ContentsProblems,
        _ declared: inout EntityDeclaration
    ) {
        let constraints = element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
        for constraint in constraints {
            let names = constraint.children(named: "constraint").compactMap { child in
                child["value"].map { value in
                    PlacedName(
                        name: value,
                        place: problems.place(child, attribute: "value", "\(owner).unique"))
                }
            }
            guard !names.isEmpty else { continue }
            declared.constraints.append(names)
            declared.description.uniquenessConstraints.append(names.map(\.name))
        }
    }

    /// Keeps the compound indexes, the predecessors of fetch indexes, as one string: `a,b;c,d`.
    private static func readCompoundIndexes(_ source: inout ElementAttributes) {
        let indexes = source.element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { $0.children(named: "index").compactMap { $0["value"] }.joined(separator: ",") }
            .filter { !$0.isEmpty }
        guard !indexes.isEmpty else { return }
        source.keep("compoundIndexes", as: indexes.joined(separator: ";"))
    }
}
