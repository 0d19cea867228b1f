import Diagnostics

/// Lints for composites, named requests, and fetched properties.
extension ModelLints {
    func checkTemplates() {
        for (template, place) in zip(declared.fetchRequestTemplates, declared.templatePlaces) {
            checkRequest(template, place)
        }
    }

    func checkFetchedProperties(_ entity: EntityDeclaration) {
        let own = zip(entity.description.fetchedProperties, entity.fetchedPlaces)
        for (property, place) in own { checkRequest(property.request, place) }
    }

    private func checkRequest(_ template: FetchRequestTemplate, _ place: SourceLocation) {
        if entities[template.entityName] == nil { unknownEntity(template.entityName, place) }
    }

    func checkComposites() {
        checkSize()
        let names = declared.composites.map(\.name)
        for entity in declared.entities {
            for (attribute, place) in entity.placedAttributes {
                checkComposite(of: attribute, names, place)
            }
            checkDefaults(entity)
        }
        for (composite, places) in zip(declared.composites, declared.compositePlaces) {
            var seen: Set<String> = []
            for (attribute, place) in zip(composite.attributes, places) {
                checkElementName(attribute.name, place)
                if !seen.insert(attribute.name).inserted {
                    error(
                        "duplicate-name",
                        "'\(composite.name)' has the element '\(attribute.name)' already", place)
                }
                checkComposite(of: attribute, names, place)
                guard let inner = attribute.compositeName, reaches(composite.name, from: inner)
                else { continue }
                error(
                    "composite-cycle", "'\(composite.name)' contains itself by '\(attribute.name)'",
                    place)
            }
        }
    }

    private func checkComposite(
        of attribute: AttributeDescription, _ names: [String], _ place: SourceLocation
    ) {
        guard let name = attribute.compositeName, !names.contains(name),
            !declared.misspelled.contains("composites")
        else { return }
        error(
            "unknown-composite",
            "No composite is named '\(name)'" + Suggestion.phrase(for: name, among: names), place)
    }

    /// Warns if a new object has a default for one element of a composite, but not for a required
    /// one.
    ///
    /// The object cannot be saved without a value for the required one.
    private func checkDefaults(_ entity: EntityDeclaration) {
        let elements = attributes(entity)
        var told: Set<String> = []
        for (element, place) in elements
        where element.defaultValue == nil && !element.isTransient {
            guard let whole = element.requiredBeside, told.insert(whole).inserted,
                let given = elements.first(where: {
                    $0.attribute.name.isElement(of: whole) && $0.attribute.defaultValue != nil
                        && !$0.attribute.isTransient
                })
            else { continue }
            warn(
                "composite-default",
                "A new '\(entity.name)' has '\(given.attribute.name)' by its default, and is"
                    + " rejected without '\(element.name)', which it requires and which has no"
                    + " default",
                place,
                fix: "give both a default, or neither, or make '\(element.name)' optional")
        }
    }

    /// Reports the first attribute that exceeds the maximum number of elements.
    private func checkSize() {
        var total = 0
        for entity in declared.entities {
            for (attribute, place) in entity.placedAttributes where attribute.type == .composite {
                total += elements.size(of: attribute)
                guard total > CompositeElements.elementsMax else { continue }
                let problem = ModelError(.compositeTooLarge(attribute: attribute.name))
                return error("composite-size", problem.description, place)
            }
        }
    }

    private func reaches(_ wanted: String, from start: String) -> Bool {
        var seen: Set<String> = []
        var open = [start]
        while let name = open.popLast() {
            if name == wanted { return true }
            guard seen.insert(name).inserted else { continue }
            let inner = declared.composites.first { $0.name == name }
            open += inner?.attributes.compactMap(\.compositeName) ?? []
        }
        return false
    }
}
