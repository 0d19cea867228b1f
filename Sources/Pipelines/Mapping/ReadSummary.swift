import Diagnostics
import RecordStreams
import Synchronization

/// Facts about the fields of all inputs of a stage, collected by the reading side.
final class ReadSummary: Sendable {
    /// The records in which an object repeats a key.
    struct DuplicateKeys {
        var records: Int
        var first: RecordLocation
    }

    private let extra = Mutex([String: Int]())
    private let duplicates = Mutex(DuplicateKeys?.none)

    /// Adds the unmapped fields of one input, each with its number of records.
    func add(extraFields: [(name: String, count: Int)]) {
        extra.withLock { extra in
            for (name, count) in extraFields { extra[name, default: 0] += count }
        }
    }

    /// The unmapped fields, sorted by name.
    var extraFields: [FieldCount] {
        extra.withLock { extra in
            extra.map { FieldCount(name: $0.key, records: $0.value) }.sorted { $0.name < $1.name }
        }
    }

    /// Adds the records of a batch in which an object repeats a key.
    func add(duplicateKeysOf batch: RecordBatch) {
        guard batch.duplicateKeyCount > 0 else { return }
        let records = (0..<batch.count).filter { batch.duplicateKeyCount(of: $0) > 0 }
        guard let record = records.first else { return }
        let place = batch.location(of: record, field: nil)
        duplicates.withLock { known in
            var all = known ?? DuplicateKeys(records: 0, first: place)
            all.records += records.count
            // Batches of several threads arrive in any order.
            if (place.source, place.record ?? 0) < (all.first.source, all.first.record ?? 0) {
                all.first = place
            }
            known = all
        }
    }

    /// The records in which an object repeats a key, or `nil` if no record has one.
    var duplicateKeys: DuplicateKeys? { duplicates.withLock(\.self) }
}
