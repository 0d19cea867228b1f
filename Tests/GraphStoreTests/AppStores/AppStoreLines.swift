import AppStoreFixtures
import Foundation
import GraphModel
import GraphStore

/// Returns every property of every object, in the format of `Support/read_store.py`.
func objectLines(of container: PersistentContainer) throws -> [String] {
    let context = container.newContext()
    let model = container.model
    var lines: [String] = []
    for entity in model.entities.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    )
    where !entity.isAbstract {
        var request = FetchRequest<ManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        let objects = try context.fetch(request).sorted {
            $0.objectID.primaryKey < $1.objectID.primaryKey
        }
        let attributes = Dictionary(
            model.attributes(of: entity.name).filter { !$0.isTransient }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        let relationships = Dictionary(
            model.relationships(of: entity.name).map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        let names = (Array(attributes.keys) + relationships.keys).sorted {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        for object in objects {
            for name in names {
                var shown: String
                if let attribute = attributes[name] {
                    shown = text(try object.primitiveValue(forKey: name), attribute.type)
                } else {
                    let isMany = relationships[name]?.isToMany == true
                    let found = try object.objectIDs(for: name).compactMap { id -> String? in
                        // A foreign key may dangle.
                        guard let object = try? context.existingObject(with: id) else { return nil }
                        return "\(object.entityName):\(id.primaryKey)"
                    }
                    shown =
                        isMany
                        ? "m[\(found.joined(separator: ","))]" : found.first.map { "o\($0)" } ?? "-"
                }
                lines.append("\(entity.name)|\(object.objectID.primaryKey)|\(name)|\(shown)")
            }
        }
    }
    return lines
}

private func text(_ value: StoredValue, _ type: AttributeType) -> String {
    func real(_ value: Double) -> String {
        let digits = String(value.bitPattern, radix: 16)
        return "r" + String(repeating: "0", count: 16 - digits.count) + digits
    }
    switch value {
    case .null: return "-"
    case .integer(let value):
        return [.decimal, .double, .float, .date].contains(type) ? real(Double(value)) : "i\(value)"
    case .real(let value): return real(value)
    case .text(let text): return "t" + text.utf8.map { String(format: "%02x", $0) }.joined()
    case .blob(let bytes): return "b\(bytes.count):\(checksum(bytes))"
    }
}

/// The script `read_store.py`, which shares no code with the library.
enum IndependentReader {
    /// Whether Python is installed.
    static let canRun: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", ""]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}

/// Returns the output of the independent reader for a store; `nil` if Python is not installed.
func independentLines(of store: String) throws -> [String]? {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Support/read_store.py").path
    let scratch = try TemporaryFolder()
    let (output, errors) = (scratch.file("stdout"), scratch.file("stderr"))
    for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, store]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus == 127 { return nil }
    guard process.terminationStatus == 0 else {
        throw CocoaError(
            .featureUnsupported,
            userInfo: ["stderr": (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""])
    }
    return try String(contentsOfFile: output, encoding: .utf8)
        .split(separator: "\n").map(String.init)
}
