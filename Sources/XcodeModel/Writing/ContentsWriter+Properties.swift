import GraphModel

/// The elements of properties: attributes, relationships, and fetched properties with their
/// requests.
extension ContentsWriter {
    mutating func attribute(
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
                ("valueTransformerName", attribute.xcodeTransformerName),
                ("derived", yes(attribute.derivationExpression != nil)),
                ("derivationExpression", attribute.derivationExpression),
            ])
        for (name, text, isSame) in valueTexts(attribute, path) {
            let kept = extras.removeValue(forKey: name)
            // Keep Xcode's own spelling of the same value.
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
        if !attribute.validationRules.isEmpty { warn(path, "its validation predicates") }
        if attribute.isSearchable { warn(path, "that text is searchable") }
        if attribute.externalStorageThreshold != nil {
            warn(path, "a threshold of external storage")
        }
        return element
    }

    /// Returns the XML attributes for the default value and the rules, with their names and texts.
    ///
    /// `isSame` returns whether another text has the same meaning, so that the original text can be
    /// kept.
    private mutating func valueTexts(
        _ attribute: AttributeDescription, _ path: String
    ) -> [(name: String, text: String?, isSame: (String) -> Bool)] {
        let type = attribute.type
        let isDate = type == .date
        let bounds = type == .string ? attribute.length : attribute.range
        let number = { (value: Double?) -> String? in
            value.map {
                isDate || type == .string
                    ? ScalarText.whole($0) : ContentsText.text($0, of: type)
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

    func relationship(_ relationship: RelationshipDescription) -> XMLElement {
        var extras = relationship.extras
        let inverseEntity =
            extras.removeValue(forKey: "inverseEntity")
            ?? relationship.inverseName.map { _ in relationship.destinationEntityName }
        let count = { (number: Int) in number == 0 ? nil : String(number) }
        var element = XMLElement(
            "relationship",
            [
                ("name", relationship.name), ("optional", yes(relationship.isOptional)),
                ("transient", yes(relationship.isTransient)),
                ("toMany", yes(relationship.isToMany)),
                ("minCount", count(relationship.minimumCount)),
                (
                    "maxCount",
                    extras.removeValue(forKey: "maxCount") ?? count(relationship.maximumCount)
                ),
                (
                    "deletionRule",
                    extras.removeValue(forKey: "deletionRule")
                        ?? relationship.deleteRule.contentsText
                ),
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

    func fetchedProperty(_ property: FetchedPropertyDescription) -> XMLElement {
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

    func request(_ template: FetchRequestTemplate) -> XMLElement {
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

    func userInfo(_ info: [String: String]) -> [XMLElement] {
        guard !info.isEmpty else { return [] }
        let entries = info.sorted { $0.key < $1.key }
            .map { XMLElement("entry", [("key", $0.key), ("value", $0.value)]) }
        return [XMLElement("userInfo", [], entries)]
    }

    /// Returns `YES`, or `nil` to write nothing, as Xcode does.
    func yes(_ flag: Bool) -> String? {
        flag ? "YES" : nil
    }
}
