import Foundation
import Testing

/// A folder with a model and a spec of one name, in which the command runs.
struct DriftPlace {
    let folder: TemporaryFolder

    init(model: String) throws {
        folder = try TemporaryFolder()
        try write("model.yaml", model)
    }

    /// - Parameter task: The attributes of `Task`.
    init(
        task: String = "id: Integer 64, title: String, size: Integer 32", isUnique: Bool = true
    ) throws {
        try self.init(
            model: """
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

    func write(
        spec: String = "s.yaml", name: String = "test", head: String = "", _ stages: [String]
    ) throws {
        try write(
            spec,
            """
            etl: 1
            name: \(name)\(head.isEmpty ? "" : "\n" + head)
            store: { at: s.sqlite, open: create, model: model.yaml }
            stages:
            \(stages.map { "  - \($0)" }.joined(separator: "\n"))
            """)
    }

    func run(
        _ stages: String..., head: String = "", flags: [String] = []
    ) throws -> ToolResult {
        try write(head: head, stages)
        return try Tool.etl(["run", "s.yaml"] + flags, in: folder.path)
    }

    func rows(_ query: String) throws -> [String] {
        try Tool.sqlite(folder.path + "/s.sqlite", query)
    }

    /// Returns the first stage of the last report.
    func stageReport() throws -> [String: Any] {
        let runs = folder.path + "/runs"
        let name = try FileManager.default.contentsOfDirectory(atPath: runs)
            .filter { $0.hasSuffix(".json") }.sorted().last
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(runs)/\(name ?? "")"))
        let report = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return (report?["stages"] as? [[String: Any]])?.first ?? [:]
    }

    func missedLinks() throws -> [String] {
        try (stageReport()["missedLinks"] as? [[String: Any]] ?? []).map { missed in
            let first = (missed["first"] as? [String] ?? []).joined(separator: ", ")
            return "\(missed["relationship"] ?? "") \(missed["count"] ?? ""): \(first)"
        }
    }
}
