internal import YAML

/// The YAML of attributes and relationships.
extension ModelYAMLWriter {
    static func attribute(_ attribute: AttributeDescription) -> YAMLOutput {
        let type = YAMLOutput.text(attribute.type.rawValue)
        var entries: [(String, YAMLOutput)] = [("type", type)]
        append(attribute.compositeName, "composite", to: &entries)
        if !attribute.isOptional { entries.append(("optional", .plain("false"))) }
        if attribute.isTransient { entries.append(("transient", .plain("true"))) }
        if let value = attribute.defaultValue.flatMap({ output($0, of: attribute.type) }) {
            entries.append(("default", value))
        }
        if let range = attribute.range {
            entries.append(("range", .text(text(of: range) { number($0, of: attribute.type) })))
        }
        if let length = attribute.length {
            entries.append(("length", .text(text(of: length, ScalarText.whole))))
        }
        append(attribute.pattern, "pattern", to: &entries)
        append(attribute.derivationExpression, "derived", to: &entries)
        if attribute.allowsExternalBinaryDataStorage {
            entries.append(("external", .plain("true")))
        }
        if let threshold = attribute.externalStorageThreshold {
            entries.append(("external-threshold", .plain("\(threshold)")))
        }
        if attribute.preservesValueInHistoryOnDeletion {
            entries.append(("preserve-on-delete", .plain("true")))
        }
        append(attribute.transformerName, "transformer", to: &entries)
        if attribute.isSearchable { entries.append(("searchable", .plain("true"))) }
        append(attribute.renamingIdentifier, "renamed-from", to: &entries)
        append(attribute.versionHashModifier, "hash-modifier", to: &entries)
        append(attribute.userInfo, "info", to: &entries)
        var extras = attribute.extras
        if attribute.valueTypeName != nil {
            append(
                extras.removeValue(forKey: AttributeDescription.valueTypeKey), "value-type",
                to: &entries)
        }
        append(extras, "xcode", to: &entries)
        return entries.count == 1 ? type : .mapping(entries)
    }

    static func relationship(_ relationship: RelationshipDescription) -> YAMLOutput {
        var entries: [(String, YAMLOutput)] = [
            ("to", .text(relationship.destinationEntityName))
        ]
        if relationship.isToMany { entries.append(("many", .plain("true"))) }
        append(relationship.inverseName, "inverse", to: &entries)
        if relationship.deleteRule != .nullify {
            entries.append(("delete", .text(relationship.deleteRule.rawValue)))
        }
        if relationship.isTransient { entries.append(("transient", .plain("true"))) }
        if relationship.isOrdered { entries.append(("ordered", .plain("true"))) }
        let maximum = relationship.maximumCount
        if relationship.minimumCount != 0 || maximum != (relationship.isToMany ? 0 : 1) {
            let end = maximum == 0 ? "" : "\(maximum)"
            entries.append(("count", .text("\(relationship.minimumCount)..\(end)")))
        }
        if !relationship.isOptional { entries.append(("optional", .plain("false"))) }
        append(relationship.renamingIdentifier, "renamed-from", to: &entries)
        append(relationship.versionHashModifier, "hash-modifier", to: &entries)
        append(relationship.userInfo, "info", to: &entries)
        append(relationship.extras, "xcode", to: &entries)
        return .mapping(entries)
    }

    // MARK: Values

    private static func text(of range: NumberRange, _ number: (Double) -> String) -> String {
        (range.minimum.map(number) ?? "") + ".." + (range.maximum.map(number) ?? "")
    }

    /// Returns a range in YAML syntax.
    static func text(of range: NumberRange, type: AttributeType) -> String {
        text(of: range) { number($0, of: type) }
    }

    /// Returns a default value in YAML syntax.
    static func text(of value: StoredValue, type: AttributeType) -> String {
        switch output(value, of: type) {
        case .plain(let text): text
        case .text(let text): YAMLWriter.scalar(text)
        default: "null"
        }
    }

    private static func number(_ number: Double, of type: AttributeType) -> String {
        type == .date ? ScalarText.isoDate(number) : ScalarText.whole(number)
    }

    private static func output(_ value: StoredValue, of type: AttributeType) -> YAMLOutput? {
        switch (value, type) {
        case (.null, _): nil
        case (.integer(let number), .boolean): .plain(number == 0 ? "false" : "true")
        case (.integer(let number), .date): .text(ScalarText.isoDate(Double(number)))
        case (.integer(let number), _): .plain(String(number))
        case (.real(let seconds), .date): .text(ScalarText.isoDate(seconds))
        case (.real(let number), .float): .plain("\(Float(number))")
        case (.real(let number), _): .plain("\(number)")
        case (.text(let text), _): .text(text)
        case (.blob(let bytes), .uuid):
            .text(bytes.withUnsafeBufferPointer(ScalarText.uuidText))
        case (.blob(let bytes), _):
            .text(bytes.withUnsafeBufferPointer(ScalarText.base64Text))
        }
    }
}
