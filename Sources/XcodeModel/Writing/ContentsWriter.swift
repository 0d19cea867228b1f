package import Diagnostics
package import GraphModel

/// Writes a model as the `contents` of an `.xcdatamodel` folder.
///
/// What a model file cannot say is told in warnings: rules over whole objects, searchable text,
/// defaults of binaries, more than one version identifier.
package struct ContentsWriter {
    /// What Xcode writes into every model it makes.
    static let usualAttributes: [(String, String)] = [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
        ("minimumToolsVersion", "Automatic"), ("sourceLanguage", "Swift"),
    ]

    private let model: ManagedObjectModel
    private var diagnostics: [Diagnostic] = []

    /// The file's text, and what it does not say.
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
        for (name, usual) in Self.usualAttributes {
            root.set(name, extras.removeValue(forKey: name) ?? usual)
        }
        root.set("userDefinedModelVersionIdentifier", model.versionIdentifiers.first ?? "")
        if model.versionIdentifiers.count > 1 {
            warn("version", "more than one version identifier")
        }
        var configurations = configurations(&extras)
        root.set(extras.filter { !$0.key.contains(".") })
        // As Xcode has them: entities, then all else, by name.
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

    /// Takes away names and characters that XML has no place for.
    private mutating func dropUnwritable(_ element: inout XMLElement, _ path: String) {
        let path = element["name"].map { path == "model" ? $0 : "\(path).\($0)" } ?? path
        for attribute in element.attributes where !XMLWriter.isWritable(attribute.value) {
            warn(path, "the control characters of '\(attribute.name)'")
        }
        for attribute in element.attributes where !XMLReader.isName(attribute.name) {
            warn(path, "'\(attribute.name)', which is no XML name")
        }
        element.attributes.removeAll { !XMLReader.isName($0.name) }
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

extension ContentsWriter {
    // MARK: Properties

    private mutating func attribute(
        _ attribute: AttributeDescription, of owner: String
    ) -> XMLElement {
        let path = "\(owner).\(attribute.name)"
        var extras = attribute.extras
        var element = XMLElement(
            "attribute",
            [
                ("name", attribute.name), ("optional", yes(attribute.isOptional)),
                ("transient", yes(attribute.isTransient)),
                ("attributeType", attribute.type == .undefined ? nil : attribute.type.rawValue),
                ("composite", attribute.compositeName),
                ("valueTransformerName", transformerName(attribute)),
                ("derived", yes(attribute.derivationExpression != nil)),
                ("derivationExpression", attribute.derivationExpression),
            ])
        for (name, text, isSame) in valueTexts(attribute, path) {
            let kept = extras.removeValue(forKey: name)
            // Xcode's own spelling of the same value is kept.
            element.set(name, kept.flatMap { text == nil || isSame($0) ? $0 : nil } ?? text)
        }
        let kept = extras.removeValue(forKey: "usesScalarValueType")
        let usual = attribute.type.usuallyUsesScalar.map { $0 ? "YES" : "NO" }
        element.set("usesScalarValueType", kept ?? usual)
        element.set(
            "allowsExternalBinaryDataStorage", yes(attribute.allowsExternalBinaryDataStorage))
        element.set("preserveAfterDeletion", yes(attribute.preservesValueInHistoryOnDeletion))
        element.set("elementID", attribute.renamingIdentifier)
        element.set("versionHashModifier", attribute.versionHashModifier)
        element.set(extras)
        element.children = userInfo(attribute.userInfo)
        if attribute.isSearchable { warn(path, "that text is searchable") }
        if attribute.externalStorageThreshold != nil {
            warn(path, "a threshold of external storage")
        }
        return element
    }

    private func transformerName(_ attribute: AttributeDescription) -> String? {
        attribute.transformerName.map {
            $0 == "secure-archive" ? TransformerNames.secureArchive : $0
        }
    }

    /// Names and texts of default and rules, and whether another text says the same.
    private mutating func valueTexts(
        _ attribute: AttributeDescription, _ path: String
    ) -> [(name: String, text: String?, isSame: (String) -> Bool)] {
        let type = attribute.type
        let isDate = type == .date
        let bounds = type == .string ? attribute.length : attribute.range
        let number = { (value: Double?) -> String? in
            value.map {
                isDate || type == .string
                    ? ContentsText.whole($0) : ContentsText.text($0, of: type)
            }
        }
        let defaultText = attribute.defaultValue.flatMap { AttributeContents.text($0, of: type) }
        if attribute.defaultValue != nil, defaultText == nil { warn(path, "its default value") }
        return [
            (
                isDate ? "defaultDateTimeInterval" : "defaultValueString", defaultText,
                { ContentsText.defaultValue($0, of: type) == attribute.defaultValue }
            ),
            (
                isDate ? "minDateTimeInterval" : "minValueString", number(bounds?.minimum),
                { ContentsText.number($0) == bounds?.minimum }
            ),
            (
                isDate ? "maxDateTimeInterval" : "maxValueString", number(bounds?.maximum),
                { ContentsText.number($0) == bounds?.maximum }
            ),
            ("regularExpressionString", attribute.pattern, { $0 == attribute.pattern }),
        ]
    }

    private func relationship(_ relationship: RelationshipDescription) -> XMLElement {
        var extras = relationship.extras
        let inverseEntity =
            extras.removeValue(forKey: "inverseEntity")
            ?? relationship.inverseName.map { _ in relationship.destinationEntityName }
        let count = { (number: Int) in number == 0 ? nil : String(number) }
        var element = XMLElement(
            "relationship",
            [
                ("name", relationship.name), ("optional", yes(relationship.isOptional)),
                ("toMany", yes(relationship.isToMany)),
                ("minCount", count(relationship.minimumCount)),
                ("maxCount", count(relationship.maximumCount)),
                ("deletionRule", relationship.deleteRule.contentsText),
                ("ordered", yes(relationship.isOrdered)),
                ("destinationEntity", relationship.destinationEntityName),
                ("inverseName", relationship.inverseName), ("inverseEntity", inverseEntity),
                ("elementID", relationship.renamingIdentifier),
                ("versionHashModifier", relationship.versionHashModifier),
            ])
        element.set(extras)
        element.children = userInfo(relationship.userInfo)
        return element
    }

    private func fetchedProperty(_ property: FetchedPropertyDescription) -> XMLElement {
        var element = XMLElement(
            "fetchedProperty",
            [
                ("name", property.name), ("optional", yes(property.isOptional)),
                ("elementID", property.renamingIdentifier),
            ])
        element.set(property.extras)
        element.children = [request(property.request)] + userInfo(property.userInfo)
        return element
    }

    private func request(_ template: FetchRequestTemplate) -> XMLElement {
        var element = XMLElement(
            "fetchRequest",
            [
                ("name", template.name), ("entity", template.entityName),
                ("predicateString", template.predicate),
                ("fetchLimit", template.fetchLimit.map(String.init)),
            ])
        element.set(template.extras)
        return element
    }

    private func userInfo(_ info: [String: String]) -> [XMLElement] {
        guard !info.isEmpty else { return [] }
        let entries = info.sorted { $0.key < $1.key }
            .map { XMLElement("entry", [("key", $0.key), ("value", $0.value)]) }
        return [XMLElement("userInfo", [], entries)]
    }

    /// `YES`, or nothing, as Xcode writes.
    private func yes(_ flag: Bool) -> String? {
        flag ? "YES" : nil
    }
}

extension XMLElement {
    /// Adds or replaces an attribute; nil adds none.
    mutating func set(_ name: String, _ value: String?) {
        guard let value else { return }
        if let index = attributes.firstIndex(where: { $0.name == name }) {
            attributes[index].value = value
        } else {
            attributes.append(Attribute(name: name, value: value, line: 0, column: 0))
        }
    }

    /// Adds the attributes that it does not have yet, by name.
    mutating func set(_ extras: [String: String]) {
        for (name, value) in extras.sorted(by: { $0.key < $1.key }) where self[name] == nil {
            set(name, value)
        }
    }
}
