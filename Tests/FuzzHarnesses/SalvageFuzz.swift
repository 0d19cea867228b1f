import Files
import Foundation
import GraphModel
import GraphStore

/// Damages the file of a small store, and recovers its readable data.
///
/// A second recovery must have the same result. Most inputs are recovered into one new store, which
/// is emptied again. One in 64 uses the complete recovery, and one in 128 uses it twice, because
/// most of its time creates the new store.
///
/// Each four bytes of the input are an offset in the file and an action: change a byte, zero a
/// page, or truncate the file.
enum SalvageFuzz {
    private static let model = """
        model: 1
        entities:
          Person:
            attributes: { name: String, age: Integer 64, height: Double, born: Date }
            relationships:
              friends: { to: Person, many: true, inverse: friends }
              tasks: { to: Task, many: true, inverse: owner }
          Task:
            attributes: { title: String, size: Integer 32 }
            relationships: { owner: { to: Person, inverse: tasks } }
        """

    private static let image: [UInt8] = {
        do {
            let path = FuzzHarness.folder + "/whole.sqlite"
            try make(at: path)
            return try FileSystem.contents(path)
        } catch {
            fatalError("The store cannot be made: \(error)")
        }
    }()

    // Fuzzers run one input at a time.
    /// The new store that most inputs are saved into.
    private nonisolated(unsafe) static let trial: SalvageTrial = {
        do {
            return try SalvageTrial(read(), at: FuzzHarness.folder + "/trial.sqlite")
        } catch {
            fatalError("The new store cannot be made: \(error)")
        }
    }()

    private static func read() -> ManagedObjectModel {
        let (model, diagnostics) = ModelFile.read(text: Self.model)
        guard let model else { fatalError("\(diagnostics)") }
        return model
    }

    private static func make(at path: String) throws {
        let container = try PersistentContainer(
            model: read(), .sqlite(at: path, opening: .create))
        try container.newBackgroundContext().performAndWait { context in
            var people: [ManagedObject] = []
            for place in 0..<40 {
                let person = try context.insert("Person")
                try person.setValue(.attribute(.text("person \(place)")), forKey: "name")
                if place % 3 > 0 {
                    try person.setValue(.attribute(.text("\(place)")), forKey: "name")
                }
                try person.setValue(.objects(Array(people.suffix(2))), forKey: "friends")
                people.append(person)
            }
            for place in 0..<40 {
                let task = try context.insert("Task")
                let title = String(repeating: "task \(place) ", count: 1 + place % 7)
                try task.setValue(.attribute(.text(title)), forKey: "title")
                try task.setValue(.object(people[place % 7]), forKey: "owner")
            }
            try context.save()
        }
        try container.checkpoint()
    }

    static func run(_ bytes: [UInt8]) {
        var file = image
        for start in stride(from: 0, to: bytes.count - 3, by: 4) {
            let place = (Int(bytes[start]) << 8 | Int(bytes[start + 1])) * 5 % file.count
            switch bytes[start + 2] & 7 {
            case 0:
                let page = place & ~4095
                for index in page..<min(page + 4096, file.count) { file[index] = bytes[start + 3] }
            case 1 where file.count > 4096: file.removeSubrange(max(4096, place)...)
            default: file[place] = bytes[start + 3]
            }
        }
        let path = FuzzHarness.folder + "/damaged.sqlite"
        guard RecordFuzz.write(file, to: FileName(path)) else { return }
        let read = attempt(path)
        guard isOne(of: 64, bytes) else { return }
        let first = salvage(path)
        if let read, let first = first.salvage {
            require(
                read.objects == first.objects && read.losses == first.losses,
                "\(read)\nand in a new file:\n\(first)")
        }
        guard isOne(of: 128, bytes) else { return }
        let second = salvage(path)
        require(first.text == second.text, "\(first.text)\nand then:\n\(second.text)")
    }

    /// Returns the data that would be recovered, if the file's header is valid.
    private static func attempt(_ path: String) -> StoreSalvage? {
        try? trial.run(path)
    }

    private static func salvage(_ path: String) -> (text: String, salvage: StoreSalvage?) {
        let target = FuzzHarness.folder + "/saved.sqlite"
        do {
            try PersistentContainer.destroy(at: target)
            let salvage = try PersistentContainer.salvage(at: path, to: target)
            let objects = salvage.objects.sorted { $0.key < $1.key }
            return (
                "\(objects) \(salvage.losses.map(\.message)) \(salvage.remaining.map(\.message))",
                salvage
            )
        } catch {
            return ("\(error)", nil)
        }
    }
}
