import Diagnostics
import GraphStore

extension RunOutcome {
    /// The changes that a dry run would make, one line per entity; `nil` if they are unknown.
    package var differenceText: String? { difference?.text }

    /// Whether a dry run would change the store.
    package var wouldChangeStore: Bool { difference?.isEmpty == false }
}

extension StoreDifference {
    /// One line per entity: `Task: 2 inserted, 3 updated (priority 3, title 1), 1 deleted`.
    fileprivate var text: String {
        guard !isEmpty else { return "No changes" }
        return entities.map(Self.line).joined(separator: "\n")
    }

    private static func line(_ entity: Entity) -> String {
        var parts: [String] = []
        if entity.inserted > 0 { parts.append("\(entity.inserted.grouped) inserted") }
        if entity.updated > 0 {
            let properties = entity.properties
                .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                .map { "\($0.key) \($0.value.grouped)" }
                .joined(separator: ", ")
            parts.append("\(entity.updated.grouped) updated (\(properties))")
        }
        if entity.deleted > 0 { parts.append("\(entity.deleted.grouped) deleted") }
        return "\(entity.name): \(parts.joined(separator: ", "))"
    }
}
