import Diagnostics
import YAML

/// Reads one attribute, which is a type name or a mapping.
enum AttributeReader {
    /// Reads an attribute, even if only its name is readable; its type is then `undefined`.
    static func read(_ name: String, _ value: YAMLValue) -> AttributeDescription {
        guard value.isMapping, let mapping = value.mapping() else {
            let type = readType(value)
            if type == .undefined { failUndefined(value) }
            if type == .composite {
                value.fail(
                    "attribute-type", "A Composite attribute must name its composite",
                    fix: "write `{ type: Composite, composite: NAME }`")
            }
            return AttributeDescription(name: name, type: type ?? .undefined)
        }
        let typeValue = mapping.required("type")
        let type = typeValue.flatMap(readType)
        var attribute = AttributeDescription(name: name, type: type ?? .undefined)
        attribute.isOptional = mapping.optional("optional")?.boolean() ?? true
        attribute.isTransient = mapping.optional("transient")?.boolean() ?? false
        attribute.renamingIdentifier = mapping.optional("renamed-from")?.filledText()
        attribute.versionHashModifier = mapping.optional("hash-modifier")?.scalarText()
        attribute.userInfo = ModelReader.userInfo(mapping.optional("info"))
        attribute.preservesValueInHistoryOnDeletion =
            mapping.optional("preserve-on-delete")?.boolean() ?? false
        readExternal(mapping, type, &attribute)
        readTransformer(mapping, type, &attribute)
        readRules(mapping, type, &attribute)
        if let defaultValue = mapping.optional("default"), let type {
            attribute.defaultValue = DefaultValueReader.read(defaultValue, type, attribute)
        }
        attribute.derivationExpression = mapping.optional("derived")?.filledText()
        attribute.extras = ModelReader.userInfo(mapping.optional("xcode"))
        readValueType(mapping, type, &attribute)
        readComposite(mapping, type, &attribute)
        readSearchable(mapping, type, &attribute)
        mapping.finish()
        if type == .undefined, !attribute.isTransient, let typeValue { failUndefined(typeValue) }
        return attribute
    }

    private static func readType(_ value: YAMLValue) -> AttributeType? {
        guard let text = value.text() else { return nil }
        if let type = AttributeType(rawValue: text) { return type }
        let names = AttributeType.allCases.filter { $0 != .undefined }.map(\.rawValue)
        value.fail(
            "attribute-type",
            "'\(text)' is not an attribute type" + Suggestion.phrase(for: text, among: names),
            fix: "use \(YAMLValue.listing(names))")
        return nil
    }

    private static func failUndefined(_ value: YAMLValue) {
        value.fail(
            "attribute-type", "Only a transient attribute can be Undefined",
            fix: "give it a type, or `transient: true`")
    }

    private static func readExternal(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        if let value = mapping.optional("external-threshold") {
            attribute.externalStorageThreshold = value.integer(in: 0...Int64(Int32.max))
                .map(Int.init)
            if mapping.optional("external") == nil {
                value.fail("rule", "'external-threshold' is for external storage")
            }
        }
        guard let value = mapping.optional("external") else { return }
        attribute.allowsExternalBinaryDataStorage = value.boolean() ?? false
        if let type, type != .binary, type != .transformable {
            value.fail(
                "rule", "'external' is for Binary and Transformable, not for \(type.rawValue)")
        }
    }

    private static func readTransformer(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        guard let value = mapping.optional("transformer") else { return }
        attribute.transformerName = value.filledText()
        guard type != nil, let problem = attribute.transformerProblem(key: value.label) else {
            return
        }
        value.warn("rule", problem.message, fix: problem.fix)
    }

    private static func readValueType(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        guard let value = mapping.optional("value-type") else { return }
        attribute.extras[AttributeDescription.valueTypeKey] = value.filledText()
        guard let type, type != .transformable else { return }
        value.warn(
            "rule", "'value-type' is for Transformable, not for \(type.rawValue)",
            fix: "remove it, or give the attribute the type Transformable")
    }

    private static func readComposite(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        if type == .composite {
            attribute.compositeName = mapping.required("composite")?.filledText()
        } else if let value = mapping.optional("composite"), let type {
            value.fail("rule", "'composite' is for Composite, not for \(type.rawValue)")
        }
    }

    private static func readSearchable(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        guard let value = mapping.optional("searchable") else { return }
        attribute.isSearchable = value.boolean() ?? false
        guard attribute.isSearchable else { return }
        failUnlessString(value, type)
        if attribute.isTransient {
            value.fail("rule", "A transient attribute is in no store to be searched")
        }
    }

    private static func readRules(
        _ mapping: YAMLMapping, _ type: AttributeType?, _ attribute: inout AttributeDescription
    ) {
        if let value = mapping.optional("range") {
            attribute.range = type.flatMap { RangeReader.values(value, $0) }
        }
        if let value = mapping.optional("length") {
            attribute.length = RangeReader.counts(value)
            failUnlessString(value, type)
        }
        guard let value = mapping.optional("pattern"), let pattern = value.filledText() else {
            return
        }
        attribute.pattern = pattern
        failUnlessString(value, type)
        do {
            _ = try CompiledPattern(pattern)
        } catch {
            value.warn("pattern", "The pattern is kept, but not checked: \(error.description)")
        }
    }

    private static func failUnlessString(_ value: YAMLValue, _ type: AttributeType?) {
        guard let type, type != .string else { return }
        value.fail("rule", "'\(value.label)' is for String, not for \(type.rawValue)")
    }
}
