import GraphModel

/// The parts of a model other than entities and columns: requests, fetched properties,
/// configurations, and indexes.
extension CachedModelReader {
    // MARK: Requests

    /// Returns the model's named requests, sorted by name.
    mutating func templates(_ root: ArchivedNode, _ names: Set<String>) -> [FetchRequestTemplate] {
        var templates: [FetchRequestTemplate] = []
        for (key, node) in root["NSFetchRequestTemplates"]?.entries ?? [] {
            guard let name = key.text,
                let template = template(name, node, "The request '\(name)'")
            else { continue }
            guard names.contains(template.entityName) else {
                leaveOut(
                    "The request '\(name)' is for '\(template.entityName)', which the model does not"
                        + " have")
                continue
            }
            templates.append(template)
        }
        return templates.sorted { $0.name < $1.name }
    }

    mutating func fetchedProperty(
        _ node: ArchivedNode, _ name: String, _ request: ArchivedNode, of entity: String
    ) -> FetchedPropertyDescription? {
        guard
            let template = template(
                FetchedPropertyDescription.requestName, request, "\(entity).\(name)")
        else { return nil }
        return FetchedPropertyDescription(
            name: name, request: template, isOptional: node.isTrue("NSIsOptional"),
            renamingIdentifier: Self.renaming(node, name), userInfo: Self.userInfo(node))
    }

    /// Reads a request, and leaves it out if its predicate cannot be read.
    ///
    /// Without the predicate, it would return other objects.
    private mutating func template(
        _ name: String, _ node: ArchivedNode, _ what: String
    ) -> FetchRequestTemplate? {
        guard let entity = node["NSEntity"]?["NSEntityName"]?.text ?? node["NSEntityName"]?.text
        else {
            leaveOut("\(what) names no entity")
            return nil
        }
        let predicate = node["NSPredicate"].map(ArchivedPredicate.text)
        if case .some(.none) = predicate {
            leaveOut("\(what) has a predicate that cannot be read")
            return nil
        }
        let limit = node["NSFetchLimit"]?.integer ?? 0
        let batch = node["NSBatchSize"]?.integer ?? 0
        return FetchRequestTemplate(
            name: name, entityName: entity, predicate: predicate ?? nil,
            fetchLimit: limit > 0 ? Int(limit) : nil,
            sortDescriptors: (node["NSSortDescriptors"]?.items ?? []).compactMap(Self.sorting),
            extras: batch > 0 ? ["fetchBatchSize": "\(batch)"] : [:])
    }

    private static func sorting(_ node: ArchivedNode) -> GraphSortDescriptor? {
        guard let path = node["NSKey"]?.text else { return nil }
        let selector = node["NSSelector"]?.text
        var sorting = GraphSortDescriptor(
            path.keyPath, ascending: node.isTrue("NSAscending"),
            textOrder: GraphSortDescriptor.TextOrder.allCases.first { $0.selector == selector }
                ?? .binary)
        if node.isTrue("NSReverseNullOrder") {
            sorting.nullOrder = sorting.nullOrder == .first ? .last : .first
        }
        return sorting
    }

    /// Returns the entities of each configuration.
    static func configurations(_ root: ArchivedNode, _ names: Set<String>) -> [String: [String]] {
        var configurations: [String: [String]] = [:]
        for (key, node) in root["NSConfigurations"]?.entries ?? [] {
            guard let name = key.text, let entities = node.items else { continue }
            configurations[name] = entities.compactMap { $0["NSEntityName"]?.text }
                .filter(names.contains).sorted()
        }
        return configurations
    }

    // MARK: Indexes

    /// Returns the indexes that an entity declares itself.
    mutating func indexes(
        _ node: ArchivedNode, of entity: String, inheriting parent: ArchivedNode?
    ) -> [FetchIndexDescription] {
        func name(_ index: ArchivedNode) -> String? { index["NSIndexName"]?.text }
        let inherited = Set(
            (parent?["NSFetchIndexDescriptions"]?.items ?? []).compactMap(name))
        var indexes: [FetchIndexDescription] = []
        for item in node["NSFetchIndexDescriptions"]?.items ?? [] {
            guard let name = name(item), Self.isName(name) else {
                leaveOut("An index of '\(entity)' has a name that cannot be read")
                continue
            }
            guard !inherited.contains(name) else { continue }
            let predicate = item["NSPartialIndexPredicate"].map(ArchivedPredicate.text)
            let elements = (item["NSIndexElements"]?.items ?? []).map(Self.element)
            let known = elements.compactMap(\.self)
            guard !known.isEmpty, known.count == elements.count else {
                leaveOut("The index '\(name)' of '\(entity)' has elements that cannot be read")
                continue
            }
            if case .some(.none) = predicate {
                leaveOut("The index '\(name)' of '\(entity)' has a predicate that cannot be read")
                continue
            }
            indexes.append(
                FetchIndexDescription(
                    name: name, elements: known, partialIndexPredicate: predicate ?? nil))
        }
        return indexes
    }

    private static func element(_ node: ArchivedNode) -> FetchIndexDescription.Element? {
        let isAscending = node["NSAscending"] == nil || node.isTrue("NSAscending")
        let collation: FetchIndexDescription.Collation =
            node["NSFetchIndexElementType"]?.integer == 1 ? .rTree : .binary
        // An element is a property's name, or an expression in a separate property description.
        let expression = node["NSIndexedProperty"]?["NSExpression"].flatMap {
            ArchivedExpression.text(of: $0)
        }
        guard let text = expression ?? node["NSPropertyName"]?.text else { return nil }
        return FetchIndexDescription.Element(
            propertyName: text, isAscending: isAscending, collation: collation,
            isExpression: expression != nil)
    }

    /// Removes indexes over properties that do not exist or were left out.
    mutating func leaveOutIndexes(of entities: inout [EntityDescription]) {
        let all = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        for place in entities.indices {
            var names: Set<String> = []
            var seen: Set<String> = []
            var next: EntityDescription? = entities[place]
            // A cycle of parents is reported when the model is created.
            while let entity = next, seen.insert(entity.name).inserted {
                names.formUnion(entity.ownAttributes.map(\.name))
                names.formUnion(entity.ownRelationships.filter { !$0.isToMany }.map(\.name))
                next = entity.superentityName.flatMap { all[$0] }
            }
            func isThere(_ index: FetchIndexDescription) -> Bool {
                index.propertyNames.isSubset(of: names)
            }
            for index in entities[place].indexes where !isThere(index) {
                leaveOut(
                    "The index '\(index.name)' of '\(entities[place].name)' is over a property that"
                        + " the model does not have")
            }
            entities[place].indexes.removeAll { !isThere($0) }
        }
    }

    /// Removes the parts that the model compiler adds for an index over one attribute.
    ///
    /// These are a second index with the attribute's name, and the attribute's flag.
    func leaveOutImpliedIndexes(of entity: inout EntityDescription) {
        let indexes = entity.indexes
        for place in entity.ownAttributes.indices {
            let name = entity.ownAttributes[place].name
            guard entity.ownAttributes[place].extras["indexed"] == "YES",
                indexes.contains(where: { $0.soleAttribute(of: entity) == name })
            else { continue }
            entity.ownAttributes[place].extras["indexed"] = nil
            let hasOther = indexes.contains {
                $0.name != name && $0.soleAttribute(of: entity) == name
            }
            if hasOther { entity.indexes.removeAll { $0.name == name } }
        }
    }

    /// Returns the compound indexes, the predecessors of fetch indexes, in the format of Xcode
    /// models: `a,b;c,d`.
    ///
    /// In this list, archives repeat fetch indexes over several properties; these are omitted.
    static func compoundIndexes(
        _ node: ArchivedNode, inAdditionTo indexes: [FetchIndexDescription]
    ) -> [String: String] {
        let known = Set(indexes.map { $0.elements.map(\.propertyName) })
        let compound = (node["NSCompoundIndexes"]?.items ?? []).compactMap { index -> String? in
            let names = (index.items ?? []).compactMap { $0.text ?? $0["NSPropertyName"]?.text }
            return names.isEmpty || known.contains(names) ? nil : names.joined(separator: ",")
        }
        return compound.isEmpty ? [:] : ["compoundIndexes": compound.joined(separator: ";")]
    }
}

extension GraphSortDescriptor.TextOrder {
    /// The selector with which `NSSortDescriptor` compares strings.
    var selector: String {
        switch self {
        case .binary: "compare:"
        case .caseInsensitive: "caseInsensitiveCompare:"
        case .caseAndDiacriticInsensitive: "localizedCaseInsensitiveCompare:"
        case .localizedStandard: "localizedStandardCompare:"
        }
    }
}
