import YAML

/// Generates a JSON Schema for editors from the description of a kind of file.
///
/// See https://json-schema.org/draft/2020-12. The schema covers rules about a single file; `etl
/// check` and the lints of models cover the others.
enum MappingSchema {
    /// Returns the schema of a kind of file.
    ///
    /// - Parameters:
    ///   - id: The URI by which editors and other schemas identify the schema; it need not resolve.
    ///   - top: The mapping of the complete file.
    ///   - parts: All mappings that may occur in it, at any depth.
    static func tree(
        _ title: String, id: String, _ top: DescribedMapping, parts: [DescribedMapping]
    ) -> JSONTree {
        guard case .object(let members) = schema(of: top) else { return .null }
        let definitions = parts.map { JSONTree.Member($0.definition, schema(of: $0)) }
        return .object(
            [
                .init("$schema", "https://json-schema.org/draft/2020-12/schema"),
                .init("$id", .text(id)), .init("title", .text(title)),
            ] + members + [.init("$defs", .object(definitions))])
    }

    private static func schema(of mapping: DescribedMapping) -> JSONTree {
        let keys = mapping.keys
        let required = keys.filter { $0.absence == .error }
        let properties = keys.map { JSONTree.Member($0.name, schema(of: $0)) }
        var members: [JSONTree.Member] = [
            .init("type", "object"), .init("properties", .object(properties)),
        ]
        if !required.isEmpty {
            members.append(.init("required", .list(required.map { .text($0.name) })))
        }
        let others = mapping.others.map { schema(of: $0.form) } ?? .boolean(false)
        members.append(.init("additionalProperties", others))
        return .object(members)
    }

    /// Returns the schema of a key, including the description that editors show.
    private static func schema(of key: KeyDescription) -> JSONTree {
        var members: [JSONTree.Member] = [.init("description", .text(description(of: key)))]
        if case .same(let text) = key.absence {
            members.append(.init("default", value(ofYAML: text)))
        }
        members.append(.init("examples", .list([value(ofYAML: key.example)])))
        guard case .object(let form) = schema(of: key.form) else { return .object(members) }
        return .object(members + form)
    }

    private static func description(of key: KeyDescription) -> String {
        var text = key.meaning
        if case .means(let words) = key.absence { text += " Without it: \(words)." }
        for word in key.form.words { text += "\n- \(word.text): \(word.meaning)" }
        return text
    }

    private static func schema(of form: ValueForm) -> JSONTree {
        switch form {
        case .text, .path, .predicate, .expression: ["type": "string", "minLength": .integer(1)]
        case .pattern(let pattern, _): ["type": "string", "pattern": .text(pattern)]
        case .character:
            ["type": "string", "minLength": .integer(1), "maxLength": .integer(1)]
        case .boolean: ["type": "boolean"]
        case .integer(let bounds): schema(of: bounds)
        case .scalar: ["type": .list(["string", "number", "boolean"])]
        case .constant: ["type": .list(["string", "number", "boolean", "null"])]
        case .words(let words): ["enum": .list(words.flatMap { values(of: $0) })]
        case .list(let item): ["type": "array", "items": schema(of: item)]
        case .oneOrMore(let item):
            ["anyOf": .list([schema(of: item), ["type": "array", "items": schema(of: item)]])]
        case .described(let mapping): ["$ref": .text("#/$defs/\(mapping().definition)")]
        case .named(let named):
            ["type": "object", "additionalProperties": schema(of: named.form)]
        case .either(let forms): ["anyOf": .list(forms.map { schema(of: $0) })]
        case .record: ["type": "object"]
        }
    }

    /// Returns the allowed values of a word; YAML parses the word `null` as null.
    private static func values(of word: ValueForm.Word) -> [JSONTree] {
        word.text == "null" ? [.null, .text(word.text)] : [.text(word.text)]
    }

    private static func schema(of bounds: ClosedRange<Int64>) -> JSONTree {
        var members: [JSONTree.Member] = [.init("type", "integer")]
        if bounds.lowerBound != .min {
            members.append(.init("minimum", .integer(bounds.lowerBound)))
        }
        if bounds.upperBound != .max {
            members.append(.init("maximum", .integer(bounds.upperBound)))
        }
        return .object(members)
    }

    /// Converts a value in a key's description, such as its default, from YAML to JSON.
    private static func value(ofYAML text: String) -> JSONTree {
        YAMLParser.parse(text, file: "example").root.map(JSONTree.init) ?? .text(text)
    }
}

extension JSONTree {
    /// Converts the value of a YAML node.
    init(_ node: YAMLNode) {
        switch node.content {
        case .sequence(let items): self = .list(items.map { JSONTree($0) })
        case .mapping(let entries):
            self = .object(entries.map { Member($0.key, JSONTree($0.value)) })
        case .scalar(let scalar):
            switch scalar.value {
            case .null: self = .null
            case .boolean(let flag): self = .boolean(flag)
            case .integer(let number): self = .integer(number)
            case .real(let number): self = number.isFinite ? .number(scalar.text) : .null
            case .text: self = .text(scalar.text)
            }
        }
    }
}
