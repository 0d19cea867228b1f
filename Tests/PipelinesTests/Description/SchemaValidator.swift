import Testing
import YAML

@testable import Pipelines

/// The subset of JSON Schema that the schema of specs uses; any other keyword is a failure.
struct SchemaValidator {
    let root: JSONTree

    func accepts(_ text: String) -> Bool {
        YAMLParser.parse(text, file: "a.yaml").root.map { accepts(JSONTree($0), root) } ?? false
    }

    func accepts(_ value: JSONTree, _ schema: JSONTree) -> Bool {
        guard case .object(let members) = schema else { return schema == .boolean(true) }
        return members.allSatisfy { holds($0.name, $0.value, value, schema) }
    }

    private func holds(
        _ keyword: String, _ rule: JSONTree, _ value: JSONTree, _ schema: JSONTree
    ) -> Bool {
        switch keyword {
        case "$schema", "$id", "title", "description", "default", "examples", "$defs": return true
        case "$ref":
            guard case .text(let address) = rule,
                let found = root["$defs"]?[String(address.dropFirst("#/$defs/".count))]
            else { return false }
            return accepts(value, found)
        case "anyOf": return rule.items.contains { accepts(value, $0) }
        case "enum": return rule.items.contains(value)
        case "type":
            return (rule.items.isEmpty ? [rule] : rule.items).contains { value.has(type: $0) }
        case "required": return rule.items.allSatisfy { value[$0.string] != nil }
        case "properties":
            return value.members.allSatisfy { member in
                rule[member.name].map { accepts(member.value, $0) } ?? true
            }
        case "additionalProperties":
            let known = schema["properties"]?.members.map(\.name) ?? []
            return value.members.allSatisfy { known.contains($0.name) || accepts($0.value, rule) }
        case "items": return value.items.allSatisfy { accepts($0, rule) }
        case "minimum", "maximum":
            guard case .integer(let number) = value, case .integer(let bound) = rule else {
                return true
            }
            return keyword == "minimum" ? number >= bound : number <= bound
        case "minLength", "maxLength":
            guard case .text(let text) = value, case .integer(let bound) = rule else { return true }
            let count = Int64(text.unicodeScalars.count)
            return keyword == "minLength" ? count >= bound : count <= bound
        case "pattern":
            guard case .text(let text) = value, let regex = try? Regex(rule.string) else {
                return true
            }
            return text.contains(regex)
        default:
            Issue.record("\(keyword)")
            return false
        }
    }
}

extension JSONTree {
    var members: [Member] {
        guard case .object(let members) = self else { return [] }
        return members
    }

    var items: [JSONTree] {
        guard case .list(let items) = self else { return [] }
        return items
    }

    var string: String {
        guard case .text(let text) = self else { return "" }
        return text
    }

    subscript(name: String) -> JSONTree? { members.first { $0.name == name }?.value }

    func has(type: JSONTree) -> Bool {
        switch (self, type.string) {
        case (.text, "string"), (.integer, "integer"), (.integer, "number"), (.number, "number"),
            (.boolean, "boolean"), (.null, "null"), (.list, "array"), (.object, "object"):
            true
        default: false
        }
    }
}
