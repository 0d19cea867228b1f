import Foundation
import GraphStore
import Testing

final class Reminder: ManagedObject {
    enum Keys {
        static let title = AttributeKey<String>("title", slot: 0)
        static let changes = AttributeKey<Int>("changes", slot: 1)
    }

    override func awakeFromInsert() {
        self[Keys.title] = "New reminder"
    }

    override func willSave() {
        guard changedKeys.contains("title"), !changedKeys.contains("changes") else { return }
        self[Keys.changes] = (self[Keys.changes] ?? 0) + 1
    }

    override func validate(
        _ operation: SaveOperation, into failures: inout ValidationFailures
    ) {
        guard operation != .delete, self[Keys.title] == "" else { return }
        failures.add("The title is empty", self, key: "title")
    }
}

struct Address: Codable, Hashable {
    var street: String
    var city: String
}

extension Task {
    var destination: Address? {
        get { self[TransformableKey<Address>("address")] }
        set { self[TransformableKey<Address>("address")] = newValue }
    }
}

struct TagListTransformer: AttributeTransformer {
    struct Damaged: Error {}

    func encode(_ value: [String]) throws -> [UInt8] {
        Array(value.joined(separator: "\n").utf8)
    }

    func decode(_ bytes: [UInt8]) throws -> [String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Damaged() }
        return text.split(separator: "\n").map(String.init)
    }
}

/// The samples of the articles under "Values and rules", compiled and run.
@Suite("Articles: values and rules") struct ValueSamples {
    private let folder: ExampleFolder
    private let model: ManagedObjectModel
    private let container: PersistentContainer

    init() throws {
        folder = try ExampleFolder()
        model = try .example("tasks")
        container = try PersistentContainer.ephemeral(model: model)
        container.register(TasksClasses.all)
    }

    private func insertTask(_ context: ManagedObjectContext) -> Task {
        context.insert(Task.self) {
            $0.id = UUID()
            $0.title = "A task"
        }
    }

    @Test func numbers() async throws {
        try await container.background { context in
            let task = insertTask(context)
            var message = ""
            do throws(StoreError) {
                try task.setValue(.attribute(.integer(40_000)), forKey: "priority")
            } catch {
                message = error.message
            }
            #expect(message == "40000 does not fit into 'Task.priority' (Integer 16)")

            let price = Decimal(string: "19.99")
            task.price = price
            try context.save()
            context.reset()
            let same = try context.fetch(Task.request).first?.price
            #expect(same == price)
        }
    }

    @Test func exactDecimals() async throws {
        let storePath = folder.path("exact.sqlite")
        var options = StoreOptions()
        options.keepsExactDecimals = true
        let container = try PersistentContainer(
            model: model, .sqlite(at: storePath, opening: .create, options: options))
        container.register(TasksClasses.all)
        try await container.background { context in
            let task = insertTask(context)
            let digits = Decimal(string: "12345678901234567890.123456789")
            task.price = digits
            try context.save()
            context.reset()
            let found = try context.fetch(
                Task.request.where("price == 12345678901234567890.123456789"))
            #expect(found.map(\.price) == [digits])
        }
    }

    @Test func validation() async {
        await container.background { context in
            var messages: [String] = []
            context.insert(Task.self) {
                $0.id = UUID()
                $0.priority = 9
            }
            do throws(StoreError) {
                try context.save()
            } catch {
                for failure in error.validationError?.failures ?? [] {
                    messages.append("\(failure.key ?? "object"): \(failure.code)")
                }
            }
            #expect(Set(messages) == ["priority: numberTooLarge", "title: missingValue"])
        }
    }

    @Test func hooks() throws {
        let model = try ManagedObjectModel {
            Entity("Reminder") {
                Attribute("title", .string)
                Attribute("changes", .integer32)
            }
        }
        let container = try PersistentContainer.ephemeral(model: model)
        container.register(Reminder.self)
        let context = container.newContext()
        let reminder = context.insert(Reminder.self)
        reminder[Reminder.Keys.title] = "Call Ann"
        try context.save()
        #expect(reminder[Reminder.Keys.changes] == 1)
        reminder[Reminder.Keys.title] = ""
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.validationError?.failures.map(\.message) == ["The title is empty"])
    }

    @Test func transformers() async throws {
        try await container.background { context in
            container.register(JSONTransformer(Address.self), named: "json")
            let task = context.insert(Task.self) {
                $0.id = UUID()
                $0.title = "Visit Ann"
                $0.destination = Address(street: "Main Street 1", city: "Ulm")
            }
            task.destination?.city = "Bonn"
            try context.save()
            context.reset()
            let again = try context.fetch(Task.request).first
            #expect(again?.destination == Address(street: "Main Street 1", city: "Bonn"))
            let list = TagListTransformer()
            #expect(try list.decode(list.encode(["a", "b"])) == ["a", "b"])
        }
    }

    @Test func externalData() throws {
        let storePath = folder.path("tasks.sqlite")
        let model = try ManagedObjectModel {
            Entity("Attachment") {
                Attribute("name", .string, optional: false)
                Attribute("content", .binary, external: true)
                Attribute("preview", .binary, external: true, externalThresholdBytes: 4_096)
            }
        }
        let container = try PersistentContainer(model: model, at: storePath, opening: .create)
        let context = container.newContext()
        let attachment = try context.insert("Attachment")
        attachment[.string("name")] = "report.pdf"
        attachment[.binary("content")] = [UInt8](repeating: 0x25, count: 300_000)
        try context.save()
        let size = attachment[.binary("content")]?.count
        #expect(size == 300_000)
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.path(".tasks_SUPPORT/_EXTERNAL_DATA"))
        #expect(files.count == 1)
        try Data([1]).write(
            to: URL(
                fileURLWithPath: folder.path(
                    ".tasks_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)")))
        let removed = try container.sweepExternalFiles()
        #expect(removed == 1)
    }
}
