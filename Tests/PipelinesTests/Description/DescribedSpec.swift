import Diagnostics

@testable import Pipelines

/// A spec around one mapping, with the keys that the mapping requires.
struct DescribedSpec {
    let mapping: DescribedMapping
    /// The keys with their values, in YAML.
    var entries: [(key: String, value: String)]

    init(_ mapping: DescribedMapping) {
        self.mapping = mapping
        entries = Self.needed[mapping.definition] ?? []
    }

    /// Returns a copy with a key, or with another value for it.
    func with(_ key: String, _ value: String) -> DescribedSpec {
        var copy = self
        copy.entries.removeAll { $0.key == key }
        // An expression replaces a path.
        if key == "expr" { copy.entries.removeAll { $0.key == "from" } }
        copy.entries.append((key, value))
        return copy
    }

    var text: String {
        let content = entries.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        return Self.frame(mapping, "{ \(content) }")
    }

    func read() -> (spec: PipelineSpec?, diagnostics: [Diagnostic]) {
        SpecificationFile.read(text: text, file: "a.yaml")
    }

    /// Returns the diagnostics at a key or below it.
    func errors(at key: String) -> [Diagnostic] {
        read().diagnostics.filter { diagnostic in
            guard case .source(let place) = diagnostic.place else { return false }
            let names = place.keyPath.split(separator: ".").map { $0.prefix { $0 != "[" } }
            return names.contains { $0 == key }
        }
    }

    private static let needed: [String: [(key: String, value: String)]] = [
        "spec": [("etl", "1"), ("store", "{ at: a.sqlite }"), ("stages", stage)],
        "parameter": [("type", "string")],
        "store": [("at", "a.sqlite"), ("model", "a-model.yaml")],
        "template": [("template", "empty.sqlite")],
        "history": [("keep", "7d")],
        "import": [("import", "tasks"), ("into", "Task")],
        "read": [("files", "tasks")],
        "generate": [("generate", "10")],
        "command": [("command", "[cat, tasks]")],
        "output": [("command", "[cat]")],
        "onFailure": [("command", "[./tell]")],
        "keyField": [("from", "owner")],
        "keyLink": [("by", "{ name: owner }")],
        "link": [("by", "{ name: owner }")],
        "nested": [("each", "items")],
        "mirror": [("where", "ALL")],
        "update": [
            ("update", "calm"), ("entity", "Task"), ("where", "ALL"), ("set", "{ priority: 0 }"),
        ],
        "delete": [("delete", "Task"), ("where", "ALL")],
        "export": [("export", "Task"), ("to", "tasks.ndjson.gz")],
        "verify": [("verify", "sane"), ("expect", "{ Task: 1 }")],
        "test": [("name", "one"), ("then", "{ Task: [] }")],
    ]

    private static let stage = "[{ export: Task, to: a.csv }]"

    private static func frame(_ mapping: DescribedMapping, _ content: String) -> String {
        func top(_ key: String, stages: String = stage) -> String {
            "etl: 1\n\(key)\nstages: \(stages)\n"
        }
        func stages(_ text: String) -> String { top("store: { at: a.sqlite }", stages: text) }
        func fields(_ text: String) -> String {
            stages("[{ import: tasks.ndjson, into: Task, \(text) }]")
        }
        switch mapping.definition {
        case "spec": return content
        case "parameter": return top("store: { at: a.sqlite }\nparams: { p: \(content) }")
        case "store": return top("store: \(content)")
        case "template": return top("store: { at: a.sqlite, open: \(content) }")
        case "history": return top("store: { at: a.sqlite, history: \(content) }")
        case "backups": return top("store: { at: a.sqlite, backups: \(content) }")
        case "budget", "rejects", "report":
            return top("store: { at: a.sqlite }\n\(mapping.definition): \(content)")
        case "onFailure": return top("store: { at: a.sqlite }\non-failure: \(content)")
        case "import", "update", "delete", "export", "verify": return stages("[\(content)]")
        case "output": return stages("[{ export: Task, as: csv, to: \(content) }]")
        case "read", "generate", "command":
            return stages("[{ import: tasks, into: Task, read: \(content) }]")
        case "field": return fields("set: { title: \(content) }")
        case "keyField", "keyLink": return fields("link: { owner: { by: { name: \(content) } } }")
        case "number": return fields("set: { price: { number: \(content) } }")
        case "link", "nested": return fields("link: { owner: \(content) }")
        case "mirror": return fields("mirror: \(content)")
        case "on":
            return fields("extra: reject, duplicates: reject, when-found: reject, on: \(content)")
        case "test": return top("store: { at: a.sqlite }\ntests: [\(content)]")
        case "then": return top("store: { at: a.sqlite }\ntests: [{ name: one, then: \(content) }]")
        default: preconditionFailure("no frame for \(mapping.definition)")
        }
    }
}
