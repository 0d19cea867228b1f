internal import YAML

/// The YAML of attributes and relationships.
extension ModelYAMLWriter {
    static func attribute(_ attribute: AttributeDescription) -> YAMLOutput {
        let type = YAMLOutput.text(attribute.type.rawValue)
        var extras = attribute.extras
        if attribute.valueTypeName != nil { extras[AttributeDescription.valueTypeKey] = nil }
        let entries = present([
            ("type", type), ("composite", text(attribute.compositeName)),
            ("optional", mark(attribute.isOptional, unless: true)),
            ("transient", mark(attribute.isTransient)),
            ("default", attribute.defaultValue.flatMap { output($0, of: attribute.type) }),
            ("range", attribute.range.map { .text(text(of: $0, type: attribute.type)) }),
            ("length", attribute.length.map { .text(text(of: $0, ScalarText.whole)) }),
            ("pattern", text(attribute.pattern)),
            ("derived", text(attribute.derivationExpression)),
            ("external", mark(attribute.allowsExternalBinaryDataStorage)),
            ("external-threshold", attribute.externalStorageThreshold.map { .plain("\($0)") }),
            ("preserve-on-delete", mark(attribute.preservesValueInHistoryOnDeletion)),
            ("transformer", text(attribute.transformerName)),
            ("searchable", mark(attribute.isSearchable)),
            ("renamed-from", text(attribute.renamingIdentifier)),
            ("hash-modifier", text(attribute.versionHashModifier)),
            ("info", texts(attribute.userInfo)), ("value-type", text(attribute.valueTypeName)),
            ("xcode", texts(extras)),
        ])
        return entries.count == 1 ? type : .mapping(entries)
    }

    static func relationship(_ relationship: RelationshipDescription) -> YAMLOutput {
        let rule = relationship.deleteRule
        let (minimum, maximum) = (relationship.minimumCount, relationship.maximumCount)
        let isUsual = minimum == 0 && maximum == (relationship.isToMany ? 0 : 1)
        let count = isUsual ? nil : "\(minimum)..\(maximum == 0 ? "" : "\(maximum)")"
        return .mapping(
            present([
                ("to", .text(relationship.destinationEntityName)),
                ("many", mark(relationship.isToMany)), ("inverse", text(relationship.inverseName)),
                ("delete", rule == .nullify ? nil : .text(rule.rawValue)),
                ("transient", mark(relationship.isTransient)),
                ("ordered", mark(relationship.isOrdered)), ("count", text(count)),
                ("optional", mark(relationship.isOptional, unless: true)),
                ("renamed-from", text(relationship.renamingIdentifier)),
                ("hash-modifier", text(relationship.versionHashModifier)),
                ("info", texts(relationship.userInfo)), ("xcode", texts(relationship.extras)),
            ]))
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
