package import Diagnostics
package import GraphModel

/// A writer of the `contents` of an `.xcdatamodel` folder.
///
/// It warns about parts that a model file cannot express: rules over whole objects, searchable
/// text, defaults of binary attributes, and more than one version identifier.
package struct ContentsWriter {
    /// The attributes that the writer adds, unless the source recorded their absence.
    private static let addedAttributes = Set(
        ContentsText.usualAttributes.map(\.0)
            + ["syncable", "inverseEntity", "deletionRule", "maxCount", "usesScalarValueType"])

    private let model: ManagedObjectModel
    private var diagnostics: [Diagnostic] = []

    /// Returns the file's text, and a warning for each part that it omits.
    package static func text(
        of model: ManagedObjectModel
    ) -> (text: String, warnings: [Diagnostic]) {
        var writer = ContentsWriter(model: model)
        let root = writer.root()
        return (XMLWriter.text(root), writer.diagnostics)
    }

    private init(model: ManagedObjectModel) {
        self.model = model
    }

    mutating func warn(_ path: String, _ what: String) {
        diagnostics.append(
            Diagnostic(
                .warning, code: "model.not-in-xcode",
                "'\(path)': an Xcode model cannot say \(what); it is left out"))
    }

    // MARK: The model

    private mutating func root() -> XMLElement {
        var extras = model.extras
        var root = XMLElement("model")
        for (name, usual) in ContentsText.usualAttributes {
            root.set(name, extras.removeValue(forKey: name) ?? usual)
        }
        root.set("userDefinedModelVersionIdentifier", model.versionIdentifiers.first)
        if model.versionIdentifiers.count > 1 {
            warn("version", "more than one version identifier")
        }
        var configurations = configurations(&extras)
        root.set(extras.filter { !$0.key.contains(".") })
        // Xcode's order: entities, then everything else, by name.
        root.children = model.entities.sorted { $0.name < $1.name }.map { entity($0) }
        root.children += model.fetchRequestTemplates.map { request($0) }
        configurations.sort { $0["name"] ?? "" < $1["name"] ?? "" }
        root.children += configurations
        root.children += model.composites.map { composite($0) }
        if let layout = layout() { root.children.append(layout) }
        dropUnwritable(&root, "model")
        return root
    }

    private func configurations(_ extras: inout [String: String]) -> [XMLElement] {
        model.configurations.map { name, members in
            let prefix = "configuration.\(name)."
            var element = XMLElement("configuration", [("name", name)])
            element.set(
                Dictionary(
                    uniqueKeysWithValues: extras.filter { $0.key.hasPrefix(prefix) }
                        .map { (String($0.key.dropFirst(prefix.count)), $0.value) }))
            element.children = members.map { XMLElement("memberEntity", [("name", $0)]) }
            return element
        }
    }

    private mutating func composite(_ composite: CompositeDescription) -> XMLElement {
        var element = XMLElement("composite", [("name", composite.name)])
        element.set(composite.extras)
        element.children = composite.attributes.map { attribute($0, of: composite.name) }
        return element
    }

    private func layout() -> XMLElement? {
        let prefix = "element."
        let boxes = model.entities.sorted { $0.name < $1.name }.compactMap {
            entity -> XMLElement? in
            let extras = entity.extras.filter { $0.key.hasPrefix(prefix) }
            guard !extras.isEmpty else { return nil }
            var element = XMLElement("element", [("name", entity.name)])
            element.set(
                Dictionary(
                    uniqueKeysWithValues: extras.map {
                        (String($0.key.dropFirst(prefix.count)), $0.value)
                    }))
            return element
        }
        return boxes.isEmpty ? nil : XMLElement("elements", [], boxes)
    }

    /// Removes XML attributes that the source did not have, or whose text XML does not allow.
    ///
    /// Each text that XML does not allow causes a warning.
    private mutating func dropUnwritable(_ element: inout XMLElement, _ path: String) {
        element.attributes.removeAll {
            $0.value.isEmpty && Self.addedAttributes.contains($0.name)
        }
        let path = element["name"].map { path == "model" ? $0 : "\(path).\($0)" } ?? path
        for attribute in element.attributes where !XMLWriter.isWritable(attribute.value) {
            warn(path, "the control characters of '\(attribute.name)'")
        }
        for attribute in element.attributes where !XMLScanner.isName(attribute.name) {
            warn(path, "'\(attribute.name)', which is not an XML name")
        }
        element.attributes.removeAll { !XMLScanner.isName($0.name) }
        for index in element.children.indices { dropUnwritable(&element.children[index], path) }
    }

    // MARK: Entities

    private mutating func entity(_ entity: EntityDescription) -> XMLElement {
        var extras = entity.extras.filter { !$0.key.hasPrefix("element.") }
        let compound = extras.removeValue(forKey: "compoundIndexes")
        var element = XMLElement(
            "entity",
            [
                ("name", entity.name), ("representedClassName", className(entity)),
                ("parentEntity", entity.superentityName), ("isAbstract", yes(entity.isAbstract)),
                ("elementID", entity.renamingIdentifier),
                ("versionHashModifier", entity.versionHashModifier),
                ("syncable", extras.removeValue(forKey: "syncable") ?? "YES"),
            ])
        element.set(extras)
        element.children = entity.ownAttributes.map { attribute($0, of: entity.name) }
        element.children += entity.ownRelationships.map { relationship($0) }
        element.children += entity.fetchedProperties.map { fetchedProperty($0) }
        element.children += entity.indexes.map { index($0) }
        element.children += compoundIndexes(compound)
        element.children += constraints(entity)
        element.children += userInfo(entity.userInfo)
        if !entity.validationRules.isEmpty { warn(entity.name, "rules over whole objects") }
        return element
    }

    private func className(_ entity: EntityDescription) -> String? {
        switch entity.managedObjectClassName {
        case nil: entity.name
        case "NSManagedObject": nil
        case let name?: name
        }
    }

    private func index(_ index: FetchIndexDescription) -> XMLElement {
        XMLElement(
            "fetchIndex",
            [("name", index.name), ("partialIndexPredicate", index.partialIndexPredicate)],
            index.elements.map { element in
                XMLElement(
                    "fetchIndexElement",
                    [
                        (element.isExpression ? "expression" : "property", element.propertyName),
                        ("type", element.collation.rawValue),
                        ("order", element.isAscending ? "ascending" : "descending"),
                    ])
            })
    }

    private func compoundIndexes(_ text: String?) -> [XMLElement] {
        guard let text else { return [] }
        let indexes = text.split(separator: ";").map { index in
            XMLElement(
                "compoundIndex", [],
                index.split(separator: ",").map { XMLElement("index", [("value", String($0))]) })
        }
        return [XMLElement("compoundIndexes", [], indexes)]
    }

    private func constraints(_ entity: EntityDescription) -> [XMLElement] {
        guard !entity.uniquenessConstraints.isEmpty else { return [] }
        let constraints = entity.uniquenessConstraints.map { names in
            XMLElement(
                "uniquenessConstraint", [], names.map { XMLElement("constraint", [("value", $0)]) })
        }
        return [XMLElement("uniquenessConstraints", [], constraints)]
    }
}

extension XMLElement {
    /// Adds or replaces an attribute; `nil` has no effect.
    mutating func set(_ name: String, _ value: String?) {
        guard let value else { return }
        if let index = attributes.firstIndex(where: { $0.name == name }) {
            attributes[index].value = value
        } else {
            attributes.append(Attribute(name: name, value: value, line: 0, column: 0))
        }
    }

    /// Adds the attributes that the element does not have yet, sorted by name.
    mutating func set(_ extras: [String: String]) {
        for (name, value) in extras.sorted(by: { $0.key < $1.key }) where self[name] == nil {
            set(name, value)
        }
    }
}
