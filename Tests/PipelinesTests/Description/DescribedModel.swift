import Diagnostics
import GraphModel

@testable import Pipelines

/// A model around one mapping, with the keys that the mapping requires.
struct DescribedModel {
    let mapping: DescribedMapping
    /// The keys with their values, in YAML.
    var entries: [(key: String, value: String)]

    init(_ mapping: DescribedMapping) {
        self.mapping = mapping
        entries = Self.needed[mapping.definition] ?? []
    }

    /// Returns a copy with a key, or with another value for it, and with the other keys that it
    /// requires.
    func with(_ key: String, _ value: String) -> DescribedModel {
        var copy = self
        copy.set(key, value)
        switch (mapping.definition, key) {
        case ("attribute", "range"): copy.set("type", "Integer 16")
        case ("attribute", "external"): copy.set("type", "Binary")
        case ("attribute", "external-threshold"):
            copy.set("type", "Binary")
            copy.set("external", "true")
        case ("attribute", "transformer"): copy.set("type", "Transformable")
        case ("attribute", "composite"),
            ("attribute", "type") where value == "Composite":
            copy.set("type", "Composite")
            if key == "type" { copy.set("composite", "Point") }
        case ("attribute", "type") where value == "Undefined": copy.set("transient", "true")
        case ("relationship", "ordered"), ("relationship", "count"): copy.set("many", "true")
        // It replaces a property.
        case ("indexElement", "expression"): copy.entries.removeAll { $0.key == "property" }
        default: break
        }
        return copy
    }

    private mutating func set(_ key: String, _ value: String) {
        entries.removeAll { $0.key == key }
        entries.append((key, value))
    }

    var text: String {
        let content = entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return Self.frame(mapping, "{ \(content) }")
    }

    func read() -> (model: ManagedObjectModel?, errors: [Diagnostic]) {
        let (model, diagnostics) = ModelFile.read(text: text)
        return (model, diagnostics.filter { $0.severity == .error })
    }

    /// Returns the errors at a key or below it.
    func errors(at key: String) -> [Diagnostic] {
        read().errors.filter { diagnostic in
            guard case .source(let place) = diagnostic.place else { return false }
            let names = place.keyPath.split(separator: ".").map { $0.prefix { $0 != "[" } }
            return names.contains { $0 == key }
        }
    }

    private static let needed: [String: [(key: String, value: String)]] = [
        "model": [("model", "1"), ("entities", "{ Task: { attributes: { title: String } } }")],
        "entity": [("attributes", "{ title: String }")],
        "attribute": [("type", "String")],
        "relationship": [("to", "Task"), ("inverse", "previous")],
        "index": [("properties", "[title]")],
        "indexElement": [("property", "title")],
        "rule": [("rule", "\"title != nil\""), ("message", "a title is missing")],
        "fetched": [("entity", "Task")],
        "request": [("entity", "Task")],
        "composite": [("attributes", "{ x: Double }")],
    ]

    private static func frame(_ mapping: DescribedMapping, _ content: String) -> String {
        func model(task: String, _ rest: String = "") -> String {
            """
            model: 1
            entities: { Item: { attributes: { addedOn: Date } }, Task: \(task) }
            \(rest)

            """
        }
        let plain = "{ attributes: { title: String } }"
        switch mapping.definition {
        case "model": return content
        case "entity": return model(task: content)
        case "attribute":
            return model(
                task: "{ attributes: { one: \(content) } }",
                "composites: { Point: { attributes: { x: Double } } }")
        case "relationship":
            return model(
                task:
                    "{ relationships: { next: \(content), previous: { to: Task, inverse: next } } }"
            )
        case "index":
            return model(task: "{ attributes: { title: String }, indexes: { one: \(content) } }")
        case "indexElement":
            return model(task: "{ attributes: { title: String }, indexes: { one: [\(content)] } }")
        case "rule":
            return model(task: "{ attributes: { title: String }, validate: [\(content)] }")
        case "fetched":
            return model(task: "{ attributes: { title: String }, fetched: { one: \(content) } }")
        case "request": return model(task: plain, "requests: { one: \(content) }")
        default: return model(task: plain, "composites: { Point: \(content) }")
        }
    }
}
