import Foundation
import Testing

/// A folder with a model and a spec of one name, in which the command runs.
struct DriftPlace {
    let folder: TemporaryFolder

    /// - Parameter task: the attributes of `Task`.
    init(
        task: String = "id: Integer 64, title: String, size: Integer 32", isUnique: Bool = true
    ) throws {
        folder = try TemporaryFolder()
        try write(
            "model.yaml",
            """
            model: 1
            entities:
              Task:
                attributes: { \(task) }
                relationships:
                  owner: { to: Person, inverse: tasks }
                  tags: { to: Tag, many: true, inverse: tasks }
                \(isUnique ? "unique: [[id]]" : "")
              Person:
                attributes: { name: String }
                relationships: { tasks: { to: Task, many: true, inverse: owner } }
                unique: [[name]]
              Tag:
                attributes: { name: String }
                relationships: { tasks: { to: Task, many: true, inverse: tags } }
                unique: [[name]]
            """)
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    func write(spec: String = "s.yaml", name: String = "test", _ stages: [String]) throws {
        try write(
            spec,
            """
            etl: 1
            name: \(name)
            store: { at: s.sqlite, open: create, model: model.yaml }
            stages:
            \(stages.map { "  - \($0)" }.joined(separator: "\n"))
            """)
    }

    func run(
        _ stages: String..., flags: [String] = []
    ) throws -> ToolResult {
        try write(stages)
        return try Tool.etl(["run", "s.yaml"] + flags, in: folder.path)
    }

    func rows(_ query: String) throws -> [String] {
        try Tool.sqlite(folder.path + "/s.sqlite", query)
    }
}
