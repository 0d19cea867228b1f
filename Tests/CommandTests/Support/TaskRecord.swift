import Foundation

/// A task as the exports show it; samples are converted to this form for comparison.
struct TaskRecord: Equatable {
    var id = ""
    var title = ""
    var notes: String?
    var isCompleted = false
    var createdAt: Date?
    var dueOn: Date?
    var completedAt: Date?
    var priority = 0
    var estimate: Double?
    var price: Double?
    var category: String?
    var parent: String?
    var subtasks: [String] = []
    var tags: [String] = []

    /// Reads one object of an export.
    init(exported object: [String: Any]) throws {
        id = object["id"] as? String ?? ""
        title = object["title"] as? String ?? ""
        notes = object["notes"] as? String
        isCompleted = object["isCompleted"] as? Bool ?? false
        createdAt = try Self.date(object["createdAt"])
        dueOn = try Self.date(object["dueOn"])
        completedAt = try Self.date(object["completedAt"])
        priority = object["priority"] as? Int ?? -1
        estimate = Self.number(object["estimate"])
        price = Self.number(object["price"])
        category = object["category.name"] as? String
        parent = object["parent.id"] as? String
        subtasks = object["subtasks"] as? [String] ?? []
        tags = object["tags"] as? [String] ?? []
    }

    private init() {}

    /// Returns the tasks that the records of a sample create.
    ///
    /// If records have the same key, the later one wins, field by field.
    static func tasks(of records: [[String: Any]]) throws -> [TaskRecord] {
        var tasks: [String: TaskRecord] = [:]
        for record in records {
            let id = (record["id"] as? String ?? "").uppercased()
            var task = tasks[id] ?? TaskRecord()
            task.id = id
            try task.apply(record)
            tasks[id] = task
        }
        for task in tasks.values {
            if let parent = task.parent { tasks[parent]?.subtasks.append(task.id) }
        }
        for id in tasks.keys { tasks[id]?.subtasks.sort() }
        return tasks.values.sorted { $0.id < $1.id }
    }

    private mutating func apply(_ record: [String: Any]) throws {
        for (field, value) in record {
            switch field {
            case "title": title = value as? String ?? ""
            case "notes": notes = value as? String
            case "status": isCompleted = value as? String == "done"
            case "isCompleted": isCompleted = value as? Bool ?? false
            case "created_at", "createdAt": createdAt = try Self.date(value)
            case "due_on", "dueOn": dueOn = try Self.date(value)
            case "completed_at", "completedAt": completedAt = try Self.date(value)
            case "priority": priority = value as? Int ?? -1
            case "estimate": estimate = Self.number(value)
            case "price": price = Self.number(value)
            case "category":
                category = value as? String ?? (value as? [String: Any])?["name"] as? String
            case "parent": parent = (value as? String)?.uppercased()
            case "tags":
                // In byte order, as the store orders keys.
                tags = (value as? [String] ?? []).sorted {
                    $0.utf8.lexicographicallyPrecedes($1.utf8)
                }
            default: break
            }
        }
    }

    private static func number(_ value: Any?) -> Double? {
        (value as? Double) ?? (value as? String).flatMap { Double($0) }
    }

    private static func date(_ value: Any?) throws -> Date? {
        guard let text = value as? String else { return nil }
        guard text.contains("T") else { return try Date(text + "T00:00:00Z", strategy: .iso8601) }
        return try Date(
            text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }
}

/// Returns the JSON objects of a string, one per line; other lines are skipped.
func jsonObjects(lines text: String) -> [[String: Any]] {
    text.split(separator: "\n").compactMap { line in
        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any]
    }
}
