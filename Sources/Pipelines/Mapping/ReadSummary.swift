import Synchronization

/// What the reading side found out about the fields of all inputs of a stage.
final class ReadSummary: Sendable {
    private let extra = Mutex([String: Int]())

    /// Adds the fields of one input that nothing maps, each with its number of records.
    func add(extraFields: [(name: String, count: Int)]) {
        extra.withLock { extra in
            for (name, count) in extraFields { extra[name, default: 0] += count }
        }
    }

    /// The fields that nothing maps, by name.
    var extraFields: [FieldCount] {
        extra.withLock { extra in
            extra.map { FieldCount(name: $0.key, records: $0.value) }.sorted { $0.name < $1.name }
        }
    }
}
