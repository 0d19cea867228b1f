import Foundation
import GraphModel
import GraphStore

/// Finds objects by a predicate in SQL and in memory, and requires the same result.
///
/// The input is the predicate's format. If only one of the two fails, no error is reported, because
/// the evaluation order of an AND is not promised.
enum AgreementFuzz {
    private static let model = """
        model: 1
        entities:
          Person:
            attributes:
              name: String
              age: Integer 64
              height: Double
              born: Date
              active: Boolean
              note: String
            relationships:
              friends: { to: Person, many: true, inverse: friends }
              tasks: { to: Task, many: true, inverse: owner }
          Task:
            attributes: { title: String, size: Integer 32, note: String }
            relationships: { owner: { to: Person, inverse: tasks } }
        """

    private static let container: PersistentContainer = {
        do {
            let (model, diagnostics) = ModelFile.read(text: Self.model)
            guard let model else { fatalError("\(diagnostics)") }
            let container = try PersistentContainer(
                model: model,
                .sqlite(at: FuzzHarness.folder + "/agreement.sqlite", opening: .create))
            try fill(container)
            return container
        } catch {
            fatalError("The store cannot be made: \(error)")
        }
    }()

    /// A context in which every object has an unsaved change, so that the context evaluates all of
    /// them in memory.
    private static let changed: BackgroundContext = {
        let context = container.newBackgroundContext()
        do {
            try context.performAndWait { context in
                for entity in ["Person", "Task"] {
                    let all = FetchRequest<ManagedObject>(entityName: entity)
                    for object in try context.fetch(all) {
                        try object.setValue(.attribute(.text("changed")), forKey: "note")
                    }
                }
            }
        } catch {
            fatalError("The objects cannot be changed: \(error)")
        }
        return context
    }()

    private static let names: [String?] = [
        "Ann", "ann", "Ánn", "Bob", "", nil, "a.b*c?", "straße", "Zoë", "x\ny", "10", "1e1",
    ]

    private static func fill(_ container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context in
            var people: [ManagedObject] = []
            for (place, name) in names.enumerated() {
                let person = try context.insert("Person")
                if let name { try person.setValue(.attribute(.text(name)), forKey: "name") }
                if place % 4 > 0 {
                    try person.setValue(.attribute(.integer(Int64(place - 3))), forKey: "age")
                    try person.setValue(.attribute(.real(Double(place) / 2)), forKey: "height")
                }
                if place % 3 > 0 {
                    try person.setValue(
                        .attribute(.real(Double(place))), forKey: "born")
                    try person.setValue(
                        .attribute(.integer(Int64(place % 2))), forKey: "active")
                }
                try person.setValue(.objects(Array(people.suffix(2))), forKey: "friends")
                people.append(person)
                guard place > 0 else { continue }
                let task = try context.insert("Task")
                try task.setValue(.attribute(.text("task \(place)")), forKey: "title")
                try task.setValue(.attribute(.integer(Int64(place))), forKey: "size")
                if place % 5 > 0 {
                    try task.setValue(.object(people[place % 3]), forKey: "owner")
                }
            }
            try context.save()
        }
    }

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let lower = text.lowercased()
        // The time may change between the two, and `note` differs.
        guard !["now", "random", "note"].contains(where: lower.contains),
            let predicate = try? GraphPredicate(format: text)
        else { return }
        for entity in ["Person", "Task"] {
            let request = FetchRequest<ManagedObject>(entityName: entity, predicate: predicate)
            guard let inSQL = find(request, container.newBackgroundContext()),
                let inMemory = find(request, changed)
            else { continue }
            require(
                inSQL == inMemory,
                "\(entity) where \(text)\nSQL: \(inSQL)\nmemory: \(inMemory)")
        }
    }

    /// Returns the primary keys of the found objects; `nil` if the predicate fails.
    private static func find(
        _ request: FetchRequest<ManagedObject>, _ context: BackgroundContext
    ) -> [String]? {
        try? context.performAndWait { context in
            try context.fetch(request).map { "\($0.objectID)" }.sorted()
        }
    }
}
